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
const [head, rest] = page.split('<template id="rest">');
const scripts = [...head.matchAll(/<script type="module"[^>]* src="\/HASH\/([\w-]+\.js)"/g)].map((m) => m[1]);
const preloads = (part) =>
    [...part.matchAll(/<link rel="modulepreload" href="\/HASH\/([\w-]+\.js)">/g)].map((m) => m[1]).sort();

test("index.html names each module that the start needs, once, so that none waits for another", () => {
    assert.deepEqual(preloads(head), needed(scripts).filter((name) => !scripts.includes(name)).sort());
});

test("index.html names each module of the rest, once, which the start imports", () => {
    const known = needed(scripts);
    assert.deepEqual(preloads(rest), needed(["main.js"]).filter((name) => !known.includes(name)).sort());
    assert.match(text("start.js"), /\bimport\("\.\/main\.js"\)/);
});

test("the first rows need the modules of the list and its style only", () => {
    const start = needed(scripts);
    for (const name of ["main.js", "tl-search.js", "tl-facets.js", "tl-detail.js", "commands.js"]) {
        assert.ok(!start.includes(name), name);
    }
    assert.deepEqual(head.match(/[\w-]+\.css/g), ["page.css"]);
    assert.deepEqual(rest.match(/[\w-]+\.css/g), ["detail.css", "edit.css"]);
});

test("the page does not need what shows bodies or other screens", () => {
    const all = needed([...scripts, "main.js"]);
    for (const name of ["viewers.js", "json-tree.js", "tl-apis.js", "tl-compare.js", "difference.js"]) {
        assert.ok(!all.includes(name), name);
    }
});

test("the first calls are made by a module that imports nothing, which runs first", () => {
    assert.equal(scripts[0], "early.js");
    assert.deepEqual(needed(["early.js"]), ["early.js"]);
});
