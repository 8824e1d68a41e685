# SPDX-License-Identifier: MIT
"""Runs records through Tapline and searches its output, using only Python."""

import base64
import datetime
import json
import pathlib
import subprocess
import tempfile

import archive
import search
from generator import classes
from generator.case import planted

START = datetime.datetime(2026, 11, 20, 14, tzinfo=datetime.timezone.utc)
# Charsets of bodies that the views of `search` do not decode.
CHARSETS = ("utf-16-le", "utf-16-be", "utf-32-le", "cp037", "cp500")
TIMEOUT = 300


# Classes by label: they contain functions, which cannot be passed to another process.
CLASSES = {one.label: one for one in classes.everything()}


class Failed(Exception):
    """A run that did not end as required."""


def started(number):
    """Returns the start of the record with a number, which identifies the record in the output because every preset keeps it."""
    return (START + datetime.timedelta(milliseconds=number)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def number_of(text):
    moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round((moment - START) / datetime.timedelta(milliseconds=1))


def har(records):
    """Returns the records as a HAR whose entries have no Content-Type field."""
    entries = []
    for record in records:
        entry = archive.entry(record)
        for side in ("request", "response"):
            entry[side]["headers"] = [pair for pair in entry[side]["headers"] if pair["name"].lower() != "content-type"]
        entries.append(entry)
    return json.dumps({"log": {"version": "1.2", "creator": {"name": "canary", "version": "1"}, "entries": entries}})


def bodies(line):
    """Yields the bodies and messages of a record as bytes."""
    record = json.loads(line)
    parts = [(record.get(side) or {}).get("body") or {} for side in ("request", "response")]
    for body in parts + (record.get("messages") or []):
        if "base64" in body:
            yield base64.b64decode(body["base64"])
        elif "\0" in body.get("text", ""):
            yield body["text"].encode()


def forms(text):
    """Yields a text unchanged, and in base64 at each alignment: the digits that depend only on it."""
    yield text.lower().encode()
    for skip in range(3):
        data = b"\0" * skip + text.encode()
        yield base64.b64encode(data)[(0, 2, 3)[skip]:len(data) * 8 // 6].lower()


class Found:
    """The search of one line: every view is searched once, until everything is found."""

    def __init__(self, line):
        self.line = line
        self.views = self.all_views()
        self.seen = []

    def all_views(self):
        for view in search.views(self.line):
            yield view.lower()
        for body in bodies(self.line):
            for view in search.views(body):
                yield view.lower()
            for charset in CHARSETS:
                yield body.decode(charset, "replace").encode().lower()

    def has(self, text):
        """Whether a text occurs in any view."""
        wanted = list(forms(text))
        if any(form in view for view in self.seen for form in wanted):
            return True
        for view in self.views:
            self.seen.append(view)
            if any(form in view for form in wanted):
                return True
        return False


# Runs first for the records of classes with the source `script`.
SCRIPT = """function record(ex)
  log('record ' .. ex.request.headers['x-number'] .. ': ' .. ex.request.headers['x-log'])
end
"""


class Batch:
    """Some records of one source, passed through Tapline in one run."""

    def __init__(self, options, folder, cases):
        self.options, self.folder = options, pathlib.Path(folder)
        # The class and the number of each record.
        self.cases = [(CLASSES[label], number) for label, number in cases]
        self.source = self.cases[0][0].source

    def pipeline(self, source):
        first = f"{{ lua: {{ script: {self.folder}/log.lua, max_log: 0 }} }}, " if self.source == "script" else ""
        rules = f"{{ preset: {self.options.preset}, detectors: {self.options.detectors} }}"
        return (f"version: 1\nsources: [{{ replay: {{ path: {source} }} }}]\nstages: [{first}{{ redact: {rules} }}]\n"
                f"sinks: [{{ ndjson: {{ path: {self.folder}/out.ndjson }} }}]\n")

    def run(self):
        """Yields (case, input, output) for each record; the output is `None` for a missing one."""
        made = {}
        for one, number in self.cases:
            case = planted(one, self.options.seed, number)
            case.record["started"] = started(number)
            case.record["id"] = f"019a0000-0000-7000-8000-{number:012x}"
            if self.source == "script":
                case.record["request"]["headers"].append(["X-Number", str(number)])
            made[number] = case
        records = [case.record for case in made.values()]
        is_har = self.source == "har"
        source = self.folder / ("in.har" if is_har else "in.ndjson")
        (self.folder / "log.lua").write_text(SCRIPT)
        lines = [json.dumps(record, ensure_ascii=False) for record in records]
        source.write_text(har(records) if is_har else "\n".join(lines) + "\n")
        (self.folder / "pipeline.yaml").write_text(self.pipeline(source))
        result = subprocess.run([self.options.tapline, "run", self.folder / "pipeline.yaml"], stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=TIMEOUT)
        if result.returncode != 0:
            raise Failed(f"tapline exits with {result.returncode}: {result.stderr.decode(errors='replace')[-1500:]}")
        written = {}
        for line in (self.folder / "out.ndjson").read_bytes().splitlines():
            written[number_of(json.loads(line)["started"])] = line
        log = (result.stdout + result.stderr).lower()
        if silent := [number for number in made if self.source == "script" and b"record %d:" % number not in log]:
            raise Failed(f"{len(silent)} records of scripts that log are not in the log, the first is {silent[0]}")
        for (number, case), line in zip(made.items(), lines):
            yield number, case, line.encode(), written.get(number), log


class Tally:
    """The results for one class."""

    def __init__(self):
        self.records = self.secrets = self.leaked = self.harmless = self.lost = self.missing = self.logged = 0
        # The first records with a leak or a loss: number, value found or lost, record.
        self.examples = []

    def add(self, other):
        for key in ("records", "secrets", "leaked", "harmless", "lost", "missing", "logged"):
            setattr(self, key, getattr(self, key) + getattr(other, key))
        self.examples = (self.examples + other.examples)[:12]

    def look(self, number, case, line, output, log):
        """Searches one record; raises if the search cannot find the planted values in the input."""
        self.records += 1
        before = Found(line)
        for text in [part for secret in case.secrets for part in secret.parts] + case.harmless:
            if not before.has(text):
                raise Failed(f"{case.label}, record {number}: the search cannot find '{text}' in the input:\n{line.decode()}")
        if output is None:
            self.missing += 1
            return
        after = Found(output)
        self.secrets += len(case.secrets)
        self.harmless += len(case.harmless)
        for secret in case.secrets:
            if parts := [part for part in secret.parts if part.lower().encode() in log]:
                self.logged += 1
                at = log.find(parts[0].lower().encode())
                self.examples.append((number, f"logged {', '.join(parts)}", essence(case.record), log[max(0, at - 100):at + 100].decode(errors="replace")))
            parts = [part for part in secret.parts if after.has(part)]
            if parts:
                self.leaked += 1
                self.examples.append((number, f"leaked {', '.join(parts)}", essence(case.record), essence(json.loads(output))))
        for text in case.harmless:
            if not after.has(text):
                self.lost += 1
                self.examples.append((number, f"lost {text}", essence(case.record), essence(json.loads(output))))


def essence(record):
    """Returns the parts of a record that differ from a plain one."""
    request, response = record.get("request") or {}, record.get("response") or {}
    parts = [request.get("url") if request.get("url") != "http://shop.test/" else None,
             [pair for pair in request.get("headers") or [] if pair[0] != "Host"], content(request), request.get("trailers"),
             response.get("reason") if response.get("reason") != "OK" else None,
             [pair for pair in response.get("headers") or [] if pair != ["Content-Type", "text/plain"]], content(response),
             response.get("trailers"), response.get("interim"),
             *(record.get(key) for key in ("messages", "tags", "original", "error"))]
    return " ".join(part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts if part)


def content(message):
    body = message.get("body") or {}
    return body.get("text", body.get("base64"))


def do(options, cases):
    """Runs a batch in its own folder; returns the tallies by label."""
    tallies = {}
    with tempfile.TemporaryDirectory(prefix="tapline-canary-", dir=options.keep) as folder:
        for number, case, line, output, log in Batch(options, folder, cases).run():
            tally = Tally()
            tally.look(number, case, line, output, log)
            tallies.setdefault(case.label, Tally()).add(tally)
    return tallies
