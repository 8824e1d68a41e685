# SPDX-License-Identifier: MIT
"""Runs the commands of Recipes.md, section by section, as they are written."""

import datetime
import json
import os
import re
import shutil
import subprocess

import answers
from tools import HERE, Shop, record, require

# Pseudonyms, except for passwords, which are masked.
MASKED = ("{ redact: { action: pseudonym, key_env: REPLAY_KEY, json: [{ name: password, action: mask }], "
          "form: [{ name: password, action: mask }] } }")
PAGE = HERE.parent.parent.parent / "Plugins/Sources/ClientReplay/Recipes.md"


def sections():
    """The commands of each section, by its heading."""
    found = {}
    for part in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        heading, _, text = part.partition("\n")
        found[heading] = re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    return found


class Place:
    """A folder with the recording, in which the commands of a section run."""

    def __init__(self, tapline, plain, name):
        self.tapline, self.plain, self.folder = tapline, plain, tapline.folder / name
        (self.folder / "bin").mkdir(parents=True)
        (self.folder / "bin/tapline").symlink_to(tapline.path)
        shutil.copy(plain / "traffic.db", self.folder / "yesterday.db")

    def run(self, commands, expected=0, allowed=None, **environment):
        """Runs commands; they may also fail with the allowed message."""
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=self.folder, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=240, check=False,
                              env={**os.environ, "PATH": path, "HOME": str(self.folder), **environment})
        output = done.stdout + done.stderr
        is_allowed = allowed is not None and allowed in output
        require(done.returncode == expected or is_allowed,
                f"recipe ended with {done.returncode} instead of {expected}:\n{commands}\n{output[-4000:]}")
        return output

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)


def check(tapline, plain):
    found = sections()
    require(set(found) == set(RECIPES), f"sections or tests without the other: {set(found) ^ set(RECIPES)}")
    for number, (heading, function) in enumerate(RECIPES.items()):
        function(Place(tapline, plain, f"recipe-{number}"), found[heading])


def regression_test(place, blocks):
    learn, compare = blocks
    with Shop(place.folder) as good, Shop(place.folder) as same, Shop(place.folder, "--regress", "field") as bad:
        place.run(learn, GOOD=good.url)
        place.run(compare, SERVICE=same.url)
        (place.folder / "today.db").unlink()
        (place.folder / "replay.xml").unlink()
        place.run(compare, expected=1, SERVICE=bad.url)
    report = (place.folder / "replay.xml").read_text()
    require("$.currency" in report and "/api/orders/{id}" in report, f"replay.xml: {report[:3000]}")


def side_by_side(place, blocks):
    learn, compare = blocks
    with Shop(place.folder) as old, Shop(place.folder) as other:
        place.run(learn, OLD=old.url, OLD2=other.url)
    with Shop(place.folder) as old, Shop(place.folder) as same:
        place.run(compare, OLD=old.url, NEW=same.url)
    (place.folder / "differences.json").unlink()
    with Shop(place.folder) as old, Shop(place.folder, "--regress", "field") as bad:
        place.run(compare, expected=1, OLD=old.url, NEW=bad.url)
    report = (place.folder / "differences.json").read_text()
    require("$.currency" in report and "/api/orders/{id}" in report, f"differences.json: {report[:3000]}")


def third_party(place, blocks):
    (place.folder / "partner.ndjson").write_text("".join(answers.recordings()))
    script = f'#!/bin/sh\ncurl -sSf "${{API:-http://{answers.HOST}}}/rates?from=EUR&to=%s"\n'
    place.write("run-tests", script % "USD")
    for block in blocks:
        place.run(block)
    place.write("run-tests", script % "GBP")
    place.run(blocks[0], expected=22)


def first_bad_build(place, blocks):
    """Seven commits; the fifth one changes a field."""
    for name in ("user.name", "user.email"):
        place.run(f"git init -q . && git config {name} tester@shop.test")
    shop = HERE / "shop_service.py"
    commits = []
    for number in range(7):
        words = "--regress field" if number >= 4 else ""
        place.write("serve", f"#!/bin/sh\n# build {number}\nexec '{shop}' --address {words}\n")
        place.run(f"git add serve && git commit -qm 'Build {number}'")
        commits.append(place.run("git rev-parse HEAD").strip())
    with Shop(place.folder) as good, Shop(place.folder) as other:
        place.run(sections()["Test a service in CI with yesterday's traffic"][0], GOOD=good.url, SERVICE=other.url)
    output = place.run(blocks[0], BAD=commits[-1], GOOD=commits[0])
    require(f"{commits[4]} is the first bad commit" in output, f"git bisect: {output[-2000:]}")


def stretch(source, target, factor):
    """Copies a recording with longer distances between its requests."""
    records = [json.loads(line) for line in source.open()]
    times = [datetime.datetime.fromisoformat(record["started"].replace("Z", "+00:00")) for record in records]
    for record, time in zip(records, times):
        moved = min(times) + (time - min(times)) * factor
        record["started"] = moved.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    target.write_text("".join(json.dumps(record) + "\n" for record in records))


def double_speed(place, blocks):
    # A debug build cannot keep up with twice the clients' speed, so the recording is stretched, and
    # stretched further on a busy machine.
    late = "the generator fell behind"
    for factor in (8, 16, 32):
        stretch(place.plain / "traffic.ndjson", place.folder / "yesterday.db", factor)
        with Shop(place.folder) as shop:
            output = place.run(blocks[0], allowed=late if factor < 32 else None, SERVICE=shop.url)
        if late not in output:
            break
    with Shop(place.folder, "--regress", "status") as shop:
        place.run(blocks[0], expected=1, SERVICE=shop.url)


def login(place, blocks):
    """The file has the places of the tokens; with a masked password, a variable takes its place."""
    dry_run, mapped, masked = blocks
    with Shop(place.folder) as shop:
        output = place.run(dry_run, SERVICE=shop.url)
        require(not shop.arrived(), "a dry run sends requests")
        require("$.access_token" in (place.folder / "tokens.yaml").read_text() and "would be sent" in output, output)
        place.run(mapped, SERVICE=shop.url)
    record(place.tapline, place.folder / "masked", 20, MASKED, REPLAY_KEY="a key for this test only")
    (place.folder / "masked/traffic.ndjson").rename(place.folder / "masked.ndjson")
    with Shop(place.folder, "--master-password", "open sesame") as shop:
        place.run(masked, SERVICE=shop.url, PASSWORD="open sesame")
        place.run(masked, expected=1, SERVICE=shop.url, PASSWORD="wrong")


RECIPES = {
    "Test a service in CI with yesterday's traffic": regression_test,
    "Compare two builds side by side": side_by_side,
    "Test against a third-party API without a network": third_party,
    "Find the first build with other answers": first_bad_build,
    "Send yesterday's traffic at double speed": double_speed,
    "Send requests that need a login": login,
}
