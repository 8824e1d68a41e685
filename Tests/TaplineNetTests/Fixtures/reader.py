# SPDX-License-Identifier: MIT
"""Connects to a server, and reads some bytes.

    reader.py ADDRESS PORT
"""
import socket
import sys

family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
s = socket.socket(family)
s.settimeout(60)
s.connect((sys.argv[1], int(sys.argv[2])))
s.recv(100)
