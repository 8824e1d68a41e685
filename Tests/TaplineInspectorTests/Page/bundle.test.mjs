// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const scripts = fileURLToPath(new URL("../../Scripts", import.meta.url));
const program = "import json, sys; from page_bundle import bundled; print(json.dumps(bundled(json.load(sys.stdin))))";

/** The files as they are sent. */
function sent(files) {
    const input = JSON.stringify(files);
    const stdio = ["pipe", "pipe", "pipe"];
    return JSON.parse(execFileSync("/usr/bin/python3", ["-B", "-c", program], { cwd: scripts, input, stdio }));
}

const preload = (name) => `<link rel="modulepreload" href="/HASH/${name}">\n`;
const files = {
    "index.html": `${preload("counter.js")}<template id="rest">${preload("main.js")}${preload("other.js")}</template>`,
    "early.js": 'export const word = "early";\n',
    "counter.js": 'import { word } from "./early.js";\nexport class Counter {\n    word = word;\n    count = 0;\n}\n'
        + "export const counter = new Counter();\n",
    "start.js": 'import { counter as one } from "./counter.js";\none.count += 1;\nexport const started = one;\n',
    "other.js": 'import * as all from "./counter.js";\nimport { started } from "./start.js";\n'
        + "export function other() {\n    return [started, all.counter];\n}\n",
    "main.js": 'import "./start.js";\nimport { other } from "./other.js";\nother()[0].count += 10;\n',
    "later.js": 'import { word } from "./early.js";\nimport { counter } from "./counter.js";\n'
        + 'import { other } from "./other.js";\n'
        + 'export const all = async () => [word, counter, ...other(), (await import("./other.js")).other === other];\n',
};

test("the modules of the start and of the rest are sent as one each, which all others share", async () => {
    const folder = mkdtempSync(join(tmpdir(), "page-"));
    try {
        const made = sent(files);
        assert.deepEqual(Object.keys(made).sort(), ["early.js", "index.html", "later.js", "main.js", "start.js"]);
        assert.equal(made["index.html"], `<template id="rest">${preload("main.js")}</template>`);
        assert.equal(made["early.js"], files["early.js"]);
        for (const [name, text] of Object.entries(made)) writeFileSync(join(folder, name), text);
        writeFileSync(join(folder, "package.json"), '{"type": "module"}');
        const load = (name) => import(pathToFileURL(join(folder, name)));
        const { $use } = await load("start.js");
        const { started } = $use("start.js");
        assert.equal(started.count, 1);
        await load("main.js");
        const [word, ...found] = await (await load("later.js")).all();
        assert.equal(word, "early");
        assert.deepEqual(found, [started, started, started, true]);
        assert.deepEqual([started.count, started.word], [11, "early"]);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test("a module that a function cannot be is an error", () => {
    for (
        const [text, message] of [
            ["export let counter = 1;\n", /'let'/],
            ["export default 1;\n", /cannot have 'export default/],
            ['import counter from "./early.js";\n', /cannot have 'import counter/],
            ["await 1;\n", /cannot have 'await/],
        ]
    ) assert.throws(() => sent({ ...files, "counter.js": text }), message);
    const other = 'export { counter } from "./counter.js";\n';
    assert.throws(() => sent({ ...files, "later.js": other }), /cannot be imported/);
});
