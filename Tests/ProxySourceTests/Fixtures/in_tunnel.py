# SPDX-License-Identifier: MIT
"""Sends a request in a tunnel, and prints the response, which ends with `hello`.

    in_tunnel.py PORT socks|connect SERVER REQUEST
"""
import socket
import sys

import peers

port, way, server, request = sys.argv[1:]
if way == "socks":
    s = peers.connect(port)
    address = bytes([127, 0, 0, 1]) + int(server.split(":")[1]).to_bytes(2)
    s.sendall(bytes([5, 1, 0, 5, 1, 0, 1]) + address)
    s.recv(12, socket.MSG_WAITALL)
else:
    s = peers.tunnel(port, server, host=server)
s.sendall(request.encode())
sys.stdout.buffer.write(peers.read_until(s, b"hello"))
