# SPDX-License-Identifier: MIT
"""The configurations and commands that AllTraffic.md has for a whole machine, as written there: on a router, on one
machine, and in containers, with clients of IPv4 and IPv6.

Each runs in a network of its own and in a root folder of its own, so that nothing here changes.
"""

import os
import pathlib
import re
import signal
import socket
import subprocess
import time

import yaml

PAGE = pathlib.Path(__file__).resolve().parents[3] / "Plugins/Sources/Proxy/AllTraffic.md"
ADDRESSES = {4: "203.0.113.7", 6: "2001:db8::7"}
# What Docker leaves to a process of root.
CAPABILITIES = ("chown dac_override fowner fsetid kill setgid setuid setpcap net_bind_service net_raw sys_chroot mknod "
                "audit_write setfcap").split()
QUIC = ("import socket,sys\ns=socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET,socket.SOCK_DGRAM)\n"
        "s.settimeout(2);s.connect((sys.argv[1],443))\n"
        "try: s.send(b'x'*1200);s.recv(9)\nexcept OSError as e: print(type(e).__name__)\n")
# What a program gets for a rejected datagram: the latter if it runs on the machine with the rules.
REJECTED = ("ConnectionRefusedError\n", "PermissionError\n")


class Page:
    """The blocks of code in the part about a whole machine: files by their names, and commands by their headings."""

    def __init__(self, text):
        self.files, self.commands = {}, {}
        heading = ""
        part = text.split("\n## A whole machine", 1)[1]
        for match in re.finditer(r"^#+ ([^\n]+)$|^```(\w*)\n(.*?)^```$", "\n" + part, re.M | re.S):
            title, language, code = match.groups()
            if title:
                heading = title
            elif language == "sh":
                self.commands.setdefault(heading, []).extend(code.splitlines())
            else:
                name = re.match(r"# (\S+\.(?:yaml|nft))\n", code)
                if not name:
                    raise ValueError(f"a block of code below '{heading}' has no name")
                self.files[name[1]] = code


class Network:
    """A network of its own, until `end`."""

    def __init__(self, outer=()):
        self.process = subprocess.Popen(
            [*outer, "unshare", "--net", "--kill-child", "--fork", "sh", "-c", "echo $$; exec sleep 600"],
            stdout=subprocess.PIPE, text=True)
        self.pid = self.process.stdout.readline().strip()
        self.words = ["nsenter", f"--net=/proc/{self.pid}/ns/net"]
        self.run("ip", "link", "set", "lo", "up")

    def run(self, *words):
        subprocess.run([*self.words, *words], check=True, capture_output=True)

    def end(self):
        self.process.kill()
        self.process.wait()


def connect(near, name, far, far_name, prefixes):
    """Connects two networks; the near end gets the first address of each prefix, and leads on from the far one."""
    near.run("ip", "link", "add", name, "type", "veth", "peer", "name", far_name, "netns", far.pid)
    for network, interface, host in ((near, name, 1), (far, far_name, 2)):
        for prefix, length in zip(prefixes, (24, 64)):
            network.run("ip", "address", "add", f"{prefix}{host}/{length}", "dev", interface,
                        *(["nodad"] if length == 64 else []))
        network.run("ip", "link", "set", interface, "up")
    for prefix in prefixes:
        far.run("ip", "route", "add", "default", "via", f"{prefix}1")


class Here:
    """The network of this process."""
    words, pid = [], str(os.getpid())

    def run(self, *words):
        subprocess.run(words, check=True, capture_output=True)


class Machine:
    """A network with the servers outside, and a copy of this machine's files that may change."""

    def __init__(self, check, page):
        self.check, self.page = check, page
        self.work = check.work / "machine"
        self.root = self.work / "root"
        self.folder = self.root / "srv"
        self.started = []
        self.network = Network()
        connect(Here(), "outside0", self.network, "wan0", ("198.51.100.", "2001:db8:1::"))
        self.work.mkdir()
        call = lambda *words: subprocess.run(words, check=True, capture_output=True)
        call("mount", "-t", "tmpfs", "-o", "mode=755", "machine", self.work)
        for name in ("upper", "work", "root"):
            (self.work / name).mkdir()
        call("mount", "-t", "overlay", "machine", "-o",
             f"lowerdir=/,upperdir={self.work}/upper,workdir={self.work}/work", self.root)
        for place in ("/proc", "/dev"):
            call("mount", "--rbind", place, f"{self.root}{place}")
        (self.root / "usr/local/bin/tapline").unlink(missing_ok=True)
        subprocess.run(["cp", check.tapline, self.root / "usr/local/bin/tapline"], check=True)
        store = self.root / "etc/ssl/certs/ca-certificates.crt"
        store.write_text(store.read_text() + (check.work / "ca.pem").read_text())
        for name, text in page.files.items():
            (self.folder / name).write_text(text)

    def end(self):
        for process, _ in reversed(self.started):
            if process.poll() is None:
                process.kill()
            process.wait()
        subprocess.run(["ip", "link", "delete", "outside0"], check=True)
        self.network.end()
        subprocess.run(["umount", "--recursive", "--lazy", self.work], check=True)
        self.work.rmdir()

    def words(self, words, folder="/srv", inner=()):
        return [*self.network.words, *inner, "chroot", str(self.root), "env", "-i", "-C", folder,
                "HOME=/root", "PATH=/usr/local/bin:/usr/sbin:/usr/bin", *words]

    def start(self, words, inner=()):
        """Starts Tapline, and returns its standard output once it listens, or has failed to."""
        number = len(self.started)
        output, errors = (self.work / f"{name}{number}" for name in ("output", "errors"))
        with output.open("w") as out, errors.open("w") as error:
            process = subprocess.Popen(self.words(words, inner=inner), stdout=out, stderr=error, process_group=0)
        self.started.append((process, errors))
        for _ in range(400):
            if errors.read_text().count("listening on") == 2 or process.poll() is not None:
                break
            time.sleep(0.05)
        self.check.expect(process.poll() is None, f"'{' '.join(words)}' starts", errors.read_text())
        return output

    def type(self, lines):
        """Runs lines of a shell as root; returns the output of the one that ends in `&`, which is Tapline."""
        output = None
        for line in lines:
            words = ["sh", "-c", line.removesuffix("&")]
            if line.endswith("&"):
                output = self.start(["sh", "-c", f"exec {line.removesuffix('&')}"])
                continue
            result = subprocess.run(self.words(words), capture_output=True, text=True)
            self.check.expect(result.returncode == 0, f"'{line}' works", result.stderr)
        return output

    def stop(self):
        for process, _ in self.started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
            process.wait(timeout=20)

    def authority(self):
        """The certificate that clients have to trust, whose file Tapline names when it starts."""
        named = [re.search(r"trust the certificate in '/(.*?)'", errors.read_text()) for _, errors in self.started]
        return "".join((self.root / match[1]).read_text() for match in named if match)

    def serve(self, what, inside, output, root=None):
        """Checks clients of both families, what they try over UDP, and the lines that Tapline has written."""
        # Where all users can read it.
        trusted = self.check.work / "trusted.pem"
        trusted.write_text(root or self.authority())
        for version, address in ADDRESSES.items():
            url_host = f"[{address}]" if version == 6 else address
            for scheme in ("http", "https"):
                words = [*inside, "curl", "-sS", "-m", "10", f"-{version}", "--noproxy", "*", "--cacert", str(trusted),
                         "--resolve", f"shop.test:443:{url_host}", "--resolve", f"shop.test:80:{url_host}",
                         f"{scheme}://shop.test/{scheme}{version}"]
                result = subprocess.run(words, capture_output=True, text=True, cwd="/")
                self.check.expect(result.stdout == f"hello /{scheme}{version}\n",
                                  f"{what}: a client gets {scheme} over IPv{version}", result.stdout + result.stderr)
            result = subprocess.run([*inside, "/usr/bin/python3", "-c", QUIC, address], capture_output=True, text=True)
            self.check.expect(result.stdout in REJECTED, f"{what}: HTTP/3 over IPv{version} is rejected",
                              result.stdout + result.stderr)
        self.stop()
        lines = output.read_text() if output else "no output"
        for path in ("http4", "https4", "http6", "https6"):
            self.check.expect(re.search(rf"GET +200 +shop\.test/{path}\b", lines), f"{what}: /{path} is seen", lines)
        result = subprocess.run(self.words(["nft", "delete", "table", "inet", "tapline"]), capture_output=True, text=True)
        self.check.expect(result.returncode == 0, f"{what}: the rules can be removed", result.stderr)


def router(machine):
    """Clients of an interface: redirected, then by TPROXY."""
    lan = Network(machine.network.words)
    try:
        connect(machine.network, "lan0", lan, "eth0", ("192.168.1.", "fd00:1::"))
        for key in ("net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"):
            machine.network.run("sysctl", "-qw", f"{key}=1")
        output = machine.type(machine.page.commands["A router"])
        machine.serve("router", lan.words, output)
        machine.started.clear()
        (machine.folder / "tproxy.yaml").write_text(
            machine.page.files["router.yaml"].replace("mode: transparent,", "mode: transparent, tproxy: true,"))
        output = machine.type(machine.page.commands["A router with TPROXY"])
        machine.serve("router with TPROXY", lan.words, output)
    finally:
        lan.end()


def local(machine):
    """The programs of other users."""
    output = machine.type(machine.page.commands["One machine"])
    machine.serve("one machine", [*machine.network.words, "setpriv", "--reuid=nobody", "--clear-groups"], output)


def containers(machine):
    """The containers of the file for `docker compose`, with the users and capabilities that Docker gives them."""
    machine.type([line for line in machine.page.commands["Containers"] if not line.startswith("docker")])
    services = yaml.safe_load(machine.page.files["compose.yaml"])["services"]
    ordered = sorted((s for s in services if s != "shop"), key=lambda name: "depends_on" in services[name])
    output = None
    for name in ordered:
        service = services[name]
        expected = service["network_mode"] == "service:shop"
        machine.check.expect(expected, f"containers: '{name}' is in the network of the service", service)
        mounts = [volume.split(":") for volume in service["volumes"]]
        steps = [f"mkdir -p '{machine.root}{place}' && mount --bind '{machine.folder}/{source}' '{machine.root}{place}'"
                 for source, place in mounts]
        inner = ["unshare", "--mount", "sh", "-c", " && ".join([*steps, 'exec "$@"']), "-"]
        entry = service["entrypoint"]
        if name == "tapline":
            output = machine.start([*confined(service), *entry], inner)
        else:
            result = subprocess.run(machine.words([*confined(service), *entry], inner=inner), capture_output=True,
                                    text=True)
            machine.check.expect(result.returncode == 0, f"containers: '{name}' works", result.stderr)
    shop = [*machine.network.words, "setpriv", "--reuid=nobody", "--clear-groups"]
    machine.serve("containers", shop, output, (machine.folder / "tapline/root.pem").read_text())


def confined(service):
    """The command that gives a process the user and the capabilities of a container."""
    dropped = "ALL" in service.get("cap_drop", [])
    kept = ([] if dropped else CAPABILITIES) + [name.lower() for name in service.get("cap_add", [])]
    bounds = ",".join(["-all", *(f"+{name}" for name in kept)])
    user = service["user"]
    return ["HOME=/", "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all",
            f"--bounding-set={bounds}"]


def documented(check):
    page = Page(PAGE.read_text())
    # A server over UDP that never answers: only the rules refuse datagrams.
    silent = []
    for version, address in ADDRESSES.items():
        silent.append(socket.socket(socket.AF_INET6 if version == 6 else socket.AF_INET, socket.SOCK_DGRAM))
        silent[-1].bind((address, 443))
    try:
        for part in (router, local, containers):
            machine = None
            try:
                machine = Machine(check, page)
                part(machine)
            finally:
                if machine:
                    machine.end()
    finally:
        for server in silent:
            server.close()
