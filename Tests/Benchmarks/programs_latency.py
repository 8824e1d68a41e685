#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measures what a stage `process` with `mode: wire` adds to a proxied request: the same pipeline without a
stage, with a program in C and with one in Python, which take turns with each request.

    programs_latency TAPLINE PROGRAM.c PROGRAM.py [--requests N]
"""

import argparse
import contextlib
import json
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from servers import ROOT, Failure, Server, free_ports

GOAL = 150  # Microseconds added at the median.
WARM_UP = 200  # Requests that are not counted.


def pipeline(port, origin, command):
    """Returns a pipeline as JSON, which is YAML, too; a failing hook closes the connection."""
    stage = {"process": {"command": command, "mode": "wire", "sees_secrets": True}, "on_error": "abort"}
    return json.dumps({
        "version": 1,
        "sources": [{"proxy": {"listen": f"127.0.0.1:{port}", "upstream": f"http://127.0.0.1:{origin}", "threads": 1}}],
        "stages": [stage] if command else [],
        "sinks": [{"ndjson": {"path": "/dev/null"}}],
    })


@contextlib.contextmanager
def origin(folder):
    """Runs a server that answers each request with 100 bytes; yields its port."""
    program = folder / "receiver"
    subprocess.run(["cc", "-O2", "-o", program, ROOT / "Tests/Benchmarks/replay_receiver.c"], check=True)
    with subprocess.Popen([program, folder / "times", "100", "1"], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline())
        finally:
            process.send_signal(signal.SIGTERM)


class Client:
    """One kept connection to a proxy."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = (f"GET /items/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: application/json\r\n"
                        "User-Agent: benchmark\r\n\r\n").encode()

    def fetch(self):
        """Sends a request; returns the nanoseconds until the whole response is there."""
        begin = time.perf_counter_ns()
        self.socket.sendall(self.request)
        response = b""
        while not response.endswith(b"x" * 100):
            part = self.socket.recv(65536)
            if not part:
                raise Failure("a proxy has closed the connection")
            response += part
        taken = time.perf_counter_ns() - begin
        if not response.startswith(b"HTTP/1.1 200 "):
            raise Failure("a response is not the origin's")
        return taken


def measure(clients, count):
    """Returns the times of each client in microseconds; the clients take turns."""
    times = [[] for _ in clients]
    for number in range(WARM_UP + count):
        for index in range(len(clients)):
            turn = (number + index) % len(clients)
            taken = clients[turn].fetch() / 1000
            if number >= WARM_UP:
                times[turn].append(taken)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("tapline")
    parser.add_argument("programs", nargs=2)
    parser.add_argument("--requests", type=int, default=20_000)
    options = parser.parse_args()
    compiled, script = options.programs
    variants = {"none": None, "in C": [compiled], "in Python": ["/usr/bin/python3", script]}
    with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
        folder = pathlib.Path(path)
        upstream = stack.enter_context(origin(folder))
        clients, logs = [], []
        for (name, command), port in zip(variants.items(), free_ports(len(variants))):
            place = folder / name.replace(" ", "-")
            place.mkdir()
            (place / "pipeline.yaml").write_text(pipeline(port, upstream, command))
            server = stack.enter_context(contextlib.closing(
                Server([options.tapline, "run", "pipeline.yaml"], place, port, None)))
            clients.append(Client(port))
            logs.append((command, server.log))
        times = measure(clients, options.requests)
        for command, log in logs:
            if command and "the plugin is running: keep" not in log.read_text(errors="replace"):
                raise Failure("a program did not run")
        print(f"| stage `process`, `mode: wire` | median, µs | p99, µs | added at the median, µs (goal: {GOAL}) |\n"
              "|---|---:|---:|---:|")
        for name, taken in zip(variants, times):
            added = statistics.median(one - base for one, base in zip(taken, times[0]))
            print(f"| {name} | {statistics.median(taken):.1f} | {statistics.quantiles(taken, n=100)[98]:.1f} "
                  f"| {f'{added:.1f}' if taken is not times[0] else ''} |")


try:
    main()
except Failure as error:
    sys.exit(f"programs_latency: {error}")
