# SPDX-License-Identifier: MIT
"""Requests, from a server of its own, two bytes each 20 ms for 1.5 s, followed by `end`; prints the
response.

    trickling_response.py PORT TYPE
"""
import socket
import sys
import threading
import time

import peers

server = socket.create_server(("127.0.0.1", 0))


def serve():
    s = server.accept()[0]
    s.recv(65536)
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {sys.argv[2]}\r\nConnection: close\r\n\r\n"
    try:
        s.sendall(head.encode())
        for _ in range(75):
            s.sendall(b"ab")
            time.sleep(0.02)
        s.sendall(b"end")
    except OSError:
        pass
    s.close()


thread = threading.Thread(target=serve)
thread.start()
s = peers.connect(sys.argv[1])
url = "http://127.0.0.1:%d/" % server.getsockname()[1]
s.sendall(f"GET {url} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
got = b""
try:
    while data := s.recv(65536):
        got += data
except ConnectionResetError:
    pass
s.close()
thread.join()
print(got.decode())
