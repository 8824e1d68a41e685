// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const filters = await load("filters.js");

test("conditions are split where 'and' joins them, and nowhere else", () => {
    assert.deepEqual(
        filters.conditions(
            'a == 1 and b == "x and y" and (c == 1 or d == 2) and e in ["and", "or"]',
        ),
        ["a == 1", 'b == "x and y"', "(c == 1 or d == 2)", 'e in ["and", "or"]'],
    );
    assert.equal(filters.conditions("a == 1 or b == 2"), null);
    assert.deepEqual(filters.conditions('path == "\\" and "'), ['path == "\\" and "']);
    assert.deepEqual(filters.conditions("  "), []);
});

test("a condition is added to what a filter means", () => {
    assert.equal(filters.joined("", "a == 1"), "a == 1");
    assert.equal(filters.joined("teapot", "a == 1"), 'any contains "teapot" and a == 1');
    assert.equal(filters.joined('"red teapot"', "a == 1"), 'any contains "red teapot" and a == 1');
    assert.equal(filters.joined("a == 1 or b == 2", "c == 3"), "(a == 1 or b == 2) and c == 3");
    assert.equal(filters.joined("@slow", "c == 3", "duration > 1s"), "duration > 1s and c == 3");
});

test("a condition that is there is removed", () => {
    const text = 'status >= 500 and host == "a"';
    assert.equal(filters.toggled(text, 'host == "a"'), "status >= 500");
    assert.equal(filters.toggled(filters.toggled(text, "duration > 1s"), "duration > 1s"), text);
    assert.equal(filters.toggled("status >= 500", "status >= 500"), "");
});

test("values are quoted, numbers are not", () => {
    assert.equal(filters.equals("path", 'a"b\\'), 'path == "a\\"b\\\\"');
    assert.equal(filters.equals("status", "404"), "status == 404");
});

test("the time range narrows the filter that the server gets", () => {
    assert.equal(filters.effective({ filter: "x", from: null, to: null }), "x");
    assert.equal(
        filters.effective({ filter: "a == 1 or b == 2", from: 1_764_000_000_000_000, to: null }),
        '(a == 1 or b == 2) and started >= "2025-11-24T16:00:00.000000Z"',
    );
});

test("the usual filters can be toggled", () => {
    for (const { filter } of filters.QUICK) {
        assert.equal(filters.toggled(filters.toggled("a == 1", filter), filter), "a == 1");
    }
});
