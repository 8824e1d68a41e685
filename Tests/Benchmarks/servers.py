# SPDX-License-Identifier: MIT
"""Servers that the benchmarks start on loopback, and the programs that they build."""

import collections
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OPTIMIZED = ROOT / ".build/release"


class Failure(Exception):
    """A server does not do the measured work."""


class Server:
    """A running server, started by the initializer and stopped by `close`; on a processor or, with None, on all."""

    def __init__(self, words, folder, port, processor, seconds=30):
        self.log = folder / "output"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                preexec_fn=lambda: processor is None or os.sched_setaffinity(0, {processor}))
        self.port = port
        end = time.monotonic() + seconds
        while not accepts(port):
            if self.process.poll() is not None or time.monotonic() > end:
                output = self.log.read_text(errors="replace")[-2000:]
                self.close()
                raise Failure(f"'{' '.join(words)}' does not listen: {output}")
            time.sleep(0.02)

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                for pid in family(self.process.pid):
                    os.kill(pid, signal.SIGKILL)
                self.process.wait(10)

    def processor_time(self):
        """Returns the processor time of all threads and child processes, in microseconds."""
        total = 0
        for pid in family(self.process.pid):
            for task in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat"):
                try:
                    total += int(task.read_text().split()[0])
                except (FileNotFoundError, ProcessLookupError):
                    continue
        return total / 1000


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def family(pid):
    """Returns a process and all its descendants, parents first."""
    children = collections.defaultdict(list)
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        children[int(words[1])].append(int(stat.parent.name))
    found = [pid]
    for one in found:
        found += children[one]
    return found


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def build(product):
    """Builds a program in release mode; returns its path."""
    subprocess.run([ROOT / "Tests/Benchmarks/build", product], check=True, stdout=sys.stderr)
    return str(OPTIMIZED / product)
