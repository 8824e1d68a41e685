# SPDX-License-Identifier: MIT
"""Connects five times and resets each connection.

    resetting_clients.py PORT
"""
import socket, struct, sys
for _ in range(5):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 20)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
