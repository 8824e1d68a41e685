# SPDX-License-Identifier: MIT
"""Responses of HTTP/1.1, malformed and odd ones, to a client of HTTP/2 that validates what it gets: each is
either forwarded as one valid message or refused, and recorded like that.   responses.py TAPLINE
"""

import collections
import pathlib
import socket
import sys
import tempfile

import h2.config
import h2.connection
import h2.events

from tools import LIMIT, Proxy, Server, equal, fail

OK = b"HTTP/1.1 200 OK\r\n"
END = b"Content-Length: 2\r\n\r\nok"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n"

# Answered with 502: the response could be read in two ways, or cannot be written in HTTP/2.
REFUSED = {
    "a pseudo-field": OK + b":status: 500\r\n" + END,
    "an empty name": OK + b": a\r\n" + END,
    "a length and chunks": OK + b"Content-Length: 2\r\n" + CHUNKED + b"\r\n",
    "two lengths": OK + b"Content-Length: 2\r\n" + END,
    "a list of lengths": OK + b"Content-Length: 2, 2\r\n\r\nok",
    "a signed length": OK + b"Content-Length: +2\r\n\r\nok",
    "chunks in another coding": OK + b"Transfer-Encoding: chunked, gzip\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    "an unknown coding": OK + b"Transfer-Encoding: xchunked\r\n\r\nok",
    "NUL in a value": OK + b"X: a\0b\r\n" + END,
    "CR in a value": OK + b"X: a\rb\r\n" + END,
    "LF as the end of a line": OK + b"X: a\nY: b\r\n" + END,
    "DEL in a value": OK + b"X: a\x7f\r\n" + END,
    "a folded line": OK + b"X: a\r\n b\r\n" + END,
    "a space before the colon": OK + b"X : a\r\n" + END,
    "a space in a name": OK + b"X Y: a\r\n" + END,
    "an unexpected 101": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nok",
    "a status below 100": b"HTTP/1.1 099 X\r\n" + END,
    "a status of four digits": b"HTTP/1.1 1000 X\r\n" + END,
    "no status line": b"ok",
    "another version": b"HTTP/2.0 200 OK\r\n" + END,
    "300 fields": OK + b"X: a\r\n" * 300 + END,
}
# The head has been sent: the stream is reset.
BROKEN = {
    "a pseudo-field in trailers": OK + CHUNKED + b":status: 500\r\n\r\n",
    "a space in the name of a trailer": OK + CHUNKED + b"X Y: a\r\n\r\n",
    "NUL in a trailer": OK + CHUNKED + b"X: a\0b\r\n\r\n",
    "a chunk size that is none": OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\nx\r\n\r\n",
    "a body that is too short": OK + b"Content-Length: 5\r\n\r\nok",
}
# Forwarded, with these fields and trailers among those that may be there.
FORWARDED = {
    "fields of the connection": (OK + b"Connection: close, x-hop\r\nX-Hop: 1\r\nKeep-Alive: a\r\nProxy-Connection: a\r\n"
                                 b"Upgrade: h2c\r\nTE: gzip\r\nHTTP2-Settings: a\r\nX-Up: Case\r\n" + END, {b"x-up": b"Case"}),
    "white space around a value": (OK + b"X-Up: \t a \t\r\n" + END, {b"x-up": b"a"}),
    "an empty value": (OK + b"X-Up:  \t \r\n" + END, {b"x-up": b""}),
    "bytes above 0x7F": (OK + b"X-Up: \xff\xe4\r\n" + END, {b"x-up": b"\xff\xe4"}),
    "trailers about the connection": (OK + CHUNKED + b"X-Up: 1\r\nConnection: a\r\nContent-Length: 9\r\nTransfer-Encoding: a\r\n\r\n",
                                      {b"x-up": b"1"}),
    "a body until the end": (OK + b"\r\nok", {}),
    "an old version": (b"HTTP/1.0 200 OK\r\n\r\nok", {}),
    "interim responses": (b"HTTP/1.1 103 Early\r\nConnection: a\r\n\r\n" * 3 + OK + END, {}),
    "a second response": (OK + END + OK + b"Content-Length: 3\r\n\r\nbad", {}),
}
OWN = {b":status", b"via", b"content-length"}


class Origin(Server):
    """Answers each connection with `answer`, and closes it."""

    def __init__(self):
        self.answer = b""
        super().__init__()

    def serve(self, peer):
        try:
            head = b""
            while b"\r\n\r\n" not in head:
                head += peer.recv(1 << 16)
            peer.sendall(self.answer)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(1 << 16):
                pass
        except OSError:
            pass
        peer.close()


def ask(port):
    """Sends a request; returns the status, the fields and trailers, the body, and whether the stream was reset."""
    with socket.create_connection(("127.0.0.1", port), LIMIT) as peer:
        connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding=None))
        connection.initiate_connection()
        fields = [(b":method", b"GET"), (b":scheme", b"http"), (b":authority", b"shop.test"), (b":path", b"/")]
        connection.send_headers(1, fields, end_stream=True)
        peer.sendall(connection.data_to_send())
        status, found, body = None, {}, b""
        while data := peer.recv(1 << 16):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    status = int(dict(event.headers)[b":status"])
                if isinstance(event, (h2.events.ResponseReceived, h2.events.TrailersReceived)):
                    found.update(event.headers)
                elif isinstance(event, h2.events.DataReceived):
                    body += event.data
                elif isinstance(event, (h2.events.StreamReset, h2.events.StreamEnded)):
                    return status, found, body, isinstance(event, h2.events.StreamReset)
            peer.sendall(connection.data_to_send())
    fail("the connection ends before the response")


def main():
    tapline = pathlib.Path(sys.argv[1]).resolve()
    origin = Origin()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        with Proxy(tapline, work, {"reverse": f'upstream: "http://127.0.0.1:{origin.port}"'}) as proxy:
            port = proxy.ports["reverse"]
            for name, origin.answer in REFUSED.items():
                status, _, _, is_reset = ask(port)
                equal((status, is_reset), (502, False), name)
            for name, origin.answer in BROKEN.items():
                status, _, body, is_reset = ask(port)
                equal((status, body, is_reset), (200, b"ok", True), name)
            for name, (origin.answer, expected) in FORWARDED.items():
                status, found, body, is_reset = ask(port)
                equal((status, body, is_reset), (200, b"ok", False), name)
                equal({key: value for key, value in found.items() if key not in OWN}, expected, name)
    found = collections.Counter(record.get("error", {}).get("code", record["state"]) for record in proxy.records)
    # One of them ends too early, and the others are malformed.
    equal(found, {"malformed_response": len(REFUSED) + len(BROKEN) - 1, "closed_early": 1, "completed": len(FORWARDED)}, "records")
    print(f"http2: {len(proxy.records)} responses of HTTP/1.1 are forwarded or refused as a whole")


main()
