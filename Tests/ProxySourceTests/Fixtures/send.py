# SPDX-License-Identifier: MIT
"""Sends bytes on one connection, and prints the response as one of these functions says.

    send.py PORT TEXT FUNCTION [ARGUMENT...]
"""
import os
import select
import socket
import sys
import time

import peers


def half_close():
    """Sends no more and reads to the end."""
    s.shutdown(socket.SHUT_WR)
    read()


def read():
    """Reads to the end; prints `(reset)` if that is a reset."""
    try:
        while data := s.recv(65536):
            sys.stdout.buffer.write(data)
    except ConnectionResetError:
        sys.stdout.buffer.write(b"(reset)")


def read_until(end):
    """Reads up to a text, and prints what follows the head of the response."""
    print(peers.read_until(s, end.encode()).decode().split("\r\n\r\n")[1])


def half_close_after(end):
    """Reads up to a text, of which it prints nothing, and then sends no more."""
    peers.read_until(s, end.encode())
    half_close()


def trickle(count, seconds):
    """Sends single bytes with pauses until the connection ends, and reads to the end."""
    try:
        for _ in range(int(count)):
            s.send(b"x")
            time.sleep(float(seconds))
    except OSError:
        pass
    read()


def trickle_until_answered():
    """Sends two bytes at a time until there is a response, for at most 20 s."""
    end = time.time() + 20
    while time.time() < end:
        if select.select([s], [], [], 0.02)[0]:
            break
        s.sendall(b"ab")
    read()


def trickle_and_half_close(count, seconds):
    """Sends single bytes with pauses, then no more, and reads to the end."""
    for _ in range(int(count)):
        s.sendall(b"a")
        time.sleep(float(seconds))
    half_close()


def send_large():
    """Sends nine megabytes, or as many as the proxy accepts, and reads to the end."""
    try:
        for _ in range(90):
            s.sendall(bytes(100_000))
    except OSError:
        pass
    read()


def send_hex(data):
    """Sends bytes one by one, and prints the response in hexadecimal."""
    for byte in bytes.fromhex(data):
        s.sendall(bytes([byte]))
    print(peers.read_all(s).hex())


def ping_late(*texts):
    """Reads the beginning of a message, sends pings, and reads up to the pong of the last one."""
    # Otherwise the kernel may grow the buffer so that it takes the whole message.
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    peers.read_until(s, b"start")
    # Masked with zeros.
    s.sendall(b"".join(bytes([0x89, 0x80 | len(t), 0, 0, 0, 0]) + t.encode() for t in texts))
    end = texts[-1].encode()
    data = b""
    while end not in data and (piece := s.recv(65536)):
        data = data[-len(end):] + piece


def connect_again():
    """Reads a response, and prints the first bytes of a second connection."""
    s.recv(999)
    print(socket.create_connection(s.getpeername(), 20).recv(20))


def reset_when(file):
    """Resets the connection when a file exists."""
    end = time.time() + 60
    while not os.path.exists(file) and time.time() < end:
        time.sleep(0.01)
    peers.reset(s)


s = peers.connect(sys.argv[1])
s.sendall(sys.argv[2].encode())
globals()[sys.argv[3]](*sys.argv[4:])
