# SPDX-License-Identifier: MIT
"""Switches to WebSocket, or another protocol, and sends bytes.

    raw_websocket_client.py PORT SERVER-PORT PROTOCOL EXTENSIONS DOWN [UP]

DOWN are the bytes that the server sends, in hexadecimal. Without UP, it prints all bytes that
arrive. With UP, it sends them, and prints the bytes that the server reports in the last message,
and those that arrived before.
"""
import socket
import sys

import peers

proxy, port, protocol, extensions, down = sys.argv[1:6]
fields = [
    f"GET http://127.0.0.1:{port}/{down} HTTP/1.1", f"Host: 127.0.0.1:{port}",
    "Connection: Upgrade", f"Upgrade: {protocol}",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
]
if sys.argv[6:]:
    fields.append(f"Sec-WebSocket-Extensions: {extensions}")
s = peers.connect(proxy)
s.sendall("".join(field + "\r\n" for field in fields).encode() + b"\r\n")
peers.read_head(s)
if sys.argv[6:]:
    s.sendall(bytes.fromhex(sys.argv[6]))
    s.shutdown(socket.SHUT_WR)
    data = peers.read_all(s)
    at = data.rfind(b"\x82")
    head = 4 if data[at + 1] == 126 else 2
    print(data[at + head:-2].decode(), data[:at].hex())
else:
    print(peers.read_all(s).hex())
