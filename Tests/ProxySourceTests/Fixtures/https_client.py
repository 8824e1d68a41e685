# SPDX-License-Identifier: MIT
"""Requests two paths on one connection with Python's HTTP client, and prints the responses.

    https_client.py PORT SERVER-PORT ROOT
"""
import http.client
import ssl
import sys

context = ssl.create_default_context(cafile=sys.argv[3])
connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context)
connection.set_tunnel("localhost", int(sys.argv[2]))
for path in ["/a", "/b"]:
    connection.request("GET", path)
    print(connection.getresponse().read().decode())
