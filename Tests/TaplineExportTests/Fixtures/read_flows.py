#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Prints what mitmproxy reads in a file with three flows: a request, a failure and a WebSocket."""

import sys

from mitmproxy import io

with open(sys.argv[1], "rb") as file:
    a, b, c = io.FlowReader(file).stream()
print(a.request.pretty_url, a.request.text, dict(a.request.trailers), a.client_conn.peername)
print(b.response, b.error.msg)
print(c.websocket.messages[0].text, c.websocket.close_code, c.websocket.closed_by_client)
