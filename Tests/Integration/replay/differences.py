# SPDX-License-Identifier: MIT
"""Tests that exactly the planted regressions are reported, and nothing that varies by itself."""

import base64
import gzip
import json
import re

from shop_service import REGRESSIONS
from tools import Shop, require

PLANTED = ["--regress", ",".join(REGRESSIONS)]


def again(tapline, plain, name, *words):
    """Sends the recording to another instance of the shop; returns the recording of that."""
    path = tapline.folder / f"{name}.ndjson"
    with Shop(tapline.folder, *words) as shop:
        tapline.replay(plain / "traffic.db", shop, "--speed", "max", "--out", path)
    return path


def routes(report):
    """The routes that differ, with the paths of what differs."""
    return {f"{route['method']} {route['route']}": sorted({part["path"] for part in route["parts"]})
            for route in report["routes"] if route["differing"] or route["missing"] or route["extra"]}


def differing(tapline, *words, expected):
    tapline("diff", *words, "--format", "json", expected=expected)
    return routes(json.loads(tapline.output))


def compared(tapline, recording, noise, name, *words, expected):
    """Sends the recording and compares at once."""
    path = tapline.folder / f"{name}.json"
    with Shop(tapline.folder, *words) as shop:
        tapline.replay(recording, shop, "--speed", "max", "--compare", "--noise", noise, "--report", "json",
                       "--report-out", path, expected=expected)
    return routes(json.loads(path.read_text()))


def side_by_side(tapline, recording, name, option, *words, expected):
    """Sends the recording to two instances; returns the report, and how the requests of each one ended."""
    path, counts = tapline.folder / f"{name}.json", []
    with Shop(tapline.folder) as old, Shop(tapline.folder, *words) as new:
        report = ["--report", "json", "--report-out", path] if "--compare" in option else []
        tapline.replay(recording, old, "--and", new.url, "--speed", "max", *option, *report, expected=expected)
        counts = [old.counts(), new.counts()]
    return routes(json.loads(path.read_text())) if path.exists() else {}, counts


def check_side_by_side(tapline, recording):
    """The sessions of both instances go on, although each refuses the tokens of the other."""
    noise = tapline.folder / "both.txt"
    _, counts = side_by_side(tapline, recording, "learn", ["--learn", noise], expected=0)
    require(counts[0] == counts[1], f"the instances have answered in different ways: {counts}")
    compare = ["--compare", "--noise", noise]
    found, _ = side_by_side(tapline, recording, "equal", compare, expected=0)
    require(not found, f"two instances: false differences: {found}")
    found, _ = side_by_side(tapline, recording, "planted", compare, *PLANTED, expected=1)
    require_planted(found, "--and")


def require_planted(found, run):
    require(set(found) == set(REGRESSIONS.values()), f"{run}: reported are {found}")
    require(found[REGRESSIONS["field"]] == ["$.currency"], f"{run}: {found}")
    require("status" in found[REGRESSIONS["status"]], f"{run}: {found}")
    require(all(part.startswith("$.items") for part in found[REGRESSIONS["missing"]]), f"{run}: {found}")


def check(tapline, plain):
    recording, noise = plain / "traffic.db", tapline.folder / "noise.txt"
    # A second run of the same program tells what varies by itself.
    tapline("diff", recording, "--same", again(tapline, plain, "same"), "--learn", noise)
    rules = noise.read_text()
    for part in ("$.expires_at", "GET /api/items", "POST /api/orders"):
        require(part in rules, f"no rule for '{part}': {rules}")
    found = differing(tapline, recording, again(tapline, plain, "good"), "--noise", noise, expected=0)
    require(not found, f"false differences: {found}")
    found = compared(tapline, recording, noise, "compared", expected=0)
    require(not found, f"false differences: {found}")
    bad = again(tapline, plain, "bad", *PLANTED)
    require_planted(differing(tapline, recording, bad, "--noise", noise, expected=1), "diff")
    require_planted(compared(tapline, recording, noise, "first", *PLANTED, expected=1), "--compare")
    require_planted(compared(tapline, recording, noise, "second", *PLANTED, expected=1), "--compare, again")
    check_side_by_side(tapline, recording)
    formats(tapline, plain, bad, noise)


def shown(path):
    """What the page of a comparison has: all of its compressed sections, differences and exchanges."""
    data = base64.b64decode(re.search(r'id="data">([^<]*)<', path.read_text())[1])
    sections, at = [], 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at:at + 4], "little")
        sections.append(gzip.decompress(data[at + 4:end]).decode())
        at = end
    require(len(sections) > 1, "the page has no exchanges")
    return "".join(sections)


def secrets(plain):
    """The passwords and bearer tokens of the recording."""
    text = (plain / "traffic.ndjson").read_text()
    passwords, tokens = re.findall(r"correct-\w+", text), re.findall(r"Bearer (\w{32})", text)
    require(passwords and tokens, "the recording has no secrets")
    return {*passwords, *tokens}


def formats(tapline, plain, bad, noise):
    """The other reports name the routes, too, and show no secret."""
    for format_, name in (("text", "report.txt"), ("junit", "report.xml"), ("html", "report.html")):
        path = tapline.folder / name
        tapline("diff", plain / "traffic.db", bad, "--noise", noise, "--format", format_, "--out", path, expected=1)
        text = path.read_text() if format_ != "html" else shown(path)
        for route in REGRESSIONS.values():
            require(route.split(" ")[1] in text, f"'{route}' is not in the report {format_}")
        found = [secret for secret in secrets(plain) if secret in text]
        require(not found, f"the report {format_} has {len(found)} secrets: {found[:1]}")
