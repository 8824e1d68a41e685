# SPDX-License-Identifier: MIT
"""Agrees on HTTP/2 by ALPN in a tunnel, sends a request of HTTP/1.1, and prints the type of each frame
of the response, with the error code of GOAWAY.

    http2_wrong_preface.py PROXY_PORT AUTHORITY CERTIFICATES
"""
import ssl
import sys

import peers

port, authority, certificates = sys.argv[1:]
context = ssl.create_default_context(cafile=certificates)
context.set_alpn_protocols(["h2"])
s = context.wrap_socket(peers.tunnel(port, authority), server_hostname=authority.split(":")[0])
s.sendall(f"GET /a HTTP/1.1\r\nHost: {authority}\r\n\r\n".encode())
data = peers.read_all(s)
frames = []
while len(data) >= 9:
    size, kind = int.from_bytes(data[:3], "big"), data[3]
    content, data = data[9:9 + size], data[9 + size:]
    frames.append(f"{kind}:{int.from_bytes(content[4:8], 'big')}" if kind == 7 else f"{kind}")
print(*frames, "cut off" if data else "closed")
