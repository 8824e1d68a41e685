// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const json = await load("json.js");
const { search } = await load("json-tree.js");

test("what JSON.parse loses is kept", () => {
    assert.equal(
        json.write(json.parse('{"2":1,"1":12345678901234567890,"a":1,"a":1.50e3}')),
        '{\n  "2": 1,\n  "1": 12345678901234567890,\n  "a": 1,\n  "a": 1.50e3\n}',
    );
});

test("values that JSON.parse reads mean the same", () => {
    const texts = [
        "null",
        " [ ] ",
        "{}",
        '"\\u00e9\\n\\ud83d\\ude00"',
        "[-0.5e-3, true, false, null]",
        '{"a":{"b":[[],{}]}}',
        '"\u2028"',
    ];
    for (const text of texts) {
        assert.deepEqual(JSON.parse(json.write(json.parse(text))), JSON.parse(text));
    }
});

test("text that is not JSON is refused", () => {
    const texts = [
        "",
        "{",
        "[1,]",
        '{"a"}',
        "{a:1}",
        "01",
        "1 2",
        '"\n"',
        "nul",
        "+1",
        '"\\x"',
        "[".repeat(100_000),
        '{"a":'.repeat(1000),
    ];
    for (const text of texts) assert.throws(() => json.parse(text), SyntaxError, text.slice(0, 20));
});

test("lines of JSON are one array", () => {
    assert.equal(json.parseLines('{"a":1}\n\n[2]\n')?.items.length, 2);
    assert.equal(json.parseLines("{}"), null);
    assert.equal(json.parseLines("{}\nx"), null);
});

test("paths can be pasted into other tools", () => {
    assert.equal(json.pathText(["items", 3, "odd name", 'a"b']), '$.items[3]["odd name"]["a\\"b"]');
    assert.equal(json.pathText([]), "$");
});

test("a search finds names and values in the order of the text", () => {
    const root = json.parse('{"Tea":1,"b":["green tea",{"c":"none"}],"d":"TEAPOT"}');
    assert.deepEqual(search(root, "tea"), [["Tea"], ["b", 0], ["d"]]);
    assert.deepEqual(search(root, "tea", 2), [["Tea"], ["b", 0]]);
    assert.deepEqual(search(root, "absent"), []);
});
