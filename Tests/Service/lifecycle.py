# SPDX-License-Identifier: MIT
"""The steps of `lifecycle`, within the copy of the system."""

import os
import pathlib
import pwd
import socket
import subprocess
import sys
import time

STUBS = {
    # The stubs of systemd's tools note how they are called, and the test acts as systemd would.
    "systemctl": '#!/bin/sh\necho "systemctl $*" >>/tmp/calls\ncase "$*" in *is-active*) [ -e /tmp/active ];; esac\n',
    "deb-systemd-invoke": '#!/bin/sh\necho "invoke $*" >>/tmp/calls\n',
}


def check(name, holds):
    print(f"{'ok' if holds else 'FAILED'}  {name}", flush=True)
    if not holds:
        sys.exit(1)


def dpkg(*words):
    done = subprocess.run(["dpkg", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"FAILED  dpkg {words}: {done.stdout}{done.stderr}")


def calls():
    file = pathlib.Path("/tmp/calls")
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    file.unlink(missing_ok=True)
    return text


def user():
    try:
        return pwd.getpwnam("tapline")
    except KeyError:
        return None


def identity():
    return {"user": user().pw_uid, "group": user().pw_gid, "extra_groups": []}


def answers(port):
    with socket.create_connection(("127.0.0.1", port), 5) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n")
        return client.recv(12).startswith(b"HTTP/1.1 ")


def snapshot():
    found = set()
    for top in ("/etc", "/usr", "/lib/systemd", "/var/lib"):
        for folder, folders, files in os.walk(top):
            found.update(f"{folder}/{name}" for name in folders + files if "tapline" in f"{folder}/{name}")
    return {path for path in found if "/dpkg/" not in path}


for name, text in STUBS.items():
    stub = pathlib.Path("/usr/local/sbin", name)
    stub.write_text(text, encoding="utf-8")
    stub.chmod(0o755)
os.makedirs("/run/systemd/system")
before = snapshot()

dpkg("-i", "/tmp/old.deb")
check("installing makes the user", user() is not None and user().pw_dir == "/var/lib/tapline")
status = os.stat("/var/lib/tapline")
check("only the user may enter /var/lib/tapline", status.st_mode & 0o777 == 0o700 and status.st_uid == user().pw_uid)
found = calls()
check("installing starts nothing", "invoke" not in found and "daemon-reload" in found)
checked = subprocess.run(["/usr/bin/tapline", "check", "/etc/tapline/tapline.yaml"], **identity(), capture_output=True, text=True, check=False)
check("the configuration is valid", checked.returncode == 0 and "warning" not in checked.stderr)
page = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "/usr/share/man/man1/tapline.1.gz"], capture_output=True, text=True, check=False) \
    if os.path.exists("/usr/bin/man") else None
check("the manual page formats without warnings", page is None or (page.returncode == 0 and not page.stderr.strip()))

# On a port of its own, since 8080 may be taken on this machine.
port = 18080
while True:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)):
            break
    port += 1
configuration = pathlib.Path("/etc/tapline/tapline.yaml")
configuration.write_text(configuration.read_text(encoding="utf-8").replace("8080", str(port)), encoding="utf-8")
words = ["/usr/bin/tapline", "run", "--quiet", str(configuration)]
program = {"PATH": os.environ["PATH"], "HOME": "/var/lib/tapline"}


def start():
    service = subprocess.Popen(words, **identity(), env=program, stderr=subprocess.PIPE)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            if answers(port):
                return service
        except OSError:
            time.sleep(0.02)
    service.kill()
    sys.exit(f"FAILED  the service does not answer: {service.stderr.read()}")


service = start()
check("the service answers as the user", True)
pathlib.Path("/tmp/active").touch()
dpkg("-i", "/tmp/new.deb")
found = calls()
check("the running service survives the upgrade", service.poll() is None and answers(port))
check("the upgrade restarts it", "invoke restart tapline.service" in found)
check("the upgrade keeps a changed configuration", str(port) in configuration.read_text(encoding="utf-8"))
service.terminate()
check("the replaced program ends with its records written", service.wait(20) == 0)
service = start()
service.terminate()
service.wait(20)
check("the records are the user's only", os.stat("/var/lib/tapline/traffic.ndjson").st_mode & 0o777 == 0o600)

pathlib.Path("/tmp/active").unlink()
dpkg("-i", "/tmp/new.deb")
check("an upgrade leaves a stopped service stopped", "invoke" not in calls())

dpkg("-r", "tapline")
check("removing stops the service and its socket", "invoke stop tapline.socket tapline.service" in calls())
check("removing keeps configuration and records", configuration.exists() and os.path.exists("/var/lib/tapline/traffic.ndjson"))
check("removing removes the program", not os.path.exists("/usr/bin/tapline"))
dpkg("-P", "tapline")
left = snapshot() - before
check(f"purging leaves nothing {sorted(left)[:5] if left else ''}", not left and user() is None)
