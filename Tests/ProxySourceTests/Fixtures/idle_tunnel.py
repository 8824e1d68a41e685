# SPDX-License-Identifier: MIT
"""Opens a tunnel to a server of its own, and prints what arrives at its ends until they are closed.

    idle_tunnel.py PORT [half_close]
"""
import socket
import sys

import peers

listener = socket.create_server(("127.0.0.1", 0))
s = peers.connect(sys.argv[1])
s.sendall(b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: x\r\n\r\nhello" % listener.getsockname()[1])
server = listener.accept()[0]
server.settimeout(20)
peers.read_head(s)
if sys.argv[2:]:
    s.shutdown(socket.SHUT_WR)
print(server.recv(5, socket.MSG_WAITALL), s.recv(1), server.recv(1))
