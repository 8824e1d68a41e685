# SPDX-License-Identifier: MIT
"""Reads a large response with pauses for some seconds, then the rest at once; prints its size.

    slow_reader.py PORT SERVER
"""
import socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
s.settimeout(60)
s.connect(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET http://%b/ HTTP/1.0\r\nHost: a\r\n\r\n" % sys.argv[2].encode())
got, end = 0, time.time() + 12
try:
    while data := s.recv(20_000 if time.time() < end else 1 << 20):
        got += len(data)
        if time.time() < end: time.sleep(0.05)
except ConnectionResetError: pass
print(got)
