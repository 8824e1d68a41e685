# SPDX-License-Identifier: MIT
"""Shared code of the soak tests: the command, records, pipelines, the table of counters."""

import contextlib
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TAPLINE = os.environ.get("TAPLINE", str(ROOT / ".build/release/tapline"))
IS_SHORT = "--short" in sys.argv[1:]


ORIGIN = """
daemon off; master_process off; pid nginx.pid; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000;
  server {
    listen 127.0.0.1:%d; root .; default_type text/plain;
    location /slow { limit_rate 100k; }
    location /moved { return 302 /small; }
  }
}
"""


class Failure(Exception):
    """A requirement that is not met."""


def require(holds, text):
    if not holds:
        raise Failure(text)


def record_id(number):
    """Returns a UUIDv7; the ids have the same order as the numbers."""
    milliseconds = f"{1_795_183_380_000 + number:012x}"
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7000-8000-{number:012x}"


def line(number):
    """Returns one NDJSON record of about 900 bytes, with a unique response body."""
    data = (f"{number * 2654435761 % 2**32:08x}" * 40)[:320]
    return (
        f'{{"v":1,"id":"{record_id(number)}","state":"completed",'
        f'"started":"2026-11-20T14:03:{number // 1000 % 60:02}.{number % 1000:03}Z",'
        f'"request":{{"method":"GET","url":"https://shop{number % 7}.test/items/{number % 5000}",'
        f'"version":"HTTP/1.1","headers":[["Host","shop{number % 7}.test"],["Accept","*/*"],'
        f'["User-Agent","soak"],["Cookie","sid={number:x}"]]}},'
        f'"response":{{"status":200,"reason":"OK","version":"HTTP/1.1",'
        f'"headers":[["Content-Type","application/json"],["Server","soak"]],'
        f'"body":{{"text":"{{\\"item\\":{number},\\"data\\":\\"{data}\\"}}"}}}}}}\n'
    )


def write_records(path, numbers):
    with open(path, "w") as file:
        for number in numbers:
            file.write(line(number))


def pipeline(folder, name, text):
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return str(path)


class Counters:
    """The last complete table of counters in the output of the command."""

    def __init__(self, text):
        self.sources, self.stages, self.sinks = {}, {}, {}
        self.is_whole = False
        self.does_balance = "do not add up" not in text
        # What passed a source without a record is in a note after the tables.
        notes = re.findall(r"^note: (\d+) of .* of source '([^']+)' passed without a record", text, re.M)
        self.unrecorded = {name: int(number) for number, name in notes}
        kinds = {"source": self.sources, "stage": self.stages, "sink": self.sinks}
        kind, names = None, []
        for row in text.splitlines():
            words = row.split()
            if words and words[0] in kinds and words[1:3] == ["in", "out"]:
                kind, names = kinds[words[0]], words[1:]
            elif " exchanges in " in row:
                self.is_whole, kind = True, None
            elif not words:
                kind = None  # the tables are followed by the stages' own metrics
            elif kind is not None and row.startswith("  ") and len(words) > len(names):
                numbers = [int(word) for word in words[-len(names):]]
                kind[" ".join(words[:-len(names)])] = dict(zip(names, numbers))

    def sink(self, name):
        """Returns a sink's counters and whether it is degraded."""
        for suffix, is_degraded in (("", False), (" (degraded)", True)):
            if name + suffix in self.sinks:
                return self.sinks[name + suffix], is_degraded
        raise Failure(f"no counters of the sink '{name}'")

    def require_balance(self):
        require(self.is_whole, "no summary")
        require(self.does_balance, "the command reports that its counters do not add up")
        for name, counters in self.sinks.items():
            lost = counters["out"] + counters["dropped"] + counters["errors"]
            seen = lost + counters["filtered"]
            require(counters["in"] in (lost, seen), f"the counters of '{name}': {counters}")


class Run:
    """A finished run of the command."""

    def __init__(self, words, seconds=600, **options):
        start = time.monotonic()
        done = subprocess.run([TAPLINE, *words], stderr=subprocess.PIPE, timeout=seconds,
                              text=True, errors="replace", **options)
        self.seconds = time.monotonic() - start
        self.code, self.messages = done.returncode, done.stderr
        self.counters = Counters(done.stderr)


def peak_of(words, feed, seconds):
    """Runs the command on what `feed` writes to its standard input; returns its peak memory in MiB and
    its counters."""
    process = subprocess.Popen([TAPLINE, *words], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdout=subprocess.DEVNULL)
    signal.signal(signal.SIGALRM, lambda *_: process.kill())
    signal.alarm(seconds)
    try:
        with process.stdin:
            feed(process.stdin)
    except BrokenPipeError:
        pass  # The exit code and the messages show the reason.
    messages = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    signal.alarm(0)
    process.returncode = os.waitstatus_to_exitcode(status)
    require(process.returncode == 0, f"exit {process.returncode}: {messages[-2000:]}")
    return usage.ru_maxrss / 1024, Counters(messages)


def until(holds, seconds, text):
    """Waits until `holds` returns true; `text` is the failure message, or a function that returns it."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise Failure(text() if callable(text) else text)
        time.sleep(0.02)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


@contextlib.contextmanager
def origin(folder):
    """Runs nginx during the block; yields the URLs of a small file, of a file that takes two seconds, and
    of a redirect to the first."""
    (folder / "small").write_bytes(b"x" * 1024)
    (folder / "slow").write_bytes(b"x" * 200_000)
    port = free_port()
    with nginx(folder, ORIGIN % port, port):
        yield tuple(f"http://127.0.0.1:{port}/{name}" for name in ("small", "slow", "moved"))


@contextlib.contextmanager
def nginx(folder, configuration, port):
    """Runs nginx during the block; it has to listen on a port."""
    (folder / "nginx.conf").write_text(configuration)
    server = subprocess.Popen(["nginx", "-p", folder, "-c", folder / "nginx.conf"],
                              stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until(lambda: can_connect(port), 60, "nginx does not listen")
        yield server
    finally:
        server.terminate()
        server.wait(30)


def can_connect(port):
    try:
        socket.create_connection(("127.0.0.1", port), 5).close()
        return True
    except OSError:
        return False


def memory(process, key):
    """Returns `VmRSS` or `VmHWM` of a process in MiB."""
    with open(f"/proc/{process}/status") as status:
        for line in status:
            if line.startswith(key):
                return int(line.split()[1]) / 1024
    return 0


def make_certificate(folder):
    """Creates `cert.pem` and `key.pem` for localhost."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "30", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"], check=True, timeout=60, capture_output=True)


def row(*cells):
    """Prints one row of the table of results."""
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def leave_out(name, reason):
    """Adds a row for a test that cannot run here; this is a failure if the variable CI is set."""
    row(name, "-", f"skipped: {reason}")
    require(not os.environ.get("CI"), f"{name} was skipped: {reason}")


def main(body, needs_tapline=True):
    """Runs a test in a temporary folder, which is removed afterwards unless `--keep` is given."""
    if needs_tapline and not os.access(TAPLINE, os.X_OK):
        sys.exit(f"soak: '{TAPLINE}' does not exist; build it with 'Tests/Benchmarks/build tapline'")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tapline-soak-", dir=os.environ.get("TMPDIR")))
    try:
        body(folder)
    except Failure as failure:
        sys.exit(f"soak: {pathlib.Path(sys.argv[0]).name}: {failure}")
    finally:
        if "--keep" in sys.argv[1:]:
            print(f"soak: the files are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
