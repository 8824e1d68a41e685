# SPDX-License-Identifier: MIT
"""A small service manager: it starts a program as systemd does and reads its notices."""

import atexit
import os
import signal
import socket
import time


class Service:
    """One started program. `notices` has all lines that it sent, in order, with their times."""

    def __init__(self, words, listen=None, watchdog=None, abstract=True, environment=None, log=None):
        self.path = f"/tmp/notify-{os.getpid()}-{time.monotonic_ns()}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(f"\0{self.path}" if abstract else self.path)
        self.notices = []
        variables = dict(environment or {"PATH": os.environ["PATH"], "HOME": "/tmp"})
        variables["NOTIFY_SOCKET"] = f"@{self.path}" if abstract else self.path
        if watchdog:
            variables["WATCHDOG_USEC"] = str(watchdog)
        self.listener = listen
        self.id = os.fork()
        if self.id == 0:
            self.become(words, variables, log)
        self.code = None
        atexit.register(self.end)

    def become(self, words, variables, log):
        try:
            if log:
                target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                os.dup2(target, 2)
            if self.listener:
                os.dup2(self.listener.fileno(), 3)
                os.set_inheritable(3, True)
                variables |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid()), "LISTEN_FDNAMES": "proxy"}
            os.execve(words[0], words, variables)
        finally:
            os._exit(127)

    def read(self, wait):
        """Reads one notice; returns whether there was one."""
        self.socket.settimeout(max(wait, 0.001))
        try:
            text = self.socket.recv(65536).decode()
        except TimeoutError:
            return False
        self.notices += [(time.monotonic(), line) for line in text.split("\n")]
        return True

    def expect(self, line, limit=20, after=0):
        """Waits for a line that begins with `line`; returns its position among the notices."""
        end = time.monotonic() + limit
        while True:
            for position in range(after, len(self.notices)):
                if self.notices[position][1].startswith(line):
                    return position
            if time.monotonic() > end:
                raise AssertionError(f"no '{line}' within {limit} s; got {[l for _, l in self.notices]}")
            self.read(min(0.2, end - time.monotonic()))
            if self.ended():
                raise AssertionError(f"ended with {self.code} before '{line}'; got {self.notices}")

    def ended(self):
        if self.code is None:
            found, status = os.waitpid(self.id, os.WNOHANG)
            if found:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None

    def end(self):
        """Ends a program that a failed check has left running."""
        if not self.ended():
            self.kill(signal.SIGKILL)
            os.waitpid(self.id, 0)
            self.code = -9

    def kill(self, number):
        os.kill(self.id, number)

    def stop(self, limit=20):
        """Stops the program as `systemctl stop` does; returns its exit code."""
        if not self.ended():
            self.kill(signal.SIGTERM)
        end = time.monotonic() + limit
        while not self.ended():
            self.read(0.02)
            if time.monotonic() > end:
                self.kill(signal.SIGKILL)
                raise AssertionError(f"does not end within {limit} s of SIGTERM")
        while self.read(0.01):
            pass
        self.socket.close()
        return self.code
