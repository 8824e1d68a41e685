# SPDX-License-Identifier: MIT
"""Prints a port without a listener."""
import socket

print(socket.create_server(("", 0)).getsockname()[1])
