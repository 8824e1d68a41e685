# SPDX-License-Identifier: MIT
"""The processes of the example: three servers, three captures and four workers, all on loopback."""

import os
import pathlib
import signal
import socket
import subprocess
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
SERVERS, CAPTURES, WORKERS = 3, 3, 4
NATS_SERVER = os.environ.get("NATS_SERVER", "/usr/sbin/nats-server")


class Failure(Exception):
    """Why the example cannot go on."""


def command(given):
    """The command that is given, or else the one that was built here."""
    builds = [HERE / "../../.build" / mode / "tapline" for mode in ("release", "debug")]
    for path in [pathlib.Path(given)] if given else builds:
        if path.is_file():
            return path.resolve()
    raise SystemExit(f"there is no command '{given}'" if given else
                     "the command is not built yet; build it with: swift build -c release --product tapline")


def until(what, condition, seconds=60):
    """Waits until a condition holds, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        if time.monotonic() > end:
            raise Failure(f"waited {seconds} s for {what}")
        time.sleep(0.05)


def free_ports(count):
    """Ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for found in sockets:
        found.bind(("127.0.0.1", 0))
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def answers(port):
    """Whether something listens on a port."""
    with socket.create_connection(("127.0.0.1", port), timeout=1):
        return True


class Part:
    """A process that may be killed and started again; its output is in a log."""

    def __init__(self, folder, name, command, variables=None):
        self.name, self.command = name, command
        self.log = folder / f"{name}.log"
        self.environment = dict(os.environ, **(variables or {}))
        self.process = None

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def start(self):
        with open(self.log, "ab") as log:
            # In a session of its own, so that control-C reaches only this program, which ends all.
            self.process = subprocess.Popen(
                self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                env=self.environment, start_new_session=True)

    def kill(self):
        """Ends it with signal 9."""
        if self.is_running:
            self.process.kill()
        if self.process is not None:
            self.process.wait()

    def interrupt(self):
        """Asks it to end, as control-C does; a second time would end it at once."""
        if self.is_running:
            self.process.send_signal(signal.SIGINT)

    def wait(self, seconds=40):
        """Waits for its end, and ends it with signal 9 if that takes too long; returns the exit code."""
        if self.is_running:
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode if self.process is not None else 0

    def tail(self):
        return self.log.read_text(errors="replace")[-1500:] if self.log.exists() else ""


class Parts:
    """All processes of the example."""

    def __init__(self, folder, tapline, variables=None):
        self.folder, self.tapline = folder, str(tapline)
        clients, routes, monitors = free_ports(SERVERS), free_ports(SERVERS), free_ports(SERVERS)
        self.ports, self.monitors = clients, monitors
        self.variables = {f"NATS_{number + 1}": f"nats://127.0.0.1:{port}"
                          for number, port in enumerate(clients)} | (variables or {})
        urls = ", ".join(f'"nats://127.0.0.1:{port}"' for port in routes)
        self.servers = []
        for number, (client, route, monitor) in enumerate(zip(clients, routes, monitors), 1):
            file = folder / f"server-{number}.conf"
            file.write_text(
                f"server_name: server-{number}\nlisten: 127.0.0.1:{client}\nhttp: 127.0.0.1:{monitor}\n"
                f'jetstream {{ store_dir: "{folder}/server-{number}", max_mem: 64M, max_file: 4G }}\n'
                f"cluster {{ name: example, listen: 127.0.0.1:{route}, routes: [{urls}] }}\n")
            self.servers.append(Part(folder, f"server-{number}", [NATS_SERVER, "-c", str(file)]))
        self.stores = [folder / f"worker-{number}.db" for number in range(1, WORKERS + 1)]
        self.workers = [self.pipeline(f"worker-{number}", "worker.yaml", STORE=str(store))
                        for number, store in enumerate(self.stores, 1)]
        self.captures = []

    def pipeline(self, name, file, **variables):
        return Part(self.folder, name, [self.tapline, "run", str(HERE / file), "--quiet"],
                    self.variables | variables)

    @property
    def all(self):
        return self.captures + self.workers + self.servers

    def start(self):
        """Starts the servers, then the captures, which create the stream, then the workers."""
        # One after the other: servers of version 2.9 that connect to each other at once may drop both connections.
        for server, port in zip(self.servers, self.ports):
            server.start()
            until("the servers", lambda port=port: answers(port))
        # A cluster without a leader refuses the stream: a capture that ends is started again.
        self.captures[0].start()
        self.settle(self.captures[:1])
        for capture in self.captures[1:]:
            capture.start()
        self.settle(self.captures)
        for worker in self.workers:
            worker.start()
        self.settle(self.workers)

    def are_current(self):
        """Whether all servers run and have everything; raises OSError if one does not."""
        for port in self.monitors:
            self.monitor(port, "healthz")
        return True

    def monitor(self, port, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as answer:
            return answer.read().decode()

    def settle(self, parts, seconds=60):
        """Waits until parts have run for two seconds; starts again what has ended."""
        end = time.monotonic() + seconds
        since = time.monotonic()
        while time.monotonic() - since < 2:
            for part in parts:
                if not part.is_running:
                    if time.monotonic() > end:
                        raise Failure(f"{part.name} does not start:\n{part.tail()}")
                    time.sleep(0.5)
                    part.start()
                    since = time.monotonic()
            time.sleep(0.05)

    def revive(self):
        """Starts again what has ended by itself, as a service manager does."""
        for part in self.all:
            if not part.is_running:
                part.start()

    def stop(self):
        """Ends captures and workers as control-C does, then the servers."""
        for part in self.captures + self.workers:
            part.interrupt()
        codes = [part.wait() for part in self.captures + self.workers]
        self.kill()
        return codes

    def kill(self):
        """Ends everything at once."""
        for part in self.all:
            part.kill()
