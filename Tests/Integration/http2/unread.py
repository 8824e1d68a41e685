# SPDX-License-Identifier: MIT
"""Clients of HTTP/2 that ask for many large bodies and read nothing: the server, which counts, may send little.
unread.py TAPLINE
"""

import pathlib
import socket
import struct
import sys
import tempfile
import threading
import time

import h2.config
import h2.connection
import h2.events

from tools import LIMIT, Proxy, Server, fail, frame

CONNECTIONS = 4
STREAMS = 100
MIB = 1 << 20


class Origin(Server):
    """Sends each request as much content as it gets credit for."""

    def __init__(self):
        self.sent, self.lock = {}, threading.Lock()
        super().__init__()

    def total(self):
        with self.lock:
            return sum(self.sent.values())

    def serve(self, peer):
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="latin-1"))
        connection.initiate_connection()
        peer.sendall(connection.data_to_send())
        left = {}
        while data := peer.recv(1 << 16):
            for event in connection.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    left[event.stream_id] = int(dict(event.headers)[":path"][1:])
                    connection.send_headers(event.stream_id, [(":status", "200")])
                elif isinstance(event, h2.events.StreamReset):
                    left.pop(event.stream_id, None)
            for stream in list(left):
                while room := min(connection.local_flow_control_window(stream), 16384, left[stream]):
                    left[stream] -= room
                    connection.send_data(stream, b"x" * room, end_stream=left[stream] == 0)
                    with self.lock:
                        self.sent[peer, stream] = self.sent.get((peer, stream), 0) + room
                if left[stream] == 0:
                    del left[stream]
            peer.sendall(connection.data_to_send())


def deaf(port):
    """Asks for large bodies, with the largest windows, and reads nothing."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.connect(("127.0.0.1", port))
    peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, struct.pack(">HI", 4, 0x7FFFFFFF))
                 + frame(8, 0, 0, struct.pack(">I", 0x7FFFFFFF - 65535)))
    text = lambda name, value: b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value
    head = text(b":method", b"GET") + text(b":scheme", b"http") + text(b":authority", b"shop.test") + text(b":path", b"/5000000")
    for number in range(STREAMS):
        peer.sendall(frame(1, 5, 2 * number + 1, head))
    return peer


def settled(origin):
    """What the server has sent, once that was the same for half a second."""
    end = time.monotonic() + LIMIT
    last, since = -1, 0
    while last != origin.total() or time.monotonic() - since < 0.5:
        if last != origin.total():
            last, since = origin.total(), time.monotonic()
        if time.monotonic() > end:
            fail("the server is sent credit without an end")
        time.sleep(0.02)
    return last


def main():
    tapline = pathlib.Path(sys.argv[1]).resolve()
    origin = Origin()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        with Proxy(tapline, work, {"reverse": f'upstream: "h2c://127.0.0.1:{origin.port}"'}) as proxy:
            peers = [deaf(proxy.ports["reverse"]) for _ in range(CONNECTIONS)]
            while len(origin.sent) < CONNECTIONS * STREAMS:
                time.sleep(0.02)
            found = settled(origin) / MIB / CONNECTIONS
            # 16 KiB a stream, 1 MiB that all of them share for windows and for queues, and what the sockets hold.
            if found > 8:
                fail(f"the server may send {found:.1f} MiB to a client that reads nothing")
            for peer in peers:
                peer.close()
    print(f"http2: {STREAMS} bodies that nobody reads cost {found:.1f} MiB")


main()
