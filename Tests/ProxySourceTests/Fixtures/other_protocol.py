# SPDX-License-Identifier: MIT
"""Speaks SSH's first line in a tunnel, without waiting for the tunnel, and prints the answer.

    other_protocol.py PORT AUTHORITY
"""
import sys

import peers

s = peers.connect(sys.argv[1])
s.sendall(b"CONNECT %b HTTP/1.1\r\nHost: x\r\n\r\nSSH-2.0-x\r\n\r\n" % sys.argv[2].encode())
print(peers.read_all(s).decode().split("\r\n")[-2])
