# SPDX-License-Identifier: MIT
"""Prints the address that this machine uses for others; its loopback address if it has no route."""
import socket

s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
try:
    s.connect(("203.0.113.9", 9))
    print(s.getsockname()[0])
except OSError:
    print("127.0.0.1")
