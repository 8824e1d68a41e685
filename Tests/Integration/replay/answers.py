# SPDX-License-Identifier: MIT
"""Tests `tapline mock` with curl: answers, sequences, explanations of misses, commands and new recordings."""

import json
import subprocess

from tools import Shop, eventually, require

HOST = "api.test"


def exchange(number, method, target, status, value, request=None):
    fields = [["Host", HOST], ["Authorization", "[redacted]"]]
    url = target if "://" in target else f"http://{HOST}{target}"
    record = {"v": 1, "id": f"01931234-5678-7abc-8def-{number:012x}", "state": "completed",
              "started": f"2026-11-20T14:03:{number:02}.000000Z", "timing": {"wait_ms": 1, "total_ms": 2},
              "request": {"method": method, "url": url, "version": "HTTP/1.1", "headers": fields},
              "response": {"status": status, "version": "HTTP/1.1", "headers": [["Content-Type", "application/json"]],
                           "body": {"text": json.dumps(value)}}}
    if request is not None:
        fields.append(["Content-Type", "application/json"])
        record["request"]["body"] = {"text": json.dumps(request)}
    return json.dumps(record) + "\n"


def recordings():
    return [exchange(1, "GET", "/rates?from=EUR&to=USD", 200, {"rate": 1.08}),
            *(exchange(2 + number, "GET", "/jobs/17", 200, {"state": state})
              for number, state in enumerate(("queued", "running", "done"))),
            exchange(5, "POST", "/orders", 201, {"id": 4711}, {"item": 3, "options": {"gift": True}}),
            exchange(6, "GET", f"https://{HOST}/secure", 200, {"secure": True})]


def curl(*words):
    """Returns status and body."""
    done = subprocess.run(["curl", "-sS", "--max-time", "20", "-w", "\n%{http_code}", *words], capture_output=True,
                          text=True, check=False)
    require(done.returncode == 0, f"curl {words}: {done.stderr}")
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


class Mock:
    """A mock of the recording, and curl."""

    def __init__(self, tapline, *words, name="mock.ndjson"):
        self.context = tapline.start("mock", tapline.folder / name, "--listen", "127.0.0.1:0", *words)

    def __enter__(self):
        self.process = self.context.__enter__()
        self.port = self.process.said(r"http://127\.0\.0\.1:(\d+)\n")[1]
        return self

    def __exit__(self, *error):
        self.context.__exit__(*error)

    def get(self, target, *words):
        return curl("-H", f"Host: {HOST}", *words, f"http://127.0.0.1:{self.port}{target}")

    def state(self):
        status, body = self.get("/jobs/17")
        return json.loads(body)["state"] if status == 200 else status

    def end(self):
        code = self.process.stop()
        require(code == 0, f"the mock ended with {code}: {self.process.log}")
        return self.process.output + self.process.log


def check(tapline, _):
    path = tapline.folder / "mock.ndjson"
    path.write_text("".join(recordings()))
    hits_and_misses(tapline)
    bodies(tapline)
    sequences(tapline)
    commands(tapline)
    new_recordings(tapline, path)
    asks_server(tapline)


def hits_and_misses(tapline):
    with Mock(tapline) as mock:
        # Without and with the name of the host, as a proxy, and with the query in another order.
        for status, body in (mock.get("/rates?from=EUR&to=USD"), mock.get("/rates?to=USD&from=EUR"),
                             curl(f"http://127.0.0.1:{mock.port}/rates?from=EUR&to=USD"),
                             curl("-x", f"http://127.0.0.1:{mock.port}", f"http://{HOST}/rates?from=EUR&to=USD")):
            require(status == 200 and json.loads(body) == {"rate": 1.08}, f"hit: {status} {body}")
        status, body = mock.get("/orders", "-H", "Content-Type: application/json", "-d",
                                '{ "options": {"gift":true}, "item":3 }')
        require(status == 201 and json.loads(body) == {"id": 4711}, f"the same JSON: {status} {body}")
        status, body = mock.get("/rates?from=EUR&to=GBP")
        require(status == 404 and "/rates?from=EUR&to=USD" in body and "GBP" in body and "USD" in body,
                f"the miss does not name the nearest recording: {status} {body}")
        status, body = mock.get("/jobs/18")
        require(status == 404 and "/jobs/17" in body, f"a miss of the path: {status} {body}")
        status, body = mock.get("/rates?from=EUR&to=GBP", "-H", "Accept: application/json")
        require(status == 404 and json.loads(body), f"a miss as JSON: {status} {body}")
        status, body = mock.get("/rates?from=EUR&api_key=planted-secret")
        require(status == 404, f"a miss with a secret: {status}")
        text = mock.end()
        warnings = [line for line in text.splitlines() if "warning" in line]
        require(warnings and "GBP" not in "".join(warnings), f"the log has values: {text}")
        require("planted-secret" not in text, f"a secret is shown: {text}")
        require("5 requests answered, 4 without" in text, f"the journal: {text}")


def bodies(tapline):
    """With `body` among the compared parts, other JSON is a miss that names the path."""
    with Mock(tapline, *(word for part in ("method", "path", "query", "body") for word in ("--match", part)),
              "--ignore", "$.at") as mock:
        words = ["/orders", "-H", "Content-Type: application/json", "-d"]
        status, body = mock.get(*words, '{"at":"now","item":3,"options":{"gift":true}}')
        require(status == 201, f"an ignored path: {status} {body}")
        status, body = mock.get(*words, '{"item":4,"options":{"gift":true}}')
        require(status == 404 and "$.item" in body, f"a miss of the body: {status} {body}")
        mock.end()


def sequences(tapline):
    for repeat, expected in (("last", ["queued", "running", "done", "done", "done"]),
                             ("cycle", ["queued", "running", "done", "queued", "running"]),
                             ("miss", ["queued", "running", "done", 404, 404])):
        with Mock(tapline, "--repeat", repeat) as mock:
            found = [mock.state() for _ in expected]
            require(found == expected, f"--repeat {repeat}: {found}")
            mock.end()


def commands(tapline):
    """The command reaches the mock through its environment, and keeps its output and exit code."""
    tapline("mock", "mock.ndjson", "--exec", "--", "curl", "-sS", f"http://{HOST}/rates?from=EUR&to=USD")
    require(json.loads(tapline.output) == {"rate": 1.08}, f"--exec: {tapline.output} {tapline.log}")
    tapline("mock", "mock.ndjson", "--exec", "--", "curl", "-sS", f"https://{HOST}/secure")
    require(json.loads(tapline.output) == {"secure": True}, f"HTTPS: {tapline.output} {tapline.log}")
    tapline("mock", "mock.ndjson", "--exec", "--", "sh", "-c", "exit 7", expected=7)


def new_recordings(tapline, path):
    with Mock(tapline) as mock:
        require(mock.get("/late")[0] == 404, "an answer without a recording")
        with path.open("a") as output:
            output.write(exchange(9, "GET", "/late", 200, {"late": True}))
        eventually(lambda: mock.get("/late")[0] == 200, "a new recording is not used")
        mock.end()


def asks_server(tapline):
    """With `--on-miss record`, the server is asked once for what is missing."""
    with Shop(tapline.folder) as shop:
        with Mock(tapline, "--on-miss", "record", "--upstream", shop.url) as mock:
            for _ in range(3):
                status, body = mock.get("/assets/new.css")
                require(status == 200 and "new.css" in body, f"the server's answer: {status} {body}")
            mock.end()
        require(len(shop.arrived()) == 1, f"the server was asked {len(shop.arrived())} times")
