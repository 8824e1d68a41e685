# SPDX-License-Identifier: MIT
"""The planted exchanges as live traffic: curl and a WebSocket client through the proxy, an app through `url_protocol`."""

import asyncio
import base64
import copy
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time

import websockets

from origin import Origin, body_of, raw
from runs import Failed

# The ways through the proxy: how curl is directed to it, and whether the origin has TLS.
WAYS = {"plain": ("http://", False), "intercepted": ("http://", True), "socks": ("socks5h://", False), "socks-tls": ("socks5h://", True)}
# What an app's URLSession changes or does not show: interim responses, reasons, fields that are not text; cookies
# of the app are replaced by those of its session. It also changes the case of field names.
UNSEEN_BY_APPS = ("interim", "no text", "cookie", "reason", "of two fields", "name of a header")
SINKS = {
    "files": "{ ndjson: { path: OUT/a.ndjson } }, { sqlite: { path: OUT/a.db } }, { summary: { path: OUT/summary.ndjson } }, { stdout: { verbose: true } }",
    "packed": "{ ndjson: { path: 'OUT/b-{n}.ndjson', rotate: { size: 40KiB, compress: gzip } } }, { sqlite: { path: OUT/b.db, compress: true, inline_body_max: 64B } }, "
              "{ summary: { path: OUT/summary.ndjson } }, { stdout: { format: compact } }",
    "control": "{ ndjson: { path: OUT/a.ndjson } }",
}


def is_request(record):
    """Whether a client and a server can produce it: it has no tags, errors or request trailers, which only recordings have."""
    return not any(key in record for key in ("messages", "tags", "original", "error")) \
        and "trailers" not in record["request"] and record["request"]["target"].startswith("/")


def is_conversation(record):
    return all(message["type"] in ("text", "binary", "event") for message in record.get("messages", ())) and "messages" in record


def until(what, seconds, text):
    end = time.monotonic() + seconds
    while not (found := what()):
        if time.monotonic() > end:
            raise Failed(text() if callable(text) else text)
        time.sleep(0.02)
    return found


class Certificate:
    """The origin's certificate, which only the proxy trusts."""

    def __init__(self, folder):
        self.path, self.key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                        "-days", "2", "-addext", "subjectAltName=DNS:localhost", "-keyout", self.key, "-out", self.path],
                       check=True, capture_output=True, timeout=60)


class Live:
    """A run of a live source, its origin, and the folder of its output."""

    def __init__(self, runner, certificate, records, rules, kind, part=(0, 1)):
        """`part` selects which of how many parts of the requests are sent."""
        self.runner, self.certificate, self.rules, self.kind = runner, certificate, rules, kind
        self.requests = {number: record for number, record in enumerate(records) if is_request(record) and number % part[1] == part[0]}
        self.conversations = {number: record for number, record in enumerate(records) if is_conversation(record)}
        self.records = copy.deepcopy(records)
        self.out = pathlib.Path(tempfile.mkdtemp(prefix="live-", dir=runner.work))
        # Files that are not output: the pipeline, the clients' files.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="clients-", dir=runner.work))
        self.origin = Origin(self.records, (certificate.path, certificate.key))

    def pipeline(self, source):
        path = self.folder / "pipeline.yaml"
        stages = f"stages: [{{ redact: {self.rules.yaml} }}]\n" if self.rules else ""
        sinks = SINKS[self.kind].replace("OUT", str(self.out))
        path.write_text(f"version: 1\nsources: [{{ {source} }}]\n{stages}sinks: [{sinks}]\n")
        return path

    def start(self, words, **more):
        """Starts the capturing program; its output and its log are searched like all other files."""
        with open(self.out / "stdout", "wb") as data, open(self.out / "log", "wb") as errors:
            return subprocess.Popen(words, stdout=data, stderr=errors, **more)

    def sent(self):
        """A folder with the records that are sent, for the search."""
        (self.folder / "sent").mkdir()
        played = [*self.requests.values(), *self.conversations.values()]
        (self.folder / "sent/records.ndjson").write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in played))
        return self.folder / "sent"

    @property
    def log(self):
        return (self.out / "log").read_text(errors="replace")

    def end(self, process, code=0):
        """Waits for the end of the program, and compares the number of exchanges sent with the number written."""
        try:
            ended = process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise Failed(f"it does not end:\n{self.log[-2000:]}")
        if ended != code:
            raise Failed(f"it exits with {ended}:\n{self.log[-2000:]}")

    # MARK: The proxy

    def start_proxy(self):
        path = self.pipeline(f"proxy: {{ listen: 127.0.0.1:0, intercept: true, authorities: {self.certificate.path} }}")
        process = self.start([self.runner.tapline, "run", path], stdin=subprocess.DEVNULL, env={**os.environ, "XDG_DATA_HOME": str(self.folder)})
        self.port = int(until(lambda: re.search(r"listening on 127\.0\.0\.1:(\d+)", self.log), 30, lambda: f"the proxy does not listen:\n{self.log}")[1])
        return process

    def through_proxy(self, way):
        """Sends all requests and conversations in one way; returns the folder with the output."""
        process = self.start_proxy()
        try:
            self.curl(way)
            asyncio.run(asyncio.wait_for(self.converse(way), 60))
            process.send_signal(signal.SIGTERM)
            self.end(process)
        finally:
            self.close(process)
        return self.out

    def close(self, process):
        if process.poll() is None:
            process.kill()
            process.wait()
        self.origin.stop()

    def url(self, record, is_secure, scheme="http"):
        port = self.origin.ports[is_secure]
        return f"{scheme}{'s' if is_secure else ''}://localhost:{port}{record['request']['target']}"

    def curl(self, way):
        """Runs one curl for all requests, with a file of options."""
        scheme, is_secure = WAYS[way]
        lines = []
        for number, record in self.requests.items():
            request = record["request"]
            options = {"url": self.url(record, is_secure), "request": request["method"], "proxy": f"{scheme}127.0.0.1:{self.port}",
                       "cacert": f"{self.folder}/tapline/ca/root.pem", "output": "/dev/null", "max-time": "20"}
            if "body" in request:
                (self.folder / f"body-{number}").write_bytes(body_of(request))
                options["data-binary"] = f"@{self.folder}/body-{number}"
            flags = [f"{name} = {quoted(value.encode())}" for name, value in options.items()]
            fields = [[name, value] for name, value in request["headers"] if name != "Host"] + [["X-Number", str(number)]]
            flags += [f"header = {quoted(raw(name) + b': ' + raw(value))}" for name, value in fields]
            lines.append("\n".join(["path-as-is", "globoff", "silent", "noproxy = \"\"", *flags]))
        (self.folder / "curl").write_bytes("\nnext\n".join(lines).encode("latin-1"))
        done = subprocess.run(["curl", "--disable", "-K", self.folder / "curl"], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        missing = sorted(set(self.requests) - set(self.origin.served))
        if missing:
            raise Failed(f"{len(missing)} requests did not reach the origin, the first: {self.records[missing[0]]['request']}\n"
                         f"curl: {done.returncode} {done.stderr.decode()}\n{self.log[-1000:]}")

    async def converse(self, way):
        scheme, is_secure = WAYS[way]
        for number, record in self.conversations.items():
            options = {"extra_headers" if int(websockets.__version__.split(".")[0]) < 14 else "additional_headers": {"X-Number": str(number)}}
            if is_secure:
                options.update(ssl=ssl.create_default_context(cafile=self.folder / "tapline/ca/root.pem"), server_hostname="localhost")
            options["sock"] = socks(self.port, self.origin.ports[is_secure]) if scheme == "socks5h://" else tunnel(self.port, self.origin.ports[is_secure])
            async with websockets.connect(self.url(record, is_secure, "ws"), compression=None, **options) as peer:
                for message in record["messages"]:
                    if message["dir"] == "down":
                        await peer.recv()
                    else:
                        await peer.send(body_of({"body": message}) if "base64" in message else message["text"])

    def killed(self):
        """Kills the proxy while requests hang and others have ended; returns the folder with the remains."""
        process = self.start_proxy()
        clients = []
        try:
            self.curl("plain")
            for record in list(self.requests.values())[::3]:
                clients.append(self.hang(record))
            until(lambda: self.origin.served.count(-1) >= len(clients) // 2, 30, lambda: f"the hanging requests do not arrive:\n{self.log[-1000:]}")
            # Unfinished exchanges are recorded at intervals.
            time.sleep(1.5)
            if process.poll() is not None:
                raise Failed(f"the proxy ended before it was killed:\n{self.log[-2000:]}")
            process.kill()
            process.wait()
        finally:
            for client in clients:
                client.close()
            self.close(process)
        return self.out

    def hang(self, record):
        """Sends a request that is not answered, as raw bytes."""
        request = record["request"]
        client = socket.create_connection(("127.0.0.1", self.port), 20)
        body = body_of(request)
        head = f"{request['method']} {self.url(record, False)} HTTP/1.1\r\nHost: localhost:{self.origin.ports[0]}\r\n".encode()
        fields = b"".join(raw(name) + b": " + raw(value) + b"\r\n" for name, value in request["headers"] if name != "Host")
        client.sendall(head + fields + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return client

    # MARK: The app

    def in_app(self, app, kill=False):
        """Runs an app that sends all requests, alternating between three ways; returns the folder with its output."""
        # Foundation changes the case of field names, which changes every token in them.
        self.requests = {number: record for number, record in self.requests.items()
                         if not any(isinstance(name, str) and name.startswith("ghp_") for name, _ in record["request"]["headers"])}
        requests = [
            {"method": record["request"]["method"], "url": self.url(record, False),
             "headers": [[name, value] for name, value in record["request"]["headers"] if isinstance(value, str) and name != "Host"] + [["X-Number", str(number)]],
             **({"body": base64.b64encode(body_of(record["request"])).decode()} if "body" in record["request"] else {})}
            for number, record in self.requests.items()]
        # Foundation follows redirections, whose targets do not exist here.
        for number in self.requests:
            self.records[number]["response"]["status"] = 200
        plan = self.folder / "requests.json"
        plan.write_text(json.dumps(requests))
        process = self.start([app, self.pipeline("url_protocol: {}"), plan], stdin=subprocess.PIPE)
        try:
            until(lambda: process.poll() is not None or b"sent\n" in (self.out / "stdout").read_bytes(), 120,
                  lambda: f"the app has sent {len(self.origin.served)} of {len(self.requests)} requests:\n{self.log[-2000:]}")
            if missing := sorted(set(self.requests) - set(self.origin.served)):
                raise Failed(f"{len(missing)} requests of the app did not reach the origin, the first: {self.records[missing[0]]['request']}")
            if kill:
                process.kill()
                process.wait()
            else:
                process.stdin.close()
                self.end(process)
        finally:
            self.close(process)
        return self.out


def quoted(data):
    """A string for curl's option file, whose bytes are kept as Latin-1 letters."""
    return '"' + data.decode("latin-1").replace("\\", "\\\\").replace('"', '\\"') + '"'


def tunnel(proxy, port):
    """A connection through CONNECT."""
    peer = socket.create_connection(("127.0.0.1", proxy), 20)
    peer.sendall(f"CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        piece = peer.recv(1)
        if not piece:
            raise Failed(f"CONNECT was answered with {head!r}")
        head += piece
    if b" 200 " not in head:
        raise Failed(f"CONNECT was answered with {head!r}")
    return peer


def socks(proxy, port):
    """A connection through SOCKS 5 (RFC 1928), with a host name."""
    peer = socket.create_connection(("127.0.0.1", proxy), 20)
    peer.sendall(b"\x05\x01\x00\x05\x01\x00\x03\x09localhost" + port.to_bytes(2, "big"))
    answer = b""
    while len(answer) < 12 and (piece := peer.recv(12 - len(answer))):
        answer += piece
    if answer[:4] != b"\x05\x00\x05\x00":
        raise Failed(f"SOCKS was answered with {answer!r}")
    return peer
