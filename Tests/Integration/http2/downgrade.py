#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sends malformed requests of HTTP/2 through the proxy to a server of HTTP/1.1, which reads strictly:
none may arrive in a form that can be read in two ways.   downgrade.py [TAPLINE]

The client writes frames and field blocks itself, as libraries refuse to send them.
"""

import collections
import dataclasses
import pathlib
import re
import socket
import ssl
import struct
import sys
import tempfile
import typing

import hpack

from downgrade_cases import Case, cases, request
from tools import LIMIT, Proxy, Server, intercepting, make_certificate

HERE = pathlib.Path(__file__).resolve().parent
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, CONTINUATION = 0, 1, 3, 4, 6, 7, 9
END_STREAM = ACK = 1
END_HEADERS = 4
TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
REQUEST_LINE = re.compile(rb"(" + TOKEN + rb") ([!-~\x80-\xff]+) HTTP/1\.1")
FIELD = re.compile(rb"(" + TOKEN + rb"): ?([!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?|)")


class Violation(Exception):
    pass


class Reader:
    """Reads HTTP/1.1 by its grammar, without any of the exceptions that servers make."""

    def __init__(self, peer):
        self.peer, self.data = peer, b""

    def fill(self):
        more = self.peer.recv(1 << 16)
        if not more:
            raise EOFError
        self.data += more

    def line(self):
        while b"\n" not in self.data:
            self.fill()
        line, self.data = self.data.split(b"\n", 1)
        if not line.endswith(b"\r") or b"\r" in line[:-1] or b"\0" in line:
            raise Violation(f"line {line + bytes([10])!r}")
        return line[:-1]

    def exactly(self, count):
        while len(self.data) < count:
            self.fill()
        part, self.data = self.data[:count], self.data[count:]
        return part

    def fields(self):
        found = []
        while line := self.line():
            match = FIELD.fullmatch(line)
            if not match:
                raise Violation(f"field line {line!r}")
            found.append((match[1].lower(), match[2]))
        return found

    def request(self):
        start = self.line()
        match = REQUEST_LINE.fullmatch(start)
        if not match:
            raise Violation(f"request line {start!r}")
        fields = self.fields()
        values = lambda name: [value for key, value in fields if key == name]
        hosts, lengths, codings = values(b"host"), values(b"content-length"), values(b"transfer-encoding")
        if len(hosts) != 1 or not re.fullmatch(rb"[0-9A-Za-z.:\[\],%-]+", hosts[0]):
            raise Violation(f"Host {hosts}")
        if len(lengths) + len(codings) > 1:
            raise Violation(f"Content-Length {lengths} and Transfer-Encoding {codings}")
        if lengths and not re.fullmatch(rb"0|[1-9][0-9]{0,17}", lengths[0]) or codings not in ([], [b"chunked"]):
            raise Violation(f"framing {lengths} {codings}")
        body, trailers = (self.exactly(int(lengths[0])), []) if lengths else self.chunks() if codings else (b"", [])
        if any(b"smuggled" in name for name, _ in fields + trailers):
            raise Violation(f"a smuggled field in {fields} {trailers}")
        if any(name in (b"host", b"content-length", b"transfer-encoding") for name, _ in trailers):
            raise Violation(f"trailers {trailers}")
        return match[1], match[2], body

    def chunks(self):
        body = b""
        while True:
            size = self.line()
            if not re.fullmatch(rb"[0-9a-fA-F]{1,16}", size):
                raise Violation(f"chunk size {size!r}")
            if int(size, 16) == 0:
                return body, self.fields()
            body += self.exactly(int(size, 16))
            if self.exactly(2) != b"\r\n":
                raise Violation("chunk without its end")


class Origin(Server):
    """Notes each request, and each violation of the grammar."""

    def __init__(self, context=None):
        self.context = context
        self.requests, self.violations = [], []
        super().__init__()

    def serve(self, peer):
        try:
            peer = self.context.wrap_socket(peer, server_side=True) if self.context else peer
            reader = Reader(peer)
            while True:
                request = reader.request()
                self.requests.append(request)
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        except Violation as violation:
            self.violations.append(str(violation))
        except (OSError, EOFError):
            pass
        peer.close()

    def taken(self):
        """Returns and forgets what has arrived."""
        found = self.requests, self.violations
        self.requests, self.violations = [], []
        return found


def integer(number, bits):
    """An integer of HPACK with a prefix of some bits (RFC 7541 §5.1)."""
    if number < (1 << bits) - 1:
        return bytes([number])
    written = bytearray([(1 << bits) - 1])
    number -= (1 << bits) - 1
    while number >= 128:
        written.append(number % 128 | 128)
        number //= 128
    return bytes(written) + bytes([number])


def block(fields, huffman):
    if huffman:
        return hpack.Encoder().encode(fields, huffman=True)
    return b"".join(b"\0" + integer(len(name), 7) + name + integer(len(value), 7) + value for name, value in fields)


class Client:
    """A connection of HTTP/2 that sends what it is told."""

    def __init__(self, connect):
        self.peer = connect()
        self.peer.settimeout(LIMIT)
        self.decoder, self.data, self.stream = hpack.Decoder(), b"", 1
        self.peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(SETTINGS, 0, 0, b""))

    @staticmethod
    def frame(kind, flags, stream, content):
        return struct.pack(">I", len(content))[1:] + struct.pack(">BBI", kind, flags, stream) + content

    def head(self, stream, fields, is_last, case=None):
        encoded = block(fields, case is not None and case.huffman)
        size = case.split if case and case.split else 16384
        pieces = [encoded[at:at + size] for at in range(0, len(encoded), size)] or [b""]
        frames = b""
        for number, piece in enumerate(pieces):
            flags = (END_HEADERS if number == len(pieces) - 1 else 0) | (END_STREAM if number == 0 and is_last else 0)
            frames += self.frame(HEADERS if number == 0 else CONTINUATION, flags, stream, piece)
        return frames

    def send(self, case):
        """Sends a request; returns its status, or how it was refused."""
        stream, self.stream = self.stream, self.stream + 2
        frames = self.head(stream, case.fields, not case.body and not case.trailers, case)
        for number, part in enumerate(case.body):
            is_last = number == len(case.body) - 1 and not case.trailers
            frames += self.frame(DATA, END_STREAM if is_last else 0, stream, part)
        if case.trailers:
            frames += self.head(stream, case.trailers, True)
        try:
            self.peer.sendall(frames)
            return self.outcome(stream)
        except TimeoutError:
            return "no answer"
        except OSError:
            return "closed"

    def exactly(self, count):
        while len(self.data) < count:
            more = self.peer.recv(1 << 16)
            if not more:
                raise ConnectionResetError
            self.data += more
        part, self.data = self.data[:count], self.data[count:]
        return part

    def outcome(self, stream):
        status = None
        while True:
            length, kind, flags, number = struct.unpack(">IBBI", b"\0" + self.exactly(9))
            content = self.exactly(length)
            if kind == SETTINGS and not flags & ACK:
                self.peer.sendall(self.frame(SETTINGS, ACK, 0, b""))
            elif kind == PING and not flags & ACK:
                self.peer.sendall(self.frame(PING, ACK, 0, content))
            elif kind == GOAWAY:
                return "goaway"
            elif kind == HEADERS:
                fields = dict(self.decoder.decode(content, raw=True))
                status = fields[b":status"].decode() if number == stream else status
            elif kind == RESET and number == stream:
                return status or "reset"
            if kind in (HEADERS, DATA) and flags & END_STREAM and number == stream:
                return status


def connection(port):
    return socket.create_connection(("127.0.0.1", port), LIMIT)


def tunnel(port, server, work):
    """A connection to the server in TLS, which the proxy reads."""
    peer = connection(port)
    peer.sendall(b"CONNECT localhost:%d HTTP/1.1\r\nHost: localhost:%d\r\n\r\n" % (server, server))
    head = b""
    while b"\r\n\r\n" not in head:
        head += peer.recv(1)
    context = ssl.create_default_context(cafile=str(work / "ca" / "root.pem"))
    context.set_alpn_protocols(["h2"])
    return context.wrap_socket(peer, server_hostname="localhost")


SENTINEL = (b"GET", b"/after", b"")


def judge(case, outcome, requests, violations):
    """Returns what is wrong, if anything is."""
    if violations:
        return f"arrives as {violations}"
    if outcome == "no answer":
        return "gets no answer"
    if not requests or requests[-1] != SENTINEL:
        return f"the next request does not arrive; {requests}"
    before = requests[:-1]
    if case.arrives:
        return None if before == [case.arrives] and outcome == "200" else f"{outcome}, arrives as {before}"
    if not case.opens and outcome == "200":
        return "is answered with 200"
    if case.may_arrive:
        return None if len(before) <= 1 else f"arrives as {before}"
    if before:
        return f"arrives as {before}"
    return f"is answered with {outcome}" if outcome and outcome.startswith("2") else None


@dataclasses.dataclass
class Way:
    """A way through the proxy to a server of HTTP/1.1."""

    name: str
    connect: typing.Callable
    origin: Origin
    authority: bytes = b"shop.test"
    scheme: bytes = b"http"
    prefix: bytes = b""  # of the targets that arrive

    def addressed(self, case):
        """The case with the server and the scheme of this way."""
        def value(name, value):
            if name in (b":authority", b"host") and value.startswith(b"shop.test"):
                return self.authority + value.removeprefix(b"shop.test")
            return self.scheme + value.removeprefix(b"http") if name == b":scheme" and value.startswith(b"http") else value
        return dataclasses.replace(case, fields=[(name, value(name, text)) for name, text in case.fields])

    def taken(self):
        requests, violations = self.origin.taken()
        violations += [f"target {target}" for _, target, _ in requests if not target.startswith(self.prefix)]
        return [(method, target.removeprefix(self.prefix) or b"*", body) for method, target, body in requests], violations

    def run(self, outcomes):
        """Sends each case, and an ordinary request after it; returns what is wrong."""
        failures, client = [], Client(self.connect)
        after = self.addressed(Case("after", request(path=SENTINEL[1])))
        for case in cases():
            outcome = client.send(self.addressed(case))
            if outcome in ("goaway", "closed", "no answer") or client.send(after) != "200":
                client.peer.close()
                client = Client(self.connect)
                if client.send(after) != "200":
                    failures.append(f"{self.name}: {case.name}: nothing is served any more")
            outcomes.update([outcome, "200"])
            wrong = judge(case, outcome, *self.taken())
            if wrong:
                failures.append(f"{self.name}: {case.name}: {wrong}")
        client.peer.close()
        return failures


def ways(ports, plain, secure, work):
    direct = lambda name: lambda: connection(ports[name])
    return [Way("reverse", direct("reverse"), plain), Way("preserve_host", direct("preserve_host"), plain),
            Way("parent", direct("parent"), plain, prefix=b"http://shop.test"),
            Way("forward", direct("forward"), plain, b"127.0.0.1:%d" % plain.port),
            Way("intercepted", lambda: tunnel(ports["forward"], secure.port, work), secure, b"localhost:%d" % secure.port, b"https")]


def main():
    tapline = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE / "../../../.build/debug/tapline").resolve()
    failures, outcomes = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_certificate(work)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(work / "cert.pem", work / "key.pem")
        plain, secure = Origin(), Origin(context)
        server = f"http://127.0.0.1:{plain.port}"
        sources = {"reverse": f'upstream: "{server}"', "preserve_host": f'upstream: "{server}", preserve_host: true',
                   "parent": f'parent: {{ url: "{server}" }}', "forward": intercepting(work)}
        with Proxy(tapline, work, sources) as proxy:
            all_ways = ways(proxy.ports, plain, secure, work)
            for way in all_ways:
                failures += way.run(outcomes)
    recorded = collections.Counter(record.get("error", {}).get("code", record["state"]) for record in proxy.records)
    refused = outcomes["reset"] + outcomes["431"]
    # A request that ends its connection need not be recorded.
    # The server does not open the WebSocket that a client asks for.
    expected = [{"completed": outcomes["200"], "malformed_request": count, "stream_tunnel": outcomes["501"],
                 "malformed_response": outcomes["502"]}
                for count in (refused, refused + outcomes["goaway"])]
    if recorded not in expected:
        failures.append(f"clients saw {dict(outcomes)}, recorded are {dict(recorded)}")
    for failure in failures:
        print(f"downgrade: {failure}", file=sys.stderr)
    count = len(list(cases()))
    if failures:
        sys.exit(f"downgrade: {len(failures)} of {len(all_ways) * count} requests")
    print(f"downgrade: {count} requests in {len(all_ways)} ways, none can be read in two ways")


main()
