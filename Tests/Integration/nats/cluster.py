# SPDX-License-Identifier: MIT
"""Tests the source and the sink `nats` with real servers: a cluster whose leader is killed with signal 9,
hangs, or is cut off from the other nodes while records are published and read, a worker that is killed, a full
stream, and a server with TLS that is started again.

    cluster.py [TAPLINE] [--long] [--cluster-server PATH]        --long repeats the kills

Nothing leaves loopback. The clusters whose leaders fail consist of the given nats-server, the others of Debian's:
its version 2.9.10 sometimes loses messages that it has confirmed when a leader hangs or is cut off under load.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import uuid

sys.dont_write_bytecode = True
from servers import NATS_SERVER, Client, Cluster, Server, certificate, free_ports, until  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
parser = argparse.ArgumentParser()
parser.add_argument("tapline", nargs="?", type=pathlib.Path, default=HERE / "../../../.build/debug/tapline")
parser.add_argument("--long", action="store_true")
parser.add_argument("--cluster-server", default=NATS_SERVER)
ARGUMENTS = parser.parse_args()
TAPLINE, LONG = ARGUMENTS.tapline.resolve(), ARGUMENTS.long
COUNT = 20_000 if LONG else 6_000
# How many messages are published before the first of them is confirmed.
PENDING = 32


def fail(text):
    sys.exit(f"nats: {text}")


def equal(found, expected, what):
    if found != expected:
        fail(f"{what}: found {found}, expected {expected}")


class Run:
    """A pipeline as a process."""

    def __init__(self, work, name, sources, sinks, runtime="", stdin=None, under=()):
        self.log = work / f"{name}.log"
        file = work / f"{name}.yaml"
        file.write_text(f"version: 1\nsources: [{sources}]\nstages: [redact]\nsinks: [{sinks}]\n{runtime}\n")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([*under, TAPLINE, "run", file], stdin=stdin, stdout=log, stderr=log, cwd=work)

    @property
    def text(self):
        return self.log.read_text(errors="replace")

    def end(self, seconds=120):
        """Waits for its end, which has to be a success."""
        try:
            code = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            fail(f"{self.log.name}: still running after {seconds} s\n{self.text[-3000:]}")
        if code != 0:
            fail(f"{self.log.name}: exit code {code}\n{self.text[-3000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.end()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Feeder(threading.Thread):
    """Writes the lines of a recording to a pipeline, 500 a second, and the last ones only after `rest` is set,
    so that the pipeline publishes during all that happens before."""

    LAST = 1000

    def __init__(self, path, output):
        super().__init__(daemon=True)
        self.lines, self.output, self.rest = path.read_bytes().splitlines(True), output, threading.Event()

    def run(self):
        try:
            for number in range(0, len(self.lines), 10):
                if number >= len(self.lines) - self.LAST:
                    self.rest.wait()
                self.output.write(b"".join(self.lines[number:number + 10]))
                self.output.flush()
                time.sleep(0.02)
            self.output.close()
        except BrokenPipeError:
            pass


def recording(path, count):
    """Writes records with ids, and bodies that make them about 1 KB."""
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            record = {"v": 1, "id": str(uuid.UUID(int=0x0193_0000_0000_7000_8000 << 48 | number)), "source": "test",
                      "started": f"2026-11-20T14:{number // 30000:02d}:{number // 500 % 60:02d}.{number % 500 * 2000:06d}Z",
                      "request": {"method": "GET", "url": f"http://shop.test/{number}", "headers": []},
                      "response": {"status": 200, "headers": [], "body": {"text": "x" * 700, "size": 700}}}
            file.write(json.dumps(record) + "\n")


def stored(path):
    """The number of exchanges in a database, and of different ids."""
    if not path.exists():
        return 0, 0
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        return database.execute("SELECT count(*), count(DISTINCT id) FROM exchanges").fetchone()


def count(path):
    try:
        return stored(path)[0]
    except sqlite3.Error:
        return 0


class Arrival:
    """Waits until all records of a stream whose leaders changed have arrived and are acknowledged."""

    def __init__(self, nodes, database):
        self.nodes, self.database, self.state = nodes, database, "unknown"

    def wait(self):
        try:
            until("all records", self.is_over, 120)
        except TimeoutError as error:
            raise TimeoutError(f"{error}; {count(self.database)} are in the database; {self.state}") from error

    def is_over(self):
        consumer = self.nodes.ask("$JS.API.CONSUMER.INFO.T.w")
        self.state = f"the stream has {self.messages()}, the consumer is {json.dumps(consumer)}"
        # Acknowledgements can be lost between two leaders; then messages are delivered again.
        return not consumer["num_pending"] and not consumer["num_ack_pending"] and count(self.database) >= COUNT

    def messages(self):
        return self.nodes.ask("$JS.API.STREAM.INFO.T")["state"]["messages"]

    def check(self):
        equal(stored(self.database), (COUNT, COUNT), "exchanges and different ids in the database")
        equal(until("the stream", self.messages), COUNT, "messages in the stream")


def cluster(work, runs):
    """Nothing is lost or stored twice while leaders and a worker are killed and a leader hangs."""
    nodes = Cluster(work, ARGUMENTS.cluster_server)
    try:
        until("the cluster", lambda: nodes.ask("$JS.API.INFO"))
        recording(work / "in.ndjson", COUNT)
        options = f"servers: [{nodes.urls}], stream: T, timeout: 2s"
        sink = f"nats: {{ {options}, max_pending: {PENDING}, create: {{ replicas: 3 }} }}, retry: {{ max_elapsed: 5m }}"
        publishing = Run(work, "publish", "replay: { path: '-' }", f"{{ {sink} }}",
                         "runtime: { drain_timeout: 2m }", subprocess.PIPE)
        runs.append(publishing)
        feeder = Feeder(work / "in.ndjson", publishing.process.stdin)
        feeder.start()
        until("the stream", lambda: nodes.ask("$JS.API.STREAM.INFO.T")["state"]["messages"] > 100)
        source = f"{{ nats: {{ {options}, durable: w, ack_wait: 3s, batch: 100 }} }}"
        reading = Run(work, "read", source, "sqlite: { path: out.db }")
        runs.append(reading)
        until("the first records", lambda: count(work / "out.db") > 100)
        for _ in range(6 if LONG else 1):
            leader = nodes.leader("T")
            equal(publishing.process.poll(), None, "the publishing pipeline before the kill")
            leader.kill()
            time.sleep(1)
            leader.start()
            until("the node's return", lambda: nodes.is_current("T"), 60)
        reading.process.kill()
        reading.process.wait()
        reading = Run(work, "read again", source, "sqlite: { path: out.db }")
        runs.append(reading)
        until("its connection", lambda: "connected to" in reading.text)
        hanging = nodes.leader("T")
        equal(publishing.process.poll(), None, "the publishing pipeline before a node hangs")
        hanging.send(signal.SIGSTOP)
        feeder.rest.set()
        # A node whose heartbeats are missing is replaced after a few seconds.
        until("another leader", lambda: leads_elsewhere(nodes, hanging), 60)
        hanging.send(signal.SIGCONT)
        publishing.end()
        arrival = Arrival(nodes, work / "out.db")
        arrival.wait()
        reading.stop()
        arrival.check()
    finally:
        nodes.kill()


def partition(work, runs):
    """Nothing is lost or stored twice while the network between the leader and the other nodes is cut, or
    swallows what they send."""
    nodes = Cluster(work, ARGUMENTS.cluster_server, relays=True)
    try:
        until("the cluster", lambda: nodes.ask("$JS.API.INFO"))
        recording(work / "in.ndjson", COUNT)
        options = f"servers: [{nodes.urls}], stream: T, timeout: 2s"
        sink = f"nats: {{ {options}, max_pending: {PENDING}, create: {{ replicas: 3 }} }}, retry: {{ max_elapsed: 5m }}"
        publishing = Run(work, "publish", "replay: { path: '-' }", f"{{ {sink} }}",
                         "runtime: { drain_timeout: 2m }", subprocess.PIPE)
        runs.append(publishing)
        feeder = Feeder(work / "in.ndjson", publishing.process.stdin)
        feeder.start()
        until("the stream", lambda: nodes.ask("$JS.API.STREAM.INFO.T")["state"]["messages"] > 100)
        reading = Run(work, "read", f"{{ nats: {{ {options}, durable: w, ack_wait: 3s, batch: 100 }} }}",
                      "sqlite: { path: out.db }")
        runs.append(reading)
        until("the first records", lambda: count(work / "out.db") > 100)
        for state in ("cut", "swallow") * (4 if LONG else 1):
            alone = nodes.leader("T")
            equal(publishing.process.poll(), None, f"the publishing pipeline before the network is {state}")
            nodes.isolate(alone, state)
            until(f"another leader ({state})", lambda: leads_elsewhere(nodes, alone), 60)
            time.sleep(2)
            nodes.isolate(alone, "open")
            until(f"the node's return ({state})", lambda: nodes.is_current("T"), 90)
        feeder.rest.set()
        publishing.end()
        arrival = Arrival(nodes, work / "out.db")
        arrival.wait()
        reading.stop()
        arrival.check()
    finally:
        nodes.kill()


def late(work, runs):
    """A source waits for a cluster that has no leader when it starts."""
    nodes = Cluster(work, NATS_SERVER)
    try:
        until("the cluster", lambda: nodes.ask("$JS.API.INFO"))
        recording(work / "in.ndjson", 100)
        options = f"servers: [{nodes.urls}], stream: T, timeout: 2s"
        publishing = Run(work, "publish", "replay: { path: in.ndjson }",
                         f"{{ nats: {{ {options}, create: {{ replicas: 3 }} }} }}")
        runs.append(publishing)
        publishing.end()
        for node in nodes.nodes[1:]:
            node.kill()
        reading = Run(work, "read", f"{{ nats: {{ {options}, durable: w, batch: 100 }} }}",
                      "sqlite: { path: out.db }")
        runs.append(reading)
        until("the source waits", lambda: "waits for the servers" in reading.text, 60)
        for node in nodes.nodes[1:]:
            node.start()
        until("all records", lambda: count(work / "out.db") >= 100, 60)
        reading.stop()
        equal(stored(work / "out.db"), (100, 100), "exchanges and different ids in the database")
    finally:
        nodes.kill()


def leads_elsewhere(nodes, hanging):
    for node in nodes.nodes:
        if node is hanging:
            continue
        leader = Client(node.port).ask("$JS.API.STREAM.INFO.T")["cluster"].get("leader")
        if leader and leader != hanging.name:
            return True
    return False


def full(work, runs):
    """A full stream makes the sink fail; it goes on when there is room."""
    server = Server(work, "single", free_ports(1)[0])
    try:
        until("the server", lambda: Client(server.port).ask("$JS.API.INFO"))
        recording(work / "few.ndjson", 500)
        sink = (f"{{ nats: {{ servers: 'nats://127.0.0.1:{server.port}', stream: F, create: {{ max_messages: 100 }} }}, "
                "retry: { max_interval: 100ms } }")
        run = Run(work, "full", "replay: { path: few.ndjson }", sink, "runtime: { drain_timeout: 1m }")
        runs.append(run)
        until("the error", lambda: "maximum messages exceeded" in run.text)
        taken = 0
        while run.process.poll() is None and taken < 1000:
            try:
                taken += Client(server.port).ask("$JS.API.STREAM.PURGE.F")["purged"]
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        run.end()
        taken += Client(server.port).ask("$JS.API.STREAM.PURGE.F")["purged"]
        equal(taken, 500, "messages of the full stream")
    finally:
        server.kill()


def durable(work, runs):
    """Messages are acknowledged, and a queue on disk forgets records, once the sinks' files are on disk."""
    trace = work / "calls"
    under = ["strace", "-f", "-y", "-qq", "-e", "trace=fsync,fdatasync", "-e", "signal=none", "-o", trace]
    if subprocess.run([*under, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("nats: durable is skipped, since strace may not trace here", flush=True)
        return
    server = Server(work, "single", free_ports(1)[0])
    try:
        until("the server", lambda: Client(server.port).ask("$JS.API.INFO"))
        recording(work / "few.ndjson", 500)
        options = f"servers: 'nats://127.0.0.1:{server.port}', stream: T"
        publishing = Run(work, "publish", "replay: { path: few.ndjson }", f"nats: {{ {options}, create: {{}} }}")
        runs.append(publishing)
        publishing.end()
        reading = Run(work, "read", f"{{ nats: {{ {options}, durable: w }} }}",
                      "{ sqlite: { path: out.db } }, { ndjson: { path: out.ndjson }, queue: { disk: waiting } }",
                      under=under)
        runs.append(reading)

        def is_acknowledged():
            consumer = Client(server.port).ask("$JS.API.CONSUMER.INFO.T.w")
            return consumer["ack_floor"]["stream_seq"] == 500
        until("the acknowledgements", is_acknowledged)
        calls = trace.read_text()
        traced = pathlib.Path(f"/proc/{reading.process.pid}/task/{reading.process.pid}/children")
        os.kill(int(traced.read_text().split()[0]), signal.SIGINT)
        reading.end()
        for name in ("out.db-wal", "out.ndjson", "waiting/"):
            if f"/{name}" not in calls:
                fail(f"'{name}' was not synced before its messages were acknowledged:\n{calls}")
    finally:
        server.kill()


def secure(work, runs):
    """Nothing is lost or stored twice while a server with TLS is killed and started again on its port."""
    certificate(work)
    server = Server(work, "secure", free_ports(1)[0], tls=True)

    def ask(subject):
        return Client(server.port, server.authority).ask(subject)

    try:
        until("the server", lambda: ask("$JS.API.INFO"))
        recording(work / "in.ndjson", 2000)
        options = (f"servers: 'tls://127.0.0.1:{server.port}', stream: T, timeout: 2s, "
                   "tls: { authorities: [cert.pem] }")
        sink = f"nats: {{ {options}, max_pending: {PENDING}, create: {{}} }}, retry: {{ max_elapsed: 5m }}"
        publishing = Run(work, "publish", "replay: { path: '-' }", f"{{ {sink} }}",
                         "runtime: { drain_timeout: 1m }", subprocess.PIPE)
        runs.append(publishing)
        feeder = Feeder(work / "in.ndjson", publishing.process.stdin)
        feeder.start()
        until("the stream", lambda: ask("$JS.API.STREAM.INFO.T")["state"]["messages"] > 100)
        reading = Run(work, "read", f"{{ nats: {{ {options}, durable: w, ack_wait: 2s, batch: 100 }} }}",
                      "sqlite: { path: out.db }")
        runs.append(reading)
        until("the first records", lambda: count(work / "out.db") > 100)
        for number in range(1, 3):
            server.kill()
            until("the loss of the connections",
                  lambda: all(run.text.count("connection to the server is lost") >= number for run in (publishing, reading)))
            server.start()
            until("new connections",
                  lambda: all(run.text.count("connected again") >= number for run in (publishing, reading)))
        feeder.rest.set()
        publishing.end()
        until("all records", lambda: count(work / "out.db") >= 2000)
        reading.stop()
        equal(stored(work / "out.db"), (2000, 2000), "exchanges and different ids in the database")
        equal(ask("$JS.API.STREAM.INFO.T")["state"]["messages"], 2000, "messages in the stream")
        consumer = ask("$JS.API.CONSUMER.INFO.T.w")
        equal((consumer["num_pending"], consumer["num_ack_pending"]), (0, 0), "messages that wait")
    finally:
        server.kill()


def main():
    work = pathlib.Path(tempfile.mkdtemp(prefix="tapline-nats"))
    runs = []
    try:
        for test in (full, late, durable, secure, cluster, partition):
            began = time.monotonic()
            (work / test.__name__).mkdir()
            test(work / test.__name__, runs)
            print(f"nats: {test.__name__} passed in {time.monotonic() - began:.1f} s", flush=True)
    except TimeoutError as error:
        for run in runs:
            print(f"--- {run.log.name}\n{run.text[-2000:]}", file=sys.stderr)
        fail(str(error))
    finally:
        for run in runs:
            run.kill()
        shutil.rmtree(work, ignore_errors=True)
    print("nats: all checks passed")


main()
