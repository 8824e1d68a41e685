# SPDX-License-Identifier: MIT
"""Responses of HTTP/1.1 within an upload, to curl with HTTP/2: it gets each of them, and the records agree.
early.py TAPLINE
"""

import pathlib
import socket
import subprocess
import sys
import tempfile

from tools import LIMIT, Proxy, Server, equal

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
    print(f"http2: curl gets {ROUNDS} responses within its uploads")


main()
