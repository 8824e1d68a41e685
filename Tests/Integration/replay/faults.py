# SPDX-License-Identifier: MIT
"""What replay counts when things fail: due = sent + skipped + failed, and no request arrives twice."""

import json
import signal
import socket
import ssl
import subprocess
import threading
import time

from tools import Shop, eventually, require


def check(tapline, plain):
    recording = plain / "traffic.db"
    killed(tapline, recording)
    slow(tapline, recording)
    unreachable(tapline, recording)
    wrong(tapline)
    without_bodies(tapline, plain)


def once(arrived):
    require(len(set(arrived)) == len(arrived), f"{len(arrived) - len(set(arrived))} requests arrived twice")


def killed(tapline, recording):
    """The target is killed and comes back in the midst."""
    concurrency = 20
    with Shop(tapline.folder) as first:
        with tapline.start("replay", recording, "--to", first.url, "--rate", "300/s", "--limit", "900",
                           "--concurrency", concurrency, "--map", "off", "--json") as run:
            eventually(lambda: len(first.arrived()) >= 200, f"nothing arrives: {run.log}")
            first.process.stop(signal.SIGKILL)
            before, port = first.arrived(), first.port
            time.sleep(0.5)
            with Shop(tapline.folder, port=port) as second:
                code = run.wait(60)
                after = second.arrived()
    figures = json.loads(run.lines[-1])
    require(figures["due"] == figures["sent"] + figures["skipped"] + figures["failed"], f"counts: {figures}")
    require(figures["due"] == 900, f"{figures['due']} of 900 requests were due")
    require(code in (0, 1) and figures["failed"] > 50, f"no failures while nobody listens: {figures}, {run.log}")
    require(len(after) > 200, f"after the target came back, {len(after)} requests arrived")
    once(before + after)
    arrived = len(before) + len(after)
    # What was written to a connection just before the target was killed may not have been read.
    require(figures["sent"] - concurrency <= arrived <= figures["sent"],
            f"{arrived} requests arrived, {figures['sent']} were sent")


def slow(tapline, recording):
    """A target that is too slow: requests are late, or skipped, and the target is to blame."""
    for action in ("wait", "skip"):
        with Shop(tapline.folder, "--delay", "0.1") as shop:
            figures = tapline.replay(recording, shop, "--rate", "300/s", "--limit", "300", "--concurrency", "10",
                                     "--when-full", action, "--map", "off")
            arrived = shop.arrived()
        once(arrived)
        require(figures["due"] == 300, f"{action}: {figures['due']} of 300 requests were due")
        require(len(arrived) == figures["sent"], f"{action}: {len(arrived)} arrived, {figures['sent']} sent")
        if action == "wait":
            require(figures["sent"] == 300 and figures["late_by_target"] > 150, f"wait: {figures}")
            latency = figures["latency"]
            require(latency["response"]["p50_ns"] > 5 * latency["service"]["p50_ns"] > 4e8,
                    f"waiting does not count as latency: {latency}")
        else:
            require(100 < figures["skipped"] < 290, f"skip: {figures}")


def unreachable(tapline, recording):
    """Nobody listens, or its certificate is not trusted: everything due failed, and nothing was sent."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with UntrustedServer(tapline.folder) as server:
        for url in (f"http://127.0.0.1:{port}", f"https://127.0.0.1:{server.port}"):
            tapline("replay", recording, "--to", url, "--speed", "max", "--limit", "50", "--map", "off", "--json",
                    expected=None)
            figures = json.loads(tapline.output.splitlines()[-1])
            require((figures["due"], figures["sent"], figures["failed"]) == (50, 0, 50), f"{url}: {figures}")
            require(sum(figures["errors"].values()) == 50, f"{url}: errors {figures['errors']}")
        require(server.handshakes > 0 and not server.received, f"{server.received} bytes arrived")


class UntrustedServer:
    """A TLS server with a certificate that nobody trusts."""

    def __init__(self, folder):
        self.handshakes = self.received = 0
        key, certificate = folder / "untrusted.key", folder / "untrusted.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                        "-nodes", "-keyout", key, "-out", certificate, "-days", "1", "-subj", "/CN=127.0.0.1"],
                       check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def serve(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            self.handshakes += 1
            peer.settimeout(5)
            try:
                with self.context.wrap_socket(peer, server_side=True) as secured:
                    self.received += len(secured.recv(65536))
            except OSError:
                continue

    def __exit__(self, *error):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def wrong(tapline):
    """What is no recording is named, and nothing is sent."""
    (tapline.folder / "wrong.ndjson").write_text("this is no recording\n")
    with Shop(tapline.folder) as shop:
        for name in ("wrong.ndjson", "none.ndjson"):
            code = tapline("replay", name, "--to", shop.url, "--speed", "max", expected=None)
            require(code in (1, 64, 78) and name in tapline.log, f"{name}: {code}, {tapline.log}")
        tapline("replay", "wrong.ndjson", expected=64)
        require(not shop.arrived(), "something arrived")


def without_bodies(tapline, plain):
    """Requests whose bodies were not kept are named and not sent."""
    lines, bodies = [], 0
    for line in (plain / "traffic.ndjson").open():
        record = json.loads(line)
        if body := record["request"].get("body"):
            bodies += 1
            record["request"]["body"] = {"size": body["size"], "kept": 0, "truncated": True}
        lines.append(json.dumps(record) + "\n")
    path = tapline.folder / "without-bodies.ndjson"
    path.write_text("".join(lines))
    with Shop(tapline.folder) as shop:
        figures = tapline.replay(path, shop, "--speed", "max")
        arrived = shop.arrived()
    once(arrived)
    require(bodies > 0 and figures["sent"] == len(arrived) == len(lines) - bodies,
            f"{len(arrived)} of {len(lines)} arrived, {bodies} had bodies: {figures}")
    require(sum(figures["not_sent"].values()) == bodies, f"not sent: {figures['not_sent']}")
