# SPDX-License-Identifier: MIT
"""A server that sends head and body of a response in two small writes.

Its kernel delays the second until the first is acknowledged (RFC 896).
"""
import socket, sys, threading
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
def serve(peer):
    while peer.recv(65536):
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        peer.sendall(b"hello")
while True:
    threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
