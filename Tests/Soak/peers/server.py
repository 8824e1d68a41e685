#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server that fails as the client requests: the path of a request is /WAY/SIZE/ID.

    server.py PORT LOG [CERTIFICATE KEY]

It writes the id of every request whose head it has read to LOG. A response has the id in the field
X-Soak and, repeated, as its content, so that a client can match the response to its request.
"""

import contextlib
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time

STALL = 4.0  # Seconds, longer than the proxy's idle_timeout.
MALFORMED = [
    b"HTTP/1.1 2", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"\0" * 100, b"HELLO\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nA b: c\r\n\r\n", b"HTTP/1.1 200 OK\r\nA: " + b"a" * 200_000,
    b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100,
]


class Gone(Exception):
    """Closes the connection."""


def content(number, size):
    text = number + b";"
    return (text * (size // len(text) + 1))[:size]


class Peer:
    """One connection."""

    def __init__(self, connection, log):
        self.connection, self.log = connection, log
        self.reader = connection.makefile("rb")

    def serve(self):
        if self.reader.peek(1)[:1] == b"\0":
            return self.send(self.reader.read(100))  # Not HTTP, as in a tunnel.
        while line := self.reader.readline():
            words = line.split()
            fields = {}
            while (field := self.reader.readline()) not in (b"\r\n", b""):
                name, _, value = field.partition(b":")
                fields[name.lower()] = value.strip()
            _, way, size, number = words[1].split(b"/")
            os.write(self.log, number + b"\n")
            if way.startswith(b"early"):
                self.early(way, number)
            self.drain(fields)
            self.answer(way.decode(), int(size), number)

    def drain(self, fields):
        if fields.get(b"expect"):
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        left = int(fields.get(b"content-length", 0))
        while left > 0:
            part = self.reader.read(min(left, 65536))
            if not part:
                raise Gone
            left -= len(part)
        if b"transfer-encoding" in fields:
            while size := int(self.reader.readline() or b"x", 16):
                self.reader.read(size + 2)
            self.reader.readline()

    def send(self, data):
        self.connection.sendall(data)

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone

    def head(self, number, *fields, status=b"200 OK"):
        lines = [b"HTTP/1.1 " + status, b"X-Soak: " + number, *fields, b"", b""]
        return b"\r\n".join(lines)

    def early(self, way, number):
        """Responds before it has read the body; then closes the connection, or reads the body."""
        self.send(self.head(number, b"Content-Length: 5", status=b"413 Content Too Large") + b"large")
        if way == b"early_gone":
            raise Gone

    def answer(self, way, size, number):
        body = content(number, size)
        whole = self.head(number, b"Content-Length: %d" % size) + body
        half = whole[:len(whole) - size // 2 - 1]
        match way:
            case "early_gone" | "early_kept": pass
            case "whole": self.send(whole)
            case "interim":
                self.send(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2 + whole)
            case "surplus": self.send(whole + b"surplus")
            case "goes":
                self.send(whole)
                raise Gone
            case "empty": self.send(self.head(number, status=b"204 No Content"))
            case "until_close":
                self.send(self.head(number, b"Connection: close") + body)
                raise Gone
            case "chunked": self.chunked(number, body)
            case "dribble":
                for at in range(0, len(whole), len(whole) // 10 + 1):
                    self.send(whole[at:at + len(whole) // 10 + 1])
                    time.sleep(0.02)
            case "silent": raise Gone
            case "reset": self.reset()
            case "stall": time.sleep(STALL)
            case "half": self.send(half); raise Gone
            case "half_reset": self.send(half); self.reset()
            case "half_stall": self.send(half); time.sleep(STALL)
            case "malformed":
                self.send(random.choice(MALFORMED))
                raise Gone

    def chunked(self, number, body):
        self.send(self.head(number, b"Transfer-Encoding: chunked", b"Trailer: X-End"))
        at = 0
        while at < len(body):
            part = body[at:at + random.randrange(1, 30_000)]
            self.send(b"%x\r\n%b\r\n" % (len(part), part))
            at += len(part)
        self.send(b"0\r\nX-End: 1\r\n\r\n")


def serve(connection, log, context):
    # ValueError: a request that a client did not complete.
    with connection, contextlib.suppress(OSError, Gone, ValueError):
        if context:
            connection.settimeout(10)
            connection = context.wrap_socket(connection, server_side=True)
        connection.settimeout(60)
        with connection:
            Peer(connection, log).serve()


def main():
    port, path, *files = sys.argv[1:]
    context = None
    if files:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=512)
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(connection, log, context), daemon=True).start()


if __name__ == "__main__":
    main()
