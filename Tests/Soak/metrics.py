# SPDX-License-Identifier: MIT
"""Compares the metrics of a control listener with the counters that the command prints."""

import http.client
import re

import soak


def ask(port, path):
    """Returns the status and the text of an answer of the control listener at a port."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def is_ready(port):
    """Whether all sources of the pipeline listen and all sinks are open."""
    try:
        return ask(port, "/health/ready")[0] == 200
    except OSError:
        return False


class Metrics:
    """The samples of one answer to `/metrics`."""

    def __init__(self, text):
        self.samples = {}
        for line in text.splitlines():
            if line.startswith("#"):
                continue
            name, labels, value = re.fullmatch(r"([a-z_]+)(?:\{(.*)\})? (\S+)", line).groups()
            pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels or "")
            self.samples[(name, *sorted(pairs))] = float(value)

    @classmethod
    def of(cls, port):
        """Asks the control listener at a port."""
        status, text = ask(port, "/metrics")
        soak.require(status == 200, f"/metrics: {status} {text}")
        return cls(text)

    def value(self, name, **labels):
        """The sum of the samples with a name and these labels; there has to be one."""
        found = [value for key, value in self.samples.items()
                 if key[0] == name and set(labels.items()) <= set(key[1:])]
        soak.require(found, f"/metrics has no {name} with {labels}")
        return int(sum(found))

    def differences(self, counters):
        """What is not the same in the tables of counters, as texts."""
        found, listed = [], set()
        for kind, components in (("source", counters.sources), ("stage", counters.stages),
                                 ("sink", counters.sinks)):
            for name, row in components.items():
                component = name.removesuffix(" (degraded)")
                listed.add((kind, component))
                for column, value in self.columns(kind, component).items():
                    if value != row[column]:
                        found.append(f"{kind} {component}: '{column}' is {row[column]}, {value} in /metrics")
        for component, number in counters.unrecorded.items():
            reasons = ("sample", "in_flight", "shed_memory", "shed_cpu")
            value = self.count("dropped", "source", component, *reasons)
            if value != number:
                found.append(f"source {component}: {number} passed without a record, {value} in /metrics")
        served = {(dict(key[1:])["kind"], dict(key[1:])["id"]) for key in self.samples
                  if key[0] == "tapline_component_received_total"}
        if listed != served:
            found.append(f"the components are {sorted(listed)}, {sorted(served)} in /metrics")
        return found

    def count(self, name, kind, component, *reasons):
        """The counter of a component, or the sum of it for these reasons."""
        return sum(self.value(f"tapline_component_{name}_total", kind=kind, id=component, **labels)
                   for labels in [{"reason": reason} for reason in reasons] or [{}])

    def columns(self, kind, component):
        """The columns of a component's row in the tables."""
        def count(name, *reasons):
            return self.count(name, kind, component, *reasons)
        both = {"in": count("received"), "out": count("sent")}
        if kind == "source":
            return both | {"dropped": count("dropped", "overload"), "filtered": count("dropped", "when"),
                           "rejected": count("failures", "rejected")}
        if kind == "stage":
            return both | {"dropped": count("dropped", "stage"), "skipped": count("skipped"),
                           "errors": count("errors", "hook") + count("failures", "wire_hook")}
        return both | {"dropped": count("dropped", "overflow", "spill_full"), "errors": count("errors", "write"),
                       "filtered": count("dropped", "when"), "duplicates": count("dropped", "duplicate")}
