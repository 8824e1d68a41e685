# SPDX-License-Identifier: MIT
"""Sends a request with a Host over TLS in a tunnel, and prints the content of the response, which
ends with that Host.

    tls_host_client.py PORT AUTHORITY ROOT SNI HOST
"""
import ssl
import sys

import peers

port, authority, root, sni, host = sys.argv[1:]
context = ssl.create_default_context(cafile=root)
s = context.wrap_socket(peers.tunnel(port, authority, host=authority), server_hostname=sni)
s.sendall(f"GET /a HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
print(peers.read_until(s, f"|{host}".encode()).decode().rpartition("\n")[2])
