// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";
import { load } from "./page.mjs";

const { quoted, replayCommand, mockCommand, diffCommand, isHere } = await load("runs-text.js");

const WORDS = [
    "plain",
    "a.db",
    "it's",
    'path contains "/a b"',
    "$(touch x) `y` \\ ! * ~ #",
    "~",
    "=x",
    "",
    "line\nline\ttab\u0007 it's \\n",
    "東京 ü",
    "; rm -rf /",
];

test("a shell gets each word as it is", () => {
    for (const word of WORDS) {
        const shell = /[\x00-\x1f]/.test(word) ? "bash" : "sh";
        const output = execFileSync(shell, ["-c", `printf %s ${quoted(word)}`]).toString();
        assert.equal(output, word);
    }
});

test("commands name the stores, the filter and the pace", () => {
    const filter = 'id in ["1"]';
    const replay = { filter, to: "http://h:1", rate: "10/s", speed: "", unsafe: true };
    assert.equal(
        replayCommand(["a b.db", "-x.db"], replay),
        "tapline replay 'a b.db' ./-x.db --to http://h:1 --filter 'id in [\"1\"]' --rate 10/s " +
            "--unsafe --compare",
    );
    assert.equal(
        replayCommand(["a.db"], { ...replay, filter: "", rate: "", speed: "max", unsafe: false }),
        "tapline replay a.db --to http://h:1 --speed max --compare",
    );
    assert.equal(mockCommand(["a.db"], ""), "tapline mock a.db");
    assert.equal(
        diffCommand("a.db", "status >= 500"),
        "tapline diff a.db other.db --filter 'status >= 500'",
    );
});

test("only addresses of this machine need no confirmation", () => {
    for (const host of ["127.0.0.1:1", "localhost", "[::1]:2", "a.localhost"]) {
        assert.ok(isHere(`http://${host}/`), host);
    }
    for (const host of ["shop.test", "127.0.0.1.evil.test", "localhost.test", ""]) {
        assert.ok(!isHere(`http://${host}/`), host);
    }
    assert.ok(!isHere("x") && !isHere(""));
});
