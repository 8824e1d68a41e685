# SPDX-License-Identifier: MIT
"""Responses within an upload: of HTTP/1.1, to curl with HTTP/2, which gets each of them, and of a server of
HTTP/2 that takes no more of the upload, whose streams are cancelled.
early.py TAPLINE
"""

import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

from tools import LIMIT, Proxy, Server, equal, fail, frame

UPLOAD = 3_000_000
ROUNDS = 10
PAGE = b"too large\n"


class Origin(Server):
    """Answers each request after a part of its body, and reads the rest until the connection ends."""

    def serve(self, peer):
        try:
            received = b""
            while b"\r\n\r\n" not in received or len(received) < 50_000:
                received += peer.recv(1 << 16)
            peer.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(PAGE) + PAGE)
            peer.shutdown(socket.SHUT_WR)
            while peer.recv(1 << 16):
                pass
        except OSError:
            pass
        peer.close()


class StreamOrigin(Server):
    """Takes the window of each upload, answers it when it is told to, and neither takes nor resets the rest."""

    WINDOW = 1000

    def __init__(self):
        # The uploads that have filled their window, and the codes of the resets.
        self.full, self.codes, self.changed = [], {}, threading.Condition()
        super().__init__()

    def serve(self, peer):
        stream = peer.makefile("rb")
        stream.read(24)
        peer.sendall(frame(4, 0, 0, struct.pack(">HI", 4, self.WINDOW)))
        sizes = {}
        while head := stream.read(9):
            size, kind, flags, number = int.from_bytes(head[:3], "big"), head[3], head[4], int.from_bytes(head[5:], "big")
            payload = stream.read(size)
            if kind == 4 and not flags & 1:
                peer.sendall(frame(4, 1, 0, b""))
            if kind == 1 and flags & 1:
                peer.sendall(frame(1, 5, number, b"\x88"))
            with self.changed:
                if kind == 0:
                    sizes[number] = sizes.get(number, 0) + size
                    if sizes[number] == self.WINDOW:
                        self.full.append((peer, number))
                elif kind == 3:
                    self.codes[number] = int.from_bytes(payload, "big")
                self.changed.notify()

    def wait(self, condition, what):
        with self.changed:
            if not self.changed.wait_for(condition, LIMIT):
                fail(f"{what}: streams {self.full} are full, resets {self.codes}")

    def answer(self):
        """Answers the next upload."""
        self.wait(lambda: self.full, "an upload")
        peer, number = self.full.pop()
        # The rest of a small upload has reached the proxy by then.
        time.sleep(0.05)
        peer.sendall(frame(1, 4, number, b"\x88") + frame(0, 1, number, PAGE))


def untaken(tapline, work):
    """Small uploads are whole when they are answered; large ones are not."""
    origin = StreamOrigin()
    options = f'upstream: "h2c://127.0.0.1:{origin.port}", idle_timeout: 2s, threads: 1'
    sizes = (5000, 5000, UPLOAD, UPLOAD)
    with Proxy(tapline, work, {"reverse": options}) as proxy:
        url = f"http://127.0.0.1:{proxy.ports['reverse']}/"
        # After the first response the proxy knows the window.
        subprocess.run(["curl", "-sS", "-m", str(LIMIT), url], check=True)
        for size, version in zip(sizes, ("--http1.1", "--http2-prior-knowledge") * 2):
            (work / "upload").write_bytes(b"x" * size)
            words = ["curl", "-sS", "-m", str(LIMIT), version, "-H", "Expect:", "-T", str(work / "upload"), url]
            curl = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            origin.answer()
            # curl 7.88 fails if its upload was reset, but shows the response.
            equal(curl.communicate(timeout=2 * LIMIT)[0], PAGE, f"what curl sees of {version}")
        origin.wait(lambda: len(origin.codes) == len(sizes), "resets")
    equal(set(origin.codes.values()), {8}, "codes of the resets")
    equal([record["state"] for record in proxy.records], ["completed"] * (1 + len(sizes)), "states of untaken uploads")


def main():
    tapline = pathlib.Path(sys.argv[1]).resolve()
    origin = Origin()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "upload").write_bytes(b"x" * UPLOAD)
        with Proxy(tapline, work, {"reverse": f'upstream: "http://127.0.0.1:{origin.port}"'}) as proxy:
            words = ["curl", "-sS", "-m", str(LIMIT), "--http2-prior-knowledge", "-T", str(work / "upload"), "-w", "%{http_code}",
                     f"http://127.0.0.1:{proxy.ports['reverse']}/"]
            found = [subprocess.run(words, capture_output=True, timeout=2 * LIMIT) for _ in range(ROUNDS)]
    seen = [(each.returncode, each.stdout, each.stderr) for each in found]
    equal(seen, [(0, PAGE + b"413", b"")] * ROUNDS, "what curl sees")
    states = [(record["state"], record["response"]["status"], record["response"]["body"]["size"]) for record in proxy.records]
    equal(states, [("completed", 413, len(PAGE))] * ROUNDS, "records")
    with tempfile.TemporaryDirectory() as folder:
        untaken(tapline, pathlib.Path(folder))
    print(f"http2: curl gets {ROUNDS} responses within its uploads")


main()
