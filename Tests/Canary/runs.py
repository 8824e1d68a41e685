# SPDX-License-Identifier: MIT
"""Runs pipelines over the planted exchanges, and scans their output."""

import gzip
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

import codings
from secrets_plan import DETECTORS, NAMED

STDOUTS = ("{ verbose: true, colors: always }", "{ format: compact }", "{ format: ndjson }")
SINKS = {
    "plain": "{ ndjson: { path: OUT/a.ndjson } }, { sqlite: { path: OUT/a.db } }",
    "packed": "{ ndjson: { path: 'OUT/b-{n}.ndjson', rotate: { size: 20KiB, compress: zstd } } }, "
              "{ ndjson: { path: OUT/c.ndjson, rotate: { size: 30KiB, compress: gzip }, }, id: other }, "
              "{ sqlite: { path: OUT/b.db, compress: true, inline_body_max: 64B } }",
}


class Failed(Exception):
    """A run that did not end as required."""


class Rules:
    """The options of `redact`."""

    def __init__(self, preset="none", off=None):
        self.preset = preset
        self.names = {kind: [name for name in names if f"{kind} {name}" != off] for kind, names in NAMED.items()}
        self.detectors = [name for name in DETECTORS if f"detector {name}" != off]

    @property
    def yaml(self):
        lists = ", ".join(f"{kind}: {json.dumps(names)}" for kind, names in self.names.items())
        detectors = "standard" if self.preset == "standard" else json.dumps(self.detectors)
        return f"{{ preset: {self.preset}, {lists}, detectors: {detectors}, mark: true }}"


class Inputs:
    """The recordings, in every format that replay reads."""

    def __init__(self, folder, records, archive, script):
        self.folder = folder
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
        files = {"in.ndjson": lines, "in.ndjson.gz": gzip.compress(lines), "in.ndjson.zst": codings.zstd(lines),
                 "in.har": archive, "in.har.gz": gzip.compress(archive)}
        for name, data in files.items():
            (folder / name).write_bytes(data)
        (folder / "canary.lua").write_text(script)
        self.names = list(files)


class Runner:
    def __init__(self, tapline, work, inputs):
        self.tapline, self.work, self.inputs = tapline, work, inputs

    def pipeline(self, name, source, sinks, rules, replay=""):
        """Writes a pipeline; returns its path and the folder of its output."""
        out = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.work))
        text = (f"version: 1\nsources: [{{ replay: {{ path: {self.inputs.folder}/{source}, bad_records: skip{replay} }} }}]\n"
                f"stages:\n  - lua: {{ script: {self.inputs.folder}/canary.lua }}\n  - redact: {rules.yaml}\n"
                f"sinks: [{sinks}]\n").replace("OUT", str(out))
        path = self.work / f"{out.name}.yaml"
        path.write_text(text)
        return path, out

    def run(self, name, source, kind, rules, stdout=0, log="text"):
        """Runs a pipeline to its end; returns the folder of its output."""
        path, out = self.pipeline(name, source, f"{{ stdout: {STDOUTS[stdout]} }}, {SINKS[kind]}", rules)
        with open(out / "stdout", "wb") as data, open(out / "log", "wb") as errors:
            code = subprocess.run([self.tapline, "run", path, "--log-format", log], stdin=subprocess.DEVNULL,
                                  stdout=data, stderr=errors, timeout=60).returncode
        if code != 0:
            raise Failed(f"{name} exits with {code}:\n{(out / 'log').read_text()[-2000:]}")
        return out

    def run_and_kill(self, kind, rules):
        """Kills a run in the middle; returns the folder with the remains."""
        path, out = self.pipeline("killed", "in.ndjson", SINKS[kind], rules, ", loop: true, id: new")
        with open(out / "log", "wb") as errors:
            process = subprocess.Popen([self.tapline, "run", path], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=errors)
            end = time.monotonic() + 20
            while time.monotonic() < end and not any(file.stat().st_size > 200_000 for file in out.glob("*.db*")):
                time.sleep(0.02)
            if process.poll() is not None:
                raise Failed(f"the run ended before it was killed:\n{(out / 'log').read_text()[-2000:]}")
            process.send_signal(signal.SIGKILL)
            process.wait()
        return out

    # MARK: tapline leaks

    def leaks(self, out, *options):
        """Returns the exit code of `tapline leaks` for a folder, and its events."""
        result = subprocess.run([self.tapline, "leaks", out, "--format", "json", "--max", "1000000", *options],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
        unread = [line for line in result.stderr.splitlines() if "cannot read" in line]
        # A killed run may leave a truncated file that it was compressing.
        is_cut = result.returncode == 2 and bool(unread) and all(".tmp'; gzip:" in line for line in unread)
        if result.returncode not in (0, 1) and not is_cut:
            raise Failed(f"tapline leaks exits with {result.returncode}:\n{result.stderr[-2000:]}")
        return 0 if is_cut else result.returncode, [json.loads(line) for line in result.stdout.splitlines()], result.stdout + result.stderr

    def leaked(self, out, values):
        """Returns the numbers of the values that `tapline leaks` finds in a folder, with their places."""
        code, events, text = self.leaks(out, "--detectors", "off", "--value-file", values)
        found = {}
        for event in events:
            if event["event"] == "leak":
                place = f"{pathlib.Path(event['file']).name} {event.get('path', event.get('byte'))}"
                found.setdefault(int(event["value"].split(":")[1]), set()).add(place)
        if (code == 1) != bool(found):
            raise Failed(f"tapline leaks exits with {code}, and reports {len(found)} values")
        return found, text

    def detected(self, out):
        """Returns the detectors that find something in a folder, with the places."""
        _, events, _ = self.leaks(out, "--detectors", ",".join(DETECTORS))
        return {(event["detector"], pathlib.Path(event["file"]).name, event.get("path", str(event.get("byte"))))
                for event in events if event["event"] == "leak"}

    def check(self, text, environment):
        """Returns what `tapline check` and `tapline run` report for a pipeline with mistakes."""
        path = self.work / "wrong.yaml"
        path.write_text(text)
        output = b""
        for command in ("check", "run"):
            result = subprocess.run([self.tapline, command, path], stdin=subprocess.DEVNULL, capture_output=True,
                                    env={**os.environ, **environment}, timeout=60)
            if result.returncode != 78:
                raise Failed(f"{command} accepts a wrong pipeline:\n{text}")
            output += result.stdout + result.stderr
        return output.decode()
