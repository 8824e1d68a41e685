// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { folder } from "./page.mjs";

const text = (name) => readFileSync(new URL(name, folder), "utf8");

/** The modules that these need before they run, without those that are imported later. */
function needed(names) {
    const found = new Set(names);
    for (const name of found) {
        const imports = /^(?:import|export)\b[^;]*?from "\.\/([\w-]+\.js)";|^import "\.\/([\w-]+\.js)";/gm;
        for (const [, one, other] of text(name).matchAll(imports)) found.add(one ?? other);
    }
    return [...found];
}

const page = text("index.html");
const scripts = [...page.matchAll(/<script type="module"(?: async)? src="\/HASH\/([\w-]+\.js)"(?: fetchpriority="\w+")?>/g)].map((m) => m[1]);
const preloads = [...page.matchAll(/<link rel="modulepreload" href="\/HASH\/([\w-]+\.js)"(?: fetchpriority="low")?>/g)].map((m) =>
    m[1]
);

test("index.html names each module that the start needs, once, so that none waits for another", () => {
    const wanted = needed(scripts).filter((name) => !scripts.includes(name)).sort();
    assert.deepEqual([...preloads].sort(), wanted);
});

test("the start does not need what shows bodies or other screens", () => {
    const start = needed(scripts);
    for (const name of ["viewers.js", "json-tree.js", "tl-apis.js", "tl-compare.js", "difference.js"]) {
        assert.ok(!start.includes(name), name);
    }
});

test("the first calls are made by a module that imports nothing, which runs first", () => {
    assert.equal(scripts[0], "early.js");
    assert.deepEqual(needed(["early.js"]), ["early.js"]);
});
