# SPDX-License-Identifier: MIT
"""Asks twice for a WebSocket on one connection, and prints status and content of the responses.

    upgrade_client.py PORT
"""
import http.client
import sys

connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
for _ in range(2):
    connection.request("GET", "/", headers={
        "Connection": "Upgrade", "Upgrade": "websocket",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version": "13"})
    response = connection.getresponse()
    print(response.status, response.read().decode())
