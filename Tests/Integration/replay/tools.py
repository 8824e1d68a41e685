# SPDX-License-Identifier: MIT
"""What the tests of replay start: the shop, a pipeline that records it, and commands."""

import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
RECORDING = """version: 1
sources: [{ proxy: { listen: 127.0.0.1:0 } }]
stages: [%s]
sinks: [{ ndjson: { path: traffic.ndjson } }, { sqlite: { path: traffic.db } }]
"""
# Masks the values that nothing can be sent with later, but keeps equal ones equal.
PSEUDONYMS = "{ redact: { action: pseudonym, key_env: REPLAY_KEY } }"


def require(holds, message):
    if not holds:
        sys.exit(f"replay: {message}")


def eventually(what, message, seconds=20):
    """Waits until `what` returns a true value, and returns the value."""
    end = time.monotonic() + seconds
    while not (result := what()):
        require(time.monotonic() < end, message)
        time.sleep(0.02)
    return result


class Process:
    """A program that runs until it is stopped, and its output."""

    def __init__(self, words, folder, **more):
        self.lines, self.errors = [], []
        self.process = subprocess.Popen([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        self.readers = [threading.Thread(target=self.read, args=pair, daemon=True)
                        for pair in ((self.process.stdout, self.lines), (self.process.stderr, self.errors))]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def read(stream, lines):
        for line in stream:
            lines.append(line)

    @property
    def output(self):
        return "".join(list(self.lines))

    @property
    def log(self):
        return "".join(list(self.errors))

    def said(self, pattern, seconds=20):
        """Waits for a text in the output or the log, and returns the match."""
        def search():
            found = re.search(pattern, self.output + self.log)
            require(found or self.process.poll() is None, f"it ended: {self.log}")
            return found
        return eventually(search, f"no '{pattern}': {self.log}", seconds)

    def stop(self, name=signal.SIGTERM, seconds=60):
        """Sends a signal, waits for the end and returns the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(name)
        return self.wait(seconds)

    def wait(self, seconds):
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            require(False, f"it does not end: {self.log}")
        for reader in self.readers:
            reader.join(5)
        return code


@contextlib.contextmanager
def running(*words, **more):
    process = Process(*words, **more)
    try:
        yield process
    finally:
        if process.process.poll() is None:
            process.process.kill()
            process.process.wait()


class Shop:
    """An instance of the shop that lives as long as the block."""

    def __init__(self, folder, *words, port=0):
        self.journal = folder / f"arrived-{time.monotonic_ns()}"
        self.context = running([HERE / "shop_service.py", "--port", port, "--log", self.journal, *words], folder)

    def __enter__(self):
        self.process = self.context.__enter__()
        self.port = int(eventually(lambda: self.process.lines and self.process.output, "the shop does not start"))
        self.url = f"http://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *error):
        self.context.__exit__(*error)

    def counts(self):
        """Ends it; returns how often each route answered with each class of status."""
        require(self.process.stop() == 0, f"the shop failed: {self.process.log}")
        found = {}
        for route, statuses in json.loads(self.process.lines[-1]).items():
            for status, count in statuses.items():
                key = f"{route} {status[0]}xx"
                found[key] = found.get(key, 0) + count
        return found

    def arrived(self):
        """The numbers of the requests that arrived, in order."""
        if not self.journal.exists():
            return []
        return [line.split(" ", 1)[0] for line in self.journal.read_text().splitlines()]


class Tapline:
    """The command, and what it said last."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.output = self.log = ""
        self.code = None

    def __call__(self, *words, expected=0, seconds=240, **environment):
        words = [str(word) for word in words]
        done = subprocess.run([self.path, *words], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, env={**os.environ, **environment}, check=False)
        self.output, self.log, self.code = done.stdout, done.stderr, done.returncode
        require(expected is None or done.returncode == expected,
                f"'tapline {' '.join(words)}' ended with {done.returncode} instead of {expected}:\n"
                f"{self.output[-4000:]}{self.log[-4000:]}")
        return done.returncode

    def start(self, *words, **environment):
        """Returns a context in which the command runs."""
        return running([self.path, *words], self.folder, env={**os.environ, **environment})

    def replay(self, recording, shop, *words, expected=0, **environment):
        """Sends a recording to a shop; returns the figures, whose counts fit together.

        On a busy machine a rate cannot be kept, which fails a run; here, answers and counts matter."""
        self("replay", recording, "--to", shop.url, "--json", *words, expected=None, **environment)
        late = expected == 0 and "the generator fell behind" in self.log
        require(self.code == (1 if late else expected), f"replay {words}: {self.code}, {self.log[-2000:]}")
        figures = json.loads(self.output.splitlines()[-1])
        # With two servers, there are figures of each.
        for one in [figures] if "due" in figures else figures.values():
            require(one["due"] == one["sent"] + one["skipped"] + one["failed"],
                    f"the counts do not fit together: {one}")
        return figures


def record(tapline, folder, sessions, stages="", **environment):
    """Records the shop through the proxy, as traffic.ndjson and traffic.db in a folder; returns how it
    answered."""
    folder.mkdir()
    (folder / "record.yaml").write_text(RECORDING % stages)
    with Shop(folder) as shop, tapline.start("run", folder / "record.yaml", **environment) as run:
        port = run.said(r"listening on 127\.0\.0\.1:(\d+)")[1]
        done = subprocess.run([HERE / "shop_clients.py", shop.url, "--sessions", str(sessions)], capture_output=True,
                              text=True, check=False, timeout=300,
                              env={**os.environ, "http_proxy": f"http://127.0.0.1:{port}"})
        require(done.returncode == 0, f"the traffic cannot be recorded: {done.stderr[-2000:]}")
        require(run.stop() == 0, f"the proxy failed: {run.log}")
        counts = shop.counts()
    recorded = sum(1 for _ in (folder / "traffic.ndjson").open())
    require(recorded == sum(counts.values()) == int(done.stdout),
            f"{recorded} exchanges recorded, {sum(counts.values())} answered")
    return counts
