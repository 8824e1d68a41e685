# SPDX-License-Identifier: MIT
"""What `control` needs besides runs: clients that send half requests, and programs for pipelines."""

import pathlib
import resource
import socket

EXAMPLES = pathlib.Path(__file__).resolve().parents[1].parent / "Examples/plugins/python"


def half_requests(address, count):
    """Opens connections to a control listener that send nothing or half a head; returns them."""
    # A descriptor for each, also for those of the listener.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count + 1024, most), most))
    others = []
    for number in range(count):
        if address.startswith("unix:"):
            other, place = socket.socket(socket.AF_UNIX), address[5:]
        else:
            host, _, port = address.rpartition(":")
            other, place = socket.socket(socket.AF_INET), (host, int(port))
        # Blocking: a Unix socket whose queue is full is to be waited for.
        other.connect(place)
        if number % 2:
            other.send(b"GET /status HTTP/1.1\r\nHost: loc")
        others.append(other)
    return others


def write_programs(folder):
    """Writes `keep.py`, a stage, and `count.py`, a sink, with versions of their own."""
    for name, call in (("keep", "stage('keep', '1.5', lambda record: True)"),
                       ("count", "sink('count', '2.0', lambda records: None)")):
        (folder / f"{name}.py").write_text(f"import sys\nsys.path.insert(0, {str(EXAMPLES)!r})\n"
                                           f"import tapline_plugin\ntapline_plugin.{call}\n", encoding="utf-8")
