# SPDX-License-Identifier: MIT
"""Real nats-servers on loopback ports, and a client that speaks as much of the protocol as the tests need."""

import json
import os
import pathlib
import signal
import socket
import ssl
import subprocess
import threading
import time

NATS_SERVER = "/usr/sbin/nats-server"


def until(what, condition, seconds=30):
    """Waits until a condition is true, and returns its value."""
    end = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except (OSError, KeyError, ValueError):
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def free_ports(count):
    """Ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    for found in sockets:
        found.bind(("127.0.0.1", 0))
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


def certificate(folder):
    """Makes a certificate for 127.0.0.1, which is its own authority."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=nats", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], check=True, capture_output=True)


class Server:
    """A node; it keeps its port and its messages when it is started again. With `tls`, clients have to use the
    certificate in its folder."""

    def __init__(self, folder, name, port, cluster=None, routes=(), advertise=None, tls=False,
                 program=NATS_SERVER):
        self.folder, self.name, self.port, self.program = pathlib.Path(folder), name, port, program
        self.authority = f"{self.folder}/cert.pem" if tls else None
        lines = [
            f"server_name: {name}", f"listen: 127.0.0.1:{port}", f'log_file: "{self.folder}/{name}.log"',
            f'jetstream {{ store_dir: "{self.folder}/{name}", max_mem: 64M, max_file: 2G }}',
        ]
        if tls:
            lines.append(f'tls {{ cert_file: "{self.authority}", key_file: "{self.folder}/key.pem" }}')
        if cluster:
            urls = ", ".join(f'"nats://127.0.0.1:{route}"' for route in routes)
            public = f', advertise: "127.0.0.1:{advertise}"' if advertise else ""
            lines.append(f"cluster {{ name: test, listen: 127.0.0.1:{cluster}, routes: [{urls}]{public} }}")
        (self.folder / f"{name}.conf").write_text("\n".join(lines) + "\n")
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.program, "-c", f"{self.folder}/{self.name}.conf"],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        """Ends it with signal 9."""
        self.process.send_signal(signal.SIGCONT)
        self.process.kill()
        self.process.wait()

    def send(self, number):
        os.kill(self.process.pid, number)


class Relay:
    """The network between two nodes: passes connections on, until it is cut or swallows what is sent."""

    def __init__(self, target):
        self.target, self.state, self.pairs = target, "open", []
        self.changed = threading.Condition()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def set(self, state):
        """`open`; `cut`: connections are reset and refused; `swallow`: nothing arrives, and nobody is told."""
        with self.changed:
            self.state = state
            broken, self.pairs = (self.pairs, []) if state == "cut" else ([], self.pairs)
            self.changed.notify_all()
        for pair in broken:
            for end in pair:
                end.close_now()

    def accept(self):
        while True:
            near = End(self.listener.accept()[0])
            with self.changed:
                is_cut = self.state == "cut"
            try:
                if is_cut:
                    raise OSError("cut")
                far = End(socket.create_connection(("127.0.0.1", self.target), timeout=3))
            except OSError:
                near.close_now()
                continue
            with self.changed:
                self.pairs.append((near, far))
            for source, sink in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(source, sink), daemon=True).start()

    def pump(self, source, sink):
        try:
            while data := source.socket.recv(65536):
                with self.changed:
                    self.changed.wait_for(lambda: self.state != "swallow")
                sink.socket.sendall(data)
        except OSError:
            pass
        source.close_now()
        sink.close_now()


class End:
    """One side of a connection of a relay."""

    def __init__(self, found):
        self.socket = found
        found.settimeout(None)

    def close_now(self):
        """Ends the connection, also for a thread that waits for it."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


class Cluster:
    """Several nodes that elect a leader for each stream and each consumer; with `relays`, each reaches each
    other one only through a relay of their own."""

    def __init__(self, folder, program, count=3, relays=False):
        ports = free_ports(2 * count + 1)
        clients, routes = ports[:count], ports[count:2 * count]
        self.relays = {(one, other): Relay(routes[other]) for one in range(count) for other in range(count)
                       if relays and one != other}
        # What nodes tell each other of their addresses leads nowhere, so that nothing goes around a relay.
        nowhere = ports[-1] if relays else None
        self.nodes = [Server(folder, f"n{index + 1}", clients[index], routes[index], self.routes(index, routes), nowhere,
                             program=program)
                      for index in range(count)]

    def routes(self, node, direct):
        return [relay.port for (one, _), relay in self.relays.items() if one == node] or direct

    def isolate(self, node, state):
        """Sets the state of all relays from and to a node."""
        index = self.nodes.index(node)
        for pair, relay in self.relays.items():
            if index in pair:
                relay.set(state)

    @property
    def urls(self):
        return ", ".join(f"'nats://127.0.0.1:{node.port}'" for node in self.nodes)

    def ask(self, subject, body=None):
        """The answer of any node that has one; one that knows no leader refuses for a while."""
        problem = OSError("no node answers")
        for node in self.nodes:
            if node.process.poll() is None:
                try:
                    return Client(node.port).ask(subject, body)
                except (OSError, ValueError) as error:
                    problem = error
        raise problem

    def leader(self, stream):
        """The node that leads a stream now."""
        def find():
            name = self.ask(f"$JS.API.STREAM.INFO.{stream}")["cluster"]["leader"]
            return next(node for node in self.nodes if node.name == name)
        return until(f"a leader of {stream}", find)

    def is_current(self, stream):
        """Whether all nodes have all of a stream."""
        found = self.ask(f"$JS.API.STREAM.INFO.{stream}")["cluster"]
        return len(found["replicas"]) == len(self.nodes) - 1 and all(
            replica["current"] and not replica.get("offline") for replica in found["replicas"])

    def kill(self):
        for node in self.nodes:
            node.kill()


class Client:
    """A connection for a few requests (https://docs.nats.io/reference/reference-protocols/nats-protocol)."""

    def __init__(self, port, authority=None):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=3)
        # The server speaks first, and only then TLS. Byte by byte, so that nothing of TLS is read here.
        while self.socket.recv(1) not in (b"\n", b""):
            pass
        if authority:
            context = ssl.create_default_context(cafile=authority)
            self.socket = context.wrap_socket(self.socket, server_hostname="127.0.0.1")
        self.file = self.socket.makefile("rb")
        self.socket.sendall(b'CONNECT {"verbose":false,"pedantic":false}\r\nSUB _INBOX.t.* 1\r\n')
        self.number = 0

    def request(self, subject, payload=b""):
        """The payload of the answer."""
        self.number += 1
        head = f"PUB {subject} _INBOX.t.{self.number} {len(payload)}\r\n".encode()
        self.socket.sendall(head + payload + b"\r\n")
        while True:
            line = self.file.readline()
            if not line:
                raise OSError("the server has closed the connection")
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            elif line.startswith(b"MSG"):
                words = line.split()
                answer = self.file.read(int(words[-1]) + 2)[:-2]
                if words[1] == f"_INBOX.t.{self.number}".encode():
                    return answer

    def ask(self, subject, body=None):
        """The answer of the JetStream API."""
        answer = json.loads(self.request(subject, b"" if body is None else json.dumps(body).encode()))
        if "error" in answer:
            raise ValueError(answer["error"].get("description", "error"))
        return answer
