# SPDX-License-Identifier: MIT
"""Runs a program on a pseudo-terminal, and prints what it writes there.

    terminal.py ROWS COLUMNS PROGRAM [ARGUMENT...]

The last line is `exit CODE`.
"""
import fcntl
import os
import pty
import struct
import sys
import termios

rows, columns = int(sys.argv[1]), int(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    size = struct.pack("HHHH", rows, columns, 0, 0)
    fcntl.ioctl(0, termios.TIOCSWINSZ, size)
    os.execv(sys.argv[3], sys.argv[3:])
output = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # The last program has closed the terminal.
        break
    if not piece:
        break
    output += piece
_, status = os.waitpid(child, 0)
sys.stdout.buffer.write(output.replace(b"\r\n", b"\n"))
print(f"exit {os.waitstatus_to_exitcode(status)}")
