# SPDX-License-Identifier: MIT
"""What the checks of HTTP/2 share: ports, a certificate, the proxy as a process."""

import json
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

LIMIT = 20


def fail(text):
    sys.exit(f"http2: {text}")


def equal(found, expected, what):
    if found != expected:
        fail(f"{what}: found {found}, expected {expected}")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def until_open(*ports):
    end = time.monotonic() + 60
    for port in ports:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                if time.monotonic() > end:
                    fail(f"nothing listens on {port}")
                time.sleep(0.02)


def run(*words, seconds=120, **more):
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=seconds, **more)
    if result.returncode != 0:
        fail(f"{words}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    return result.stdout


def frame(kind, flags, stream, payload):
    """A frame of HTTP/2."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class Server:
    """Listens on a port of its own, and serves each connection on a thread."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            peer, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        raise NotImplementedError


def make_certificate(work):
    """Makes `cert.pem` and `key.pem` for localhost."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost", "-days", "2", "-keyout", work / "key.pem", "-out", work / "cert.pem")


class Proxy:
    """Runs `tapline run` with some sources, and has the records afterwards."""

    def __init__(self, tapline, work, sources):
        """`sources` are names and options of proxies; a port for each is in `ports`."""
        self.work, self.records = work, []
        self.ports = dict(zip(sources, free_ports(len(sources))))
        text = "version: 1\nsources:\n"
        for name, options in sources.items():
            text += f'  - id: {name}\n    proxy: {{ listen: "127.0.0.1:{self.ports[name]}", {options} }}\n'
        (work / "pipeline.yaml").write_text(f'{text}sinks:\n  - ndjson: {{ path: "{work}/out.ndjson" }}\n')
        self.words = [tapline, "run", str(work / "pipeline.yaml")]

    def __enter__(self):
        with open(self.work / "tapline.log", "wb") as log:
            self.process = subprocess.Popen(self.words, stderr=log)
        try:
            until_open(*self.ports.values())
        except SystemExit:
            self.process.kill()
            fail((self.work / "tapline.log").read_text())
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.process.kill()
            return
        self.process.send_signal(signal.SIGINT)
        try:
            equal(self.process.wait(LIMIT), 0, "exit code of the proxy")
        finally:
            self.process.kill()
        self.records = [json.loads(line) for line in (self.work / "out.ndjson").read_text().splitlines()]


def intercepting(work):
    """The options of a forward proxy that reads TLS and trusts the servers of the check."""
    return f'intercept: true, ca: "{work}/ca", authorities: "{work}/cert.pem"'
