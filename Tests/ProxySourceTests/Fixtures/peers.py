# SPDX-License-Identifier: MIT
"""Functions that several clients share."""
import socket
import struct
import time


def connect(port):
    """Connects to a proxy on this machine; no operation waits for more than 20 s."""
    return socket.create_connection(("127.0.0.1", int(port)), 20)


def read_head(s):
    """Returns all bytes up to the empty line, or up to the end."""
    data = b""
    while not data.endswith(b"\r\n\r\n"):
        byte = s.recv(1)
        if not byte:
            break
        data += byte
    return data


def read_until(s, end):
    """Returns all bytes up to the given ones, or up to the end."""
    data = b""
    while end not in data:
        piece = s.recv(1000)
        if not piece:
            break
        data += piece
    return data


def read_all(s):
    """Returns all bytes up to the end."""
    data = b""
    while piece := s.recv(65536):
        data += piece
    return data


def tunnel(port, authority, host="x"):
    """Returns a connection on which the proxy has accepted a CONNECT request."""
    s = connect(port)
    s.sendall(f"CONNECT {authority} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    read_head(s)
    return s


def wait_until_nobody_listens(port):
    """Returns once a proxy accepts no more connections, within 20 s."""
    for _ in range(2000):
        try:
            connect(port).close()
        except OSError:
            return
        time.sleep(0.01)


def reset(s):
    """Closes a connection with a reset."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()
