# SPDX-License-Identifier: MIT
"""The steps of `booted`, under systemd."""

import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

CONFIGURATION = pathlib.Path("/etc/tapline/tapline.yaml")
RECORDS = pathlib.Path("/var/lib/tapline/traffic.ndjson")
PORT = 8080


def run(*words, expected=0):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != expected:
        sys.exit(f"FAILED  {words}: exit code {done.returncode}: {done.stdout}{done.stderr}{journal()}")
    return done.stdout.strip()


def journal(*options):
    return subprocess.run(["journalctl", "--no-pager", "--output=cat", "-u", "tapline.service", *options],
                          capture_output=True, text=True, check=False).stdout


def check(name, holds):
    print(f"{'ok' if holds else 'FAILED'}  {name}", flush=True)
    if not holds:
        sys.exit(journal()[-3000:])


def until(name, condition, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return check(name, True)
        time.sleep(0.02)
    check(name, False)


def property_of(unit, name):
    return run("systemctl", "show", "--value", f"--property={name}", unit)


def main_id():
    return int(property_of("tapline.service", "MainPID"))


def signs_of_life():
    """The time of the last sign of life, in microseconds."""
    return int(property_of("tapline.service", "WatchdogTimestampMonotonic"))


def request(path="/"):
    """Sends a request through the proxy to a server that is not there; returns the status."""
    with socket.create_connection(("127.0.0.1", PORT), 20) as client:
        client.sendall(f"GET http://127.0.0.1:1{path} HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n".encode())
        return int(client.recv(65536).split(b" ")[1])


def records():
    return [json.loads(line) for line in RECORDS.read_text(encoding="utf-8").splitlines()] if RECORDS.exists() else []


class Load:
    """Sends requests one after the other until it is stopped."""

    total = 0

    def __init__(self):
        self.sent, self.failures, self.ends = 0, [], threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while not self.ends.is_set():
            try:
                if request("/load") != 502:
                    self.failures.append("another status")
            except (OSError, IndexError) as error:
                self.failures.append(repr(error))
            self.sent += 1

    def stop(self):
        self.ends.set()
        self.thread.join()
        Load.total += self.sent
        return self.failures


def service():
    run("dpkg", "-i", "/run/test/old.deb")
    check("installing starts nothing", property_of("tapline.service", "ActiveState") == "inactive")
    run("systemctl", "start", "tapline.service")
    check("the service is active once it listens", request() == 502)
    status = pathlib.Path(f"/proc/{main_id()}/status").read_text(encoding="utf-8")
    check("it runs without capabilities, in a filter of system calls",
          "CapBnd:\t0000000000000000" in status and "Seccomp:\t2" in status and "NoNewPrivs:\t1" in status)
    check("as the user 'tapline'", property_of("tapline.service", "User") == "tapline"
          and os.stat(f"/proc/{main_id()}").st_uid == os.stat("/var/lib/tapline").st_uid)
    seen = pathlib.Path(f"/proc/{main_id()}/root")
    check("it sees no home folders and no devices", not any((seen / "root").iterdir())
          and not (seen / "dev/kmsg").exists())


def reload():
    before = main_id()
    load = Load()
    CONFIGURATION.write_text(CONFIGURATION.read_text(encoding="utf-8").replace("64KiB", "32KiB"), encoding="utf-8")
    run("systemctl", "reload", "tapline.service")
    until("a reload is announced", lambda: "generation 2" in property_of("tapline.service", "StatusText"))
    until("requests go on", lambda: load.sent > 20)
    failures = load.stop()
    check(f"none fails, and the process is the same {failures[:1]}", not failures and main_id() == before)
    text = CONFIGURATION.read_text(encoding="utf-8")
    CONFIGURATION.write_text(text.replace("stages:", "stagse:"), encoding="utf-8")
    run("systemctl", "reload", "tapline.service")
    until("a wrong configuration is reported", lambda: "has failed" in property_of("tapline.service", "StatusText"))
    check("with its place in the journal", "stagse" in journal())
    check("and changes nothing", main_id() == before and request() == 502
          and property_of("tapline.service", "ActiveState") == "active")
    CONFIGURATION.write_text(text, encoding="utf-8")


def watchdog():
    """A process that is stuck is ended and started again; the time is shorter than the unit's."""
    folder = pathlib.Path("/etc/systemd/system/tapline.service.d")
    folder.mkdir()
    (folder / "test.conf").write_text("[Service]\nWatchdogSec=2s\nRestartSec=100ms\n", encoding="utf-8")
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", "tapline.service")
    first = main_id()
    started = signs_of_life()
    until("a process that works shows signs of life", lambda: signs_of_life() - started > 4_000_000)
    check("and outlives its watchdog", main_id() == first)
    os.kill(first, signal.SIGSTOP)
    until("a process that is stuck is started again",
          lambda: main_id() not in (0, first) and property_of("tapline.service", "ActiveState") == "active", 30)
    check("by the watchdog", "atchdog timeout" in run("journalctl", "--no-pager", "--output=cat", "UNIT=tapline.service"))
    os.kill(main_id(), signal.SIGKILL)
    until("so is a killed one", lambda: property_of("tapline.service", "NRestarts") == "2"
          and property_of("tapline.service", "ActiveState") == "active")
    until("it answers", lambda: request() == 502)
    (folder / "test.conf").unlink()
    folder.rmdir()
    run("systemctl", "daemon-reload")


def by_socket():
    """systemd listens, so connections wait while no process runs."""
    run("systemctl", "stop", "tapline.service")
    run("systemctl", "start", "tapline.socket")
    check("a request starts the service by its socket", request("/load") == 502
          and property_of("tapline.service", "ActiveState") == "active")
    before = main_id()
    run("systemctl", "stop", "tapline.service")
    check("and again after it was stopped", request("/load") == 502 and main_id() not in (0, before))
    load = Load()
    for _ in range(3):
        # The limit of starts is for a service that fails.
        run("systemctl", "reset-failed", "tapline.service")
        run("systemctl", "restart", "tapline.service")
    failures = load.stop()
    check(f"no request fails while it restarts {failures[:1]}", not failures and load.sent > 20)
    before = main_id()
    run("dpkg", "-i", "/run/test/new.deb")
    until("an upgrade starts the new program", lambda: main_id() not in (0, before)
          and property_of("tapline.service", "ActiveState") == "active")
    check("which answers", request("/load") == 502)
    run("systemctl", "stop", "tapline.socket", "tapline.service")
    found = sum(record["request"]["url"].endswith("/load") for record in records())
    check(f"each of {Load.total + 3} requests has a record", found == Load.total + 3)


def wrong():
    text = CONFIGURATION.read_text(encoding="utf-8")
    CONFIGURATION.write_text(text.replace("proxy:", "prxoy:"), encoding="utf-8")
    run("systemctl", "start", "tapline.service", expected=1)
    check("a wrong configuration fails once, with exit code 78",
          property_of("tapline.service", "ExecMainStatus") == "78"
          and property_of("tapline.service", "NRestarts") == "0"
          and property_of("tapline.service", "ActiveState") == "failed")
    CONFIGURATION.write_text(text, encoding="utf-8")
    run("systemctl", "reset-failed", "tapline.service")
    run("systemctl", "start", "tapline.service")
    exposure = re.search(r"exposure level for tapline.service: ([0-9.]+)",
                         run("systemd-analyze", "security", "--no-pager", "tapline.service"))
    check(f"the exposure of the running service is {exposure.group(1)}", float(exposure.group(1)) <= 2)


service()
reload()
watchdog()
by_socket()
wrong()
run("dpkg", "-r", "tapline")
check("removing stops it", property_of("tapline.service", "ActiveState") in ("inactive", "failed"))
