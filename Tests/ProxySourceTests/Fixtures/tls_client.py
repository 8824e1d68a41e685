# SPDX-License-Identifier: MIT
"""Sends a request over TLS in a tunnel, and prints the first eight bytes of the response.

    tls_client.py PORT AUTHORITY ROOT SNI [PROTOCOL...]
"""
import ssl
import sys

import peers

port, authority, root, sni = sys.argv[1:5]
context = ssl.create_default_context(cafile=root)
if sys.argv[5:]:
    context.set_alpn_protocols(sys.argv[5:])
tunnel = peers.tunnel(port, authority, host=authority.rpartition(":")[0])
s = context.wrap_socket(tunnel, server_hostname=sni)
s.sendall(b"GET /close HTTP/1.1\r\nHost: x\r\n\r\n")
print(s.recv(1000)[:8].decode())
