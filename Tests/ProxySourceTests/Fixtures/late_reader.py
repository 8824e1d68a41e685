# SPDX-License-Identifier: MIT
"""Pipelines requests, reads nothing until a file exists, then reads everything.

    late_reader.py PORT SERVER FILE COUNT
"""
import os, socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
s.settimeout(60)
s.connect(("127.0.0.1", int(sys.argv[1])))
s.sendall(b"GET http://%b/ HTTP/1.1\r\nHost: a\r\n\r\n" % sys.argv[2].encode() * int(sys.argv[4]))
s.shutdown(socket.SHUT_WR)
while not os.path.exists(sys.argv[3]): time.sleep(0.01)
got = bytearray()
while data := s.recv(1 << 20): got += data
print(got.count(b"HTTP/1.1 200"))
