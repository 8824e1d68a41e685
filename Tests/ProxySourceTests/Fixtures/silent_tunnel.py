# SPDX-License-Identifier: MIT
"""Opens a tunnel to a server of its own, and then does what a function says at both ends.

    silent_tunnel.py PORT FUNCTION [ARGUMENT]
"""
import socket
import ssl
import sys

import peers


def server_first():
    """The server speaks first."""
    server.sendall(b"220 ")
    print(s.recv(4, socket.MSG_WAITALL).decode())
    s.sendall(b"GET / HTTP/1.1\r\n\r\n")
    print(server.recv(18, socket.MSG_WAITALL).decode().split()[0])
    server.sendall(b"bye")
    server.close()
    print(s.recv(3, socket.MSG_WAITALL).decode())
    s.close()


def server_closes():
    """The server closes, also the second connection, without sending anything."""
    server.close()
    again = listener.accept()[0]
    again.close()
    print(s.recv(1))
    s.close()


def client_first(root):
    """The client begins TLS after all."""
    context = ssl.create_default_context(cafile=root)
    secure = context.wrap_socket(s, server_hostname="late.test")
    print(secure.version(), server.recv(1))
    secure.close()


def client_closes():
    """The client closes without sending anything."""
    s.close()
    print(server.recv(1))


def silence():
    """Neither side sends anything."""
    print(server.recv(1), s.recv(1))


listener = socket.create_server(("127.0.0.1", 0))
listener.settimeout(20)
s = peers.tunnel(sys.argv[1], "127.0.0.1:%d" % listener.getsockname()[1])
server = listener.accept()[0]
server.settimeout(20)
globals()[sys.argv[2]](*sys.argv[3:])
