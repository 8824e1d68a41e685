# SPDX-License-Identifier: MIT
"""The protocol of Tapline's plugins: one JSON object a line on standard input and output."""

import json
import sys

# The real standard output; print() goes to standard error, which Tapline logs.
_out = sys.stdout
sys.stdout = sys.stderr


def send(message):
    _out.write(json.dumps(message, separators=(",", ":")) + "\n")


def hello(name, version, kind, capabilities=()):
    """Answers Tapline's hello."""
    first = json.loads(sys.stdin.readline() or "{}")
    if first.get("tapline") != "hello" or first.get("protocol") != 1:
        sys.exit("start me from a pipeline of Tapline")
    send({"tapline": "hello", "protocol": 1, "name": name, "version": version, "kinds": [kind],
          "capabilities": list(capabilities)})
    _out.flush()


def lines(name, version, kind, capabilities=()):
    """Says hello, then yields Tapline's messages until it ends the conversation."""
    hello(name, version, kind, capabilities)
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("tapline") == "end":
            return
        yield message
        _out.flush()


def stage(name, version, decide):
    """Answers each record with what decide(record) returns: True, a reason to drop it, or a record."""
    for message in lines(name, version, "stage"):
        try:
            verdict = decide(message["record"])
        except Exception as error:
            verdict = {"error": type(error).__name__}
        else:
            verdict = ({"keep": True} if verdict is True else
                       {"drop": verdict} if isinstance(verdict, str) else {"record": verdict})
        send({"n": message["n"], **verdict})


def wire(name, version, decide):
    """Answers each request and response with what decide(hook, exchange) returns."""
    for message in lines(name, version, "wire"):
        verdict = decide(message["hook"], message["exchange"])
        send({"n": message["n"], **(verdict or {"verdict": "pass"})})


def sink(name, version, store, flush=lambda: None):
    """Calls store(records) for each batch, which stores all of them or raises an error."""
    batch = []
    for message in lines(name, version, "sink", ["flush"]):
        if "record" in message:
            batch.append(message["record"])
            continue
        try:
            store(batch) if "write" in message else flush()
            send({"n": message["n"], "ok": True})
        except Exception as error:
            send({"n": message["n"], "error": type(error).__name__})
        if "write" in message:
            batch = []


def source(name, version, records):
    """Sends what records() yields, then ends."""
    hello(name, version, "source")
    for record in records():
        send({"record": record})
        _out.flush()
    send({"tapline": "end"})
    _out.flush()
