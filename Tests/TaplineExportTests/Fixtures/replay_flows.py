# SPDX-License-Identifier: MIT
"""Reads a flow file with mitmproxy, and sends each request as mitmproxy assembles it.

    replay_flows FILE
"""
import socket
import sys

from mitmproxy import io
from mitmproxy.net.http.http1 import assemble_request_head

with open(sys.argv[1], "rb") as file:
    for flow in io.FlowReader(file).stream():
        request = flow.request
        if request.trailers or flow.response is None or flow.response.text is None:
            print("unexpected", flow)
        # As mitmproxy's client replay does for servers that speak HTTP/1.1 only.
        if request.is_http2:
            request.http_version = "HTTP/1.1"
            request.headers.insert(0, "Host", request.authority)
            request.authority = ""
        with socket.create_connection((request.host, request.port), timeout=10) as connection:
            connection.sendall(assemble_request_head(request) + (request.raw_content or b""))
            while connection.recv(65536):
                pass
