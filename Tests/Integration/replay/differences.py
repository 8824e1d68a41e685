# SPDX-License-Identifier: MIT
"""Tests that exactly the planted regressions are reported, and nothing that varies by itself."""

import json

from shop_service import REGRESSIONS
from tools import Shop, require

PLANTED = ["--regress", ",".join(REGRESSIONS)]


def again(tapline, plain, name, *words):
    """Sends the recording to another instance of the shop; returns the recording of that."""
    path = tapline.folder / f"{name}.ndjson"
    with Shop(tapline.folder, *words) as shop:
        tapline.replay(plain / "traffic.db", shop, "--speed", "max", "--out", path)
    return path


def differing(tapline, *words, expected):
    """Compares; returns the routes that differ, with the paths of what differs."""
    tapline("diff", *words, "--format", "json", expected=expected)
    report = json.loads(tapline.output)
    return {f"{route['method']} {route['route']}": sorted({part["path"] for part in route["parts"]})
            for route in report["routes"] if route["differing"] or route["missing"] or route["extra"]}


def check(tapline, plain):
    recording, noise = plain / "traffic.db", tapline.folder / "noise.txt"
    # A second run of the same program tells what varies by itself.
    tapline("diff", recording, "--same", again(tapline, plain, "same"), "--learn", noise)
    rules = noise.read_text()
    for part in ("GET /api/orders/{id} varies $.at", "$.access_token", "GET /api/items"):
        require(part in rules, f"no rule for '{part}': {rules}")
    found = differing(tapline, recording, again(tapline, plain, "good"), "--noise", noise, expected=0)
    require(not found, f"false differences: {found}")
    for number in (1, 2):
        bad = again(tapline, plain, f"bad-{number}", *PLANTED)
        found = differing(tapline, recording, bad, "--noise", noise, expected=1)
        require(set(found) == set(REGRESSIONS.values()), f"run {number}: reported are {found}")
        for name, path in (("field", "$.currency"), ("status", "status"), ("missing", "$.items")):
            parts = found[REGRESSIONS[name]]
            require(any(part == path or name == "missing" and part.startswith(path) for part in parts),
                    f"run {number}: {REGRESSIONS[name]} differs in {parts}, not in {path}")
        require(found[REGRESSIONS["field"]] == ["$.currency"], f"run {number}: {found}")
    formats(tapline, recording, bad, noise)


def formats(tapline, recording, bad, noise):
    """The other reports name the routes, too, and show no secret."""
    for format_, name in (("text", "report.txt"), ("junit", "report.xml"), ("html", "report.html")):
        path = tapline.folder / name
        tapline("diff", recording, bad, "--noise", noise, "--format", format_, "--out", path, expected=1)
        text = path.read_text()
        for route in REGRESSIONS.values():
            require(route.split(" ")[1] in text, f"'{route}' is not in the report {format_}")
