# SPDX-License-Identifier: MIT
"""Clients that each get a part of a response, and all disconnect at once with a reset.

    leaving_clients.py PORT SERVER
"""
import socket, struct, sys
clients = []
for _ in range(12):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 60)
    s.sendall(b"GET http://%b/ HTTP/1.1\r\nHost: a\r\n\r\n" % sys.argv[2].encode())
    clients.append(s)
for s in clients:
    got = 0
    while got < 50_000: got += len(s.recv(65536))
for s in clients:
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
