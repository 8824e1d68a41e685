# SPDX-License-Identifier: MIT
"""Questions to a database while a pipeline writes into it."""
import fcntl
import itertools
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import threading
import time

from store_tools import TIMEOUT, head, last_number, measure, row

NAME = "writing.db"
PIPELINE = f"""version: 1
sources: [ replay: {{ path: "-", id: new }} ]
sinks: [ sqlite: {{ path: {NAME} }} ]
"""
# How many parts the exchanges of a second are written in.
PARTS = 100


class Writer:
    """A pipeline that reads exchanges from a pipe and writes them into the database."""

    def __init__(self, folder, options, rate):
        self.written, self.latest, self.log = 0, 0.0, folder / "writing.log"
        self.ends, self.recording = threading.Event(), folder / "traffic.ndjson"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [options.command, "run", "writing.yaml", "--log-format", "json"], cwd=folder,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, bufsize=0)
        fcntl.fcntl(self.process.stdin, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.feeder = threading.Thread(target=self.feed, args=(rate,), daemon=True)
        self.feeder.start()

    def feed(self, rate):
        """Writes lines at a rate; `latest` is the longest delay of a part."""
        start, part = time.monotonic(), max(1, rate // PARTS)
        with self.recording.open("rb") as lines:
            while not self.ends.is_set():
                block = list(itertools.islice(lines, part))
                if not block:
                    lines.seek(0)
                    continue
                due = start + self.written / rate
                time.sleep(max(0.0, due - time.monotonic()))
                data = memoryview(b"".join(block))
                while data:
                    data = data[os.write(self.process.stdin.fileno(), data):]
                self.written += len(block)
                self.latest = max(self.latest, time.monotonic() - due)
        self.seconds = time.monotonic() - start
        self.process.stdin.close()

    def end(self):
        """Ends the pipeline; returns its summary and its processor time."""
        self.ends.set()
        self.feeder.join(TIMEOUT)
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        summary = next(line["summary"] for line in lines if "summary" in line)
        return summary, usage.ru_utime + usage.ru_stime


def questions(word):
    yield "count of a host, by an index", ["query", NAME, 'host == "svc3.shop.test"', "--count"]
    yield "count by duration", ["query", NAME, "duration > 100ms", "--count"]
    yield "count of a word anywhere", ["query", NAME, f'any contains "{word}"', "--count"]
    yield "percentiles by host and route", ["stats", NAME, "--by", "host,route"]
    yield "newest 50 of a status", ["query", NAME, "status == 503", "--limit", "50"]


def ask(folder, options, word, rounds):
    """Returns the medians of each question: seconds, processor seconds, and these for each row."""
    connection = sqlite3.connect(f"file:{folder / NAME}?mode=ro", uri=True)
    rows = lambda: connection.execute("SELECT max(seq) FROM exchanges").fetchone()[0]
    results = {name: [] for name, _ in questions(word)}
    for _ in range(rounds):
        for name, command in questions(word):
            before = rows()
            run = measure([options.command, *command], folder)
            results[name].append((run.elapsed, run.used, run.used / ((before + rows()) / 2)))
    connection.close()
    return {name: [statistics.median(column) for column in zip(*values)]
            for name, values in results.items()}


def print_writing(folder, options, word):
    for path in folder.glob(f"{NAME}*"):
        path.unlink()
    shutil.copy(folder / "traffic.db", folder / NAME)
    (folder / "writing.yaml").write_text(PIPELINE)
    count = lambda: last_number(measure([options.command, "query", NAME, "--count"], folder).output)
    # A first run upgrades the schema.
    first = Writer(folder, options, options.rate)
    time.sleep(1)
    first.end()
    before, rounds = count(), max(options.rounds, 3)
    idle = ask(folder, options, word, rounds)
    writer = Writer(folder, options, options.rate)
    time.sleep(1)
    busy = ask(folder, options, word, rounds)
    size = sum(path.stat().st_size for path in folder.glob(f"{NAME}-wal")) / 1e6
    summary, used = writer.end()
    after = count()
    head("question", "alone", "while writing", "processor time, ratio", "for each row (goal 2)")
    for name, (elapsed, used_alone, each) in idle.items():
        row(name, f"{elapsed:.3f} ({used_alone:.3f})", f"{busy[name][0]:.3f} ({busy[name][1]:.3f})",
            f"{busy[name][1] / used_alone:.2f}", f"{busy[name][2] / each:.2f}")
    source, sink = summary["sources"][0], summary["sinks"][0]
    print(f"\nWritten to the pipeline: {writer.written:,} in {writer.seconds:.1f} s, "
          f"{writer.written / writer.seconds:,.0f} a second, at most {writer.latest:.2f} s late.\n"
          f"Its summary: source in {source['in']:,}, sink out {sink['out']:,}, dropped "
          f"{source['dropped'] + sink['dropped']}, errors {sink['errors']}, duplicates "
          f"{sink['duplicates']}; {used / max(1, writer.written) * 1e6:.1f} µs of processor time each.\n"
          f"The database has {after - before:,} more exchanges; its log has {size:.0f} MB.")
    if not after - before == sink["out"] == writer.written:
        raise RuntimeError("exchanges were lost")
    for path in folder.glob(f"{NAME}*"):
        path.unlink()
