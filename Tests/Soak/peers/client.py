#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clients that use a proxy correctly and incorrectly, and log what they sent and received.

    client.py NAME SECONDS PROXY PLAIN,PORTS SECURE AUTHORITY LOG

Each request has a unique id, in its path and in its field X-Id. LOG gets lines of JSON: `begin` before a
request is sent, `sent` after its head is sent, `end` with the result. The result is `whole` (the complete
response of the server to this request), `page` (a response of the proxy), `cut` (a part of a response, or
none), `left` (the client disconnected) or `wrong`.
"""

import json
import os
import random
import socket
import ssl
import struct
import sys
import threading
import time

from server import content

NAME, SECONDS, PROXY, PLAIN, SECURE, AUTHORITY, LOG = sys.argv[1:]
END = time.monotonic() + float(SECONDS)
PORTS = [int(port) for port in PLAIN.split(",")]
THREADS = 16
LOG = os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
TLS = ssl.create_default_context(cafile=AUTHORITY)

GOOD = ["whole"] * 8 + ["interim", "surplus", "goes", "empty", "until_close", "chunked", "chunked",
                        "dribble"]
BAD = ["silent", "reset", "half", "half_reset", "malformed"]
SLOW = ["stall", "half_stall"]
EARLY = ["early_gone", "early_kept"]
SIZES = [0, 5, 200, 200, 3000, 70_000, 400_000]


def note(**values):
    os.write(LOG, json.dumps(values).encode() + b"\n")


class Request:
    """One request, and its log entries."""

    def __init__(self, chance, number, host, way=None, size=None, version=b"1.1", secure=False):
        kinds = GOOD * 6 + BAD * 3 + SLOW + EARLY
        self.way = way or chance.choice(kinds)
        self.id = f"{NAME}-{number}".encode()
        self.size = chance.choice(SIZES) if size is None else size
        body = chance.choice([0, 0, 0, 10, 50_000]) if self.way not in EARLY else 300_000
        self.body = b"b" * body
        self.is_chunked = body > 0 and chance.random() < 0.3 and version == b"1.1"
        method = b"POST" if body else b"GET"
        target = b"/%b/%d/%b" % (self.way.encode(), self.size, self.id)
        if not secure:
            target = b"http://" + host + target
        fields = [b"Host: " + host, b"X-Id: " + self.id]
        if self.is_chunked:
            fields.append(b"Transfer-Encoding: chunked")
        elif body:
            fields.append(b"Content-Length: %d" % body)
        self.head = b"%b %b HTTP/%b\r\n" % (method, target, version)
        self.head += b"".join(field + b"\r\n" for field in fields) + b"\r\n"

    @property
    def wire(self):
        if not self.is_chunked:
            return self.head + self.body
        return self.head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(self.body), self.body)

    def begin(self, **more):
        note(id=self.id.decode(), e="begin", way=self.way, repeats=not self.body, **more)

    def sent(self):
        note(id=self.id.decode(), e="sent")

    def end(self, saw, **more):
        note(id=self.id.decode(), e="end", saw=saw, at=time.monotonic(), **more)


class Answer:
    """Reads one response; `count` is its size in bytes."""

    def __init__(self, reader):
        self.reader, self.count = reader, 0
        self.status, self.keeps = 0, False

    def line(self):
        line = self.reader.readline()
        self.count += len(line)
        if not line.endswith(b"\n"):
            raise EOFError
        return line

    def take(self, count):
        data = self.reader.read(count)
        self.count += len(data)
        return data

    def read(self, request):
        """Reads the response to a request and returns the result."""
        self.status = 100
        while self.status < 200:
            self.status, fields = int(self.line().split()[1]), {}
            while (field := self.line()) != b"\r\n":
                name, _, value = field.partition(b":")
                fields[name.lower()] = value.strip()
        self.keeps = fields.get(b"connection", b"").lower() != b"close"
        is_page = b"x-soak" not in fields
        if b"transfer-encoding" in fields:
            body = b""
            while size := int(self.line(), 16):
                body += self.take(size)
                self.line()
            while self.line() != b"\r\n":
                pass
        elif b"content-length" in fields:
            size = int(fields[b"content-length"])
            body = self.take(size)
            if len(body) < size:
                raise EOFError
        elif self.status == 204:
            body = b""
        else:
            body, self.keeps = self.take(1 << 30), False
        if is_page:
            return "page"
        is_right = fields[b"x-soak"] == request.id
        expected = content(request.id, request.size) if request.way != "empty" else b""
        if request.way in EARLY:
            return "whole" if is_right and body == b"large" else "wrong"
        if request.way == "until_close":
            # A server that dies looks like one that has sent everything.
            return "whole" if is_right and expected.startswith(body) else "wrong"
        return "whole" if is_right and body == expected else "wrong"


class Client:
    """The requests of one thread."""

    def __init__(self, index):
        self.index, self.count = index, 0
        self.chance = random.Random(f"{NAME} {index}")
        self.connection = None

    def next_id(self):
        self.count += 1
        return f"{self.index}-{self.count}"

    def request(self, **words):
        host = self.chance.choice([b"127.0.0.1", b"localhost"])
        return Request(self.chance, self.next_id(),
                       b"%b:%d" % (host, self.chance.choice(PORTS)), **words)

    def connect(self, receive=0):
        connection = socket.socket()
        if receive:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        connection.settimeout(60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.connect(("127.0.0.1", int(PROXY)))
        return connection

    def leave(self, request, **words):
        """Disconnects, with a reset or normally."""
        resets = self.chance.random() < 0.5
        if resets:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        request.end("left", resets=resets, **words)

    def run(self):
        ways = [self.kept] * 6 + [self.single] * 3 + [
            self.pipelined, self.half_closed, self.leaves_head, self.leaves_body,
            self.leaves_waiting, self.leaves_reading, self.sips, self.creeps, self.secure,
            self.tunnel, self.old]
        stuck = [self.stuck_head, self.stuck_body]
        while time.monotonic() < END:
            way = self.chance.choice(stuck if self.chance.random() < 0.01 else ways)
            try:
                way()
            except ConnectionRefusedError:
                return  # The proxy has exited.
            except OSError:
                pass  # The proxy exited during the request; the record must match this.
            finally:
                if self.connection:
                    self.connection.close()
                    self.connection = None

    def finish(self, request, reader, sent=None):
        """Reads and logs the response; returns whether the connection can be used again."""
        answer = Answer(reader)
        try:
            saw = answer.read(request)
        except TimeoutError:
            request.end("wrong", text="no response for a minute")
            return False
        except (OSError, EOFError, ValueError, IndexError):
            request.end("cut", down=answer.count)
            return False
        request.end(saw, status=answer.status, down=answer.count, up=sent)
        return saw != "wrong" and answer.keeps

    def send(self, connection, request):
        """Sends the request; returns its size, or None if an early response stops the proxy from reading."""
        try:
            connection.sendall(request.head)
            request.sent()
            connection.sendall(request.wire[len(request.head):])
        except OSError:
            return None
        return len(request.wire)

    # The kinds of clients.

    def exchange(self, connection, reader, **words):
        request = self.request(**words)
        request.begin()
        sent = self.send(connection, request)
        return self.finish(request, reader, sent)

    def single(self):
        self.connection = self.connect()
        self.exchange(self.connection, self.connection.makefile("rb"))

    def old(self):
        self.connection = self.connect()
        self.exchange(self.connection, self.connection.makefile("rb"), version=b"1.0")

    def kept(self):
        self.connection = self.connect()
        reader = self.connection.makefile("rb")
        for _ in range(self.chance.randrange(2, 12)):
            if not self.exchange(self.connection, reader):
                return

    def pipelined(self):
        self.connection = self.connect()
        requests = [self.request(way="whole") for _ in range(4)]
        for place, request in enumerate(requests):
            request.begin(position=place)
        try:
            self.connection.sendall(b"".join(request.wire for request in requests))
        except OSError:
            pass
        reader = self.connection.makefile("rb")
        for place, request in enumerate(requests):
            if not self.finish(request, reader):
                for late in requests[place + 1:]:
                    late.end("left")
                return

    def half_closed(self):
        self.connection = self.connect()
        request = self.request()
        request.begin()
        sent = self.send(self.connection, request)
        if sent:
            self.connection.shutdown(socket.SHUT_WR)
        self.finish(request, self.connection.makefile("rb"), sent)

    def leaves_head(self):
        self.connection = self.connect()
        request = self.request()
        request.begin(none=True)
        self.connection.sendall(request.head[:self.chance.randrange(len(request.head))])
        self.leave(request)

    def leaves_body(self):
        self.connection = self.connect()
        request = self.request(way="whole")
        if len(request.wire) == len(request.head):
            return
        request.begin()
        part = self.chance.randrange(len(request.head), len(request.wire))
        try:
            self.connection.sendall(request.wire[:part])
            request.sent()
        except OSError:
            pass
        self.leave(request, part=True)

    def leaves_waiting(self):
        self.connection = self.connect()
        request = self.request()
        request.begin()
        self.send(self.connection, request)
        time.sleep(self.chance.random() / 20)
        self.leave(request)

    def leaves_reading(self):
        self.connection = self.connect(receive=8192)
        request = self.request(way="whole", size=2_000_000)
        request.begin()
        self.send(self.connection, request)
        try:
            self.connection.recv(1000)
        except OSError:
            pass
        self.leave(request)

    def sips(self):
        self.connection = self.connect(receive=32_768)
        request = self.request(way="whole", size=8_000_000)
        request.begin()
        sent = self.send(self.connection, request)
        reader = self.connection.makefile("rb")
        time.sleep(1)  # Reads nothing meanwhile, so that the proxy holds the rest.
        self.finish(request, reader, sent)

    def creeps(self):
        self.connection = self.connect()
        request = self.request(way="whole")
        request.begin()
        wire, step = request.wire, len(request.wire) // 30 + 1
        sent = len(wire)
        try:
            for at in range(0, len(wire), step):
                self.connection.sendall(wire[at:at + step])
                time.sleep(0.01)
            request.sent()
        except OSError:
            sent = None
        self.finish(request, self.connection.makefile("rb"), sent)

    def stuck_head(self):
        self.connection = self.connect()
        request = self.request()
        request.begin(none=True)
        self.connection.sendall(request.head[:-2])
        self.finish(request, self.connection.makefile("rb"))

    def stuck_body(self):
        self.connection = self.connect()
        request = self.request(way="whole")
        if len(request.wire) == len(request.head):
            return
        request.begin()
        self.connection.sendall(request.wire[:-1])
        request.sent()
        self.finish(request, self.connection.makefile("rb"))

    def open_tunnel(self, host, number):
        """Sends CONNECT, which also has an id; returns whether the tunnel is open."""
        self.connection.sendall(b"CONNECT %b HTTP/1.1\r\nHost: %b\r\nX-Id: %b\r\n\r\n"
                                % (host, host, number))
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            part = self.connection.recv(1)
            if not part:
                return False
            answer += part
        return answer.startswith(b"HTTP/1.1 200 ")

    def tunnel(self):
        """A tunnel that is not intercepted."""
        self.connection = self.connect()
        request = self.request(secure=True)
        request.begin(tunnel=True)
        head = request.head.partition(b"Host: ")[2].partition(b"\r\n")[0]
        host = b"127.0.0.1" + head[head.index(b":"):]
        try:
            if self.open_tunnel(host, request.id):
                self.connection.sendall(b"\0" + request.wire)
                self.connection.recv(1000)
        except OSError:
            pass
        request.sent()
        self.leave(request)

    def secure(self):
        """An intercepted tunnel: the requests in it are the exchanges."""
        self.connection = self.connect()
        host = b"localhost:" + SECURE.encode()
        try:
            if not self.open_tunnel(host, b"opened"):
                return
            self.connection = TLS.wrap_socket(self.connection, server_hostname="localhost")
        except OSError:
            return
        reader = self.connection.makefile("rb")
        for _ in range(self.chance.randrange(1, 6)):
            request = Request(self.chance, self.next_id(), host, secure=True)
            request.begin()
            sent = self.send(self.connection, request)
            if not self.finish(request, reader, sent):
                return


def main():
    clients = [Client(index) for index in range(THREADS)]
    threads = [threading.Thread(target=client.run) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
