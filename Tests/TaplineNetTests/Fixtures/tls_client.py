# SPDX-License-Identifier: MIT
"""Sends a line over TLS, and prints the last word of the response and the version.

    tls_client.py PORT ROOT
"""
import socket, ssl, sys
context = ssl.create_default_context(cafile=sys.argv[2])
plain = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
with context.wrap_socket(plain, server_hostname="localhost", suppress_ragged_eofs=False) as tls:
    tls.sendall(b"GET\n")
    data = b""
    while piece := tls.recv(1000):
        data += piece
    print(data.split()[-1].decode(), tls.version())
