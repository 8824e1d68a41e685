# SPDX-License-Identifier: MIT
"""Requests a path over TLS in a tunnel with the given application protocols; prints the selected
protocol and the content of the response. It trusts the authority and the server itself.

    protocols_client.py PORT AUTHORITY ROOT CERTIFICATE [PROTOCOL...]
"""
import ssl
import sys

import peers

port, authority, root, certificate = sys.argv[1:5]
offered = sys.argv[5:]
context = ssl.create_default_context(cafile=root)
context.load_verify_locations(certificate)
if offered:
    context.set_alpn_protocols(offered)
s = context.wrap_socket(peers.tunnel(port, authority), server_hostname="localhost")
version = "1.0" if offered[-1:] == ["http/1.0"] else "1.1"
s.sendall(f"GET /close HTTP/{version}\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
print(s.selected_alpn_protocol(), peers.read_all(s).decode().rpartition("\n")[2])
