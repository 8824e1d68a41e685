# SPDX-License-Identifier: MIT
"""Compares what the clients of `faults` sent and received with what was recorded."""

import collections
import json
import re

import soak


def documented_codes():
    """Returns the error codes on the reference page, by the state of the exchange."""
    page = (soak.ROOT / "Plugins/Sources/Proxy/README.md").read_text()
    text = page.partition("## How exchanges end")[2].partition("\n## ")[0]
    table = "".join(line.split("|")[1] for line in text.splitlines() if line.startswith("| `"))
    words = lambda part: set(re.findall(r"`(\w+)`", part))
    cancelled = text.partition("`cancelled`")[2].partition("`failed`")[0]
    return {"failed": words(table), "cancelled": words(cancelled) - {"drain_timeout"}}


class Ledger:
    """The requests of the clients and their records."""

    def __init__(self, run):
        self.requests = collections.defaultdict(dict)
        self.run, self.problems = run, []
        self.codes = documented_codes()
        with open(run.log) as log:
            for line in log:
                # A killed client may leave a torn line, which the next client's line continues.
                for text in re.findall(r"\{[^{}]*\}", line):
                    values = json.loads(text)
                    entry = self.requests[values["id"]]
                    if values["e"] == "sent":
                        entry["is_sent"] = True
                    else:
                        entry.update(values)
        self.records = collections.defaultdict(list)
        self.states = collections.Counter()
        self.total = 0
        self.unread = 0
        with open(run.folder / "good.ndjson") as file:
            for line in file:
                self.add(json.loads(line))

    def add(self, record):
        self.total += 1
        request = record["request"]
        number = request["url"].rpartition("/")[2]
        if request["method"] == "CONNECT":
            ids = [value for name, value in request["headers"] if name == "X-Id"]
            number = ids[0] if ids else "opened"
        error = record.get("error", {}).get("code")
        self.states[record["state"], error] += 1
        known = self.codes.get(record["state"], {None})
        if error not in known:
            self.problem(number, f"the code '{error}' of {record['state']} is not documented")
        response = record.get("response", {})
        if not request["method"]:
            # A head that did not arrive in time; its request is unknown.
            self.unread += 1
            if error != "timeout":
                self.problem(number, f"a head that could not be parsed: {record['error']}")
            return
        size = {way: sum(record["bytes"][way].values()) for way in ("up", "down")}
        self.records[number].append((record["state"], error, response.get("status"), size))

    def problem(self, number, text):
        self.problems.append(f"{number}: {text}; {self.requests.get(number)} "
                             f"{self.records.get(number)}")

    def check(self, hey):
        for number in self.records:
            if number not in self.requests and number not in hey and number != "opened":
                self.problem(number, "no client sent this request")
        for number, request in self.requests.items():
            text = self.fault(request, self.records.get(number, []))
            if text:
                self.problem(number, text)
        for number, (count, answers) in hey.items():
            states = collections.Counter(record[0] for record in self.records[number])
            wrong = states.total() != count or states["completed"] > answers.get(200, 0)
            if wrong and not self.run.stopped:
                self.problem(number, f"hey: {count} requests, {answers}, {states}")
        self.check_unread()
        self.check_repeats()
        if self.problems:
            shown = "\n".join(self.problems[:20])
            raise soak.Failure(f"{len(self.problems)} exchanges are not accounted for:\n{shown}")

    def fault(self, request, records):
        """Returns what is wrong with the records of one request, or None."""
        saw = request.get("saw")
        if len(records) > 1:
            return "more than one record"
        if request.get("none"):
            return "a record, although the head was incomplete" if records else None
        if saw == "wrong":
            return "the client received a wrong response"
        is_known = saw in ("whole", "page") or request.get("is_sent")
        stopped = self.run.stopped
        # When the proxy stops, a kept connection may close and a client may be killed; a client that
        # disconnected shortly before may not have been accepted yet.
        late = stopped and stopped - (saw == "left")
        if saw not in ("whole", "page") and stopped and request.get("at", stopped) >= late:
            is_known = False
        # A client may reset its connection before the proxy has accepted it.
        if request.get("resets"):
            is_known = False
        if request.get("position") and saw != "whole" or request.get("maybe"):
            is_known = False
        if not records:
            return "no record" if is_known and not self.received_408(request) else None
        return self.contradiction(request, saw, *records[0])

    def contradiction(self, request, saw, state, error, status, size):
        way = request["way"]
        if saw == "whole":
            if state != "completed" or status != request["status"]:
                return "the client received the whole response"
            # An early response answers a request that was not read completely.
            for key in ["down"] if way.startswith("early") else ["up", "down"]:
                if request.get(key) not in (None, size[key]):
                    return f"different byte counts {key}"
        if saw == "page" and (state != "failed" or error == "client_closed"):
            return "the client received an error page"
        # A client that is still sending may lose a part of an early response.
        if saw == "cut" and state == "completed" and not way.startswith("early"):
            return "the client did not receive the whole response"
        if saw == "cut" and error == "client_closed":
            return "the client did not close the connection"
        if request.get("part") and state == "completed":
            return "the request was never complete"
        if request.get("bodiless") and way.startswith("half"):
            return None
        if way in ("silent", "reset", "malformed", "stall", "half", "half_reset", "half_stall") \
                and state == "completed" and not request.get("tunnel"):
            return "the server never sent the whole response"
        return None

    def received_408(self, request):
        """Whether the client received a 408 because its head did not arrive in time."""
        return request.get("saw") == "page" and request["status"] == 408 \
            and not request.get("is_sent")

    def check_unread(self):
        """Clients that received a 408 have a record; clients that left after part of a head may have one."""
        answered, may = 0, 0
        for number, request in self.requests.items():
            is_answered = self.received_408(request) and not self.records.get(number)
            answered += is_answered
            may += is_answered or request.get("none", False)
        if not answered <= self.unread <= may:
            self.problem("heads", f"{self.unread} did not arrive in time; expected {answered} to {may}")

    def check_repeats(self):
        """Requests that must not be repeated reached a server once, all others at most twice."""
        counts = collections.Counter(self.run.seen.read_text().split())
        for number, count in counts.items():
            request = self.requests.get(number, {})
            if count > (2 if request.get("repeats") else 1) and not number.startswith("hey"):
                self.problem(number, f"reached a server {count} times")
