// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const formats = await load("formats.js");

test("sizes are written as the command line writes them", () => {
    const rows = [
        [0, "0 B"],
        [311, "311 B"],
        [1023, "1023 B"],
        [1024, "1.0 KiB"],
        [12_600, "12.3 KiB"],
        [102_400, "100 KiB"],
        [1_048_575, "1023 KiB"],
        [1_048_576, "1.0 MiB"],
        [5 * 2 ** 40, "5.0 TiB"],
        [2 ** 50, "1 PiB"],
        [undefined, "-"],
        [null, "-"],
        [-1, "-"],
    ];
    for (const [bytes, text] of rows) assert.equal(formats.size(bytes), text);
});

test("a part of a selection is named as a part", () => {
    const rows = [
        [1, 1, "1 selected exchange"],
        [3, 3, "3 selected exchanges"],
        [200, 1000, "only 200 of 1,000 selected exchanges"],
    ];
    for (const [taken, selected, text] of rows) {
        assert.equal(formats.ofSelected(taken, selected), text);
    }
});

test("durations are written as the command line writes them", () => {
    const rows = [
        [0, "0.0 ms"],
        [450, "0.4 ms"],
        [15_500, "15.5 ms"],
        [99_999, "99.9 ms"],
        [123_400, "123 ms"],
        [999_999, "999 ms"],
        [1_200_000, "1.20 s"],
        [1_059_999, "1.05 s"],
        [59_999_999, "59.99 s"],
        [123_000_000, "2m03s"],
        [3_720_000_000, "1h02m"],
        [undefined, "-"],
    ];
    for (const [us, text] of rows) assert.equal(formats.duration(us), text);
});

test("counts are grouped, and shares never round to nothing or all", () => {
    assert.equal(formats.count(1_000_000), "1,000,000");
    assert.equal(formats.counted(1, "exchange"), "1 exchange");
    assert.equal(formats.counted(1200, "reply", "replies"), "1,200 replies");
    assert.deepEqual([0, 0.004, 0.5, 0.996, 1].map(formats.share), [
        "0 %",
        "under 1 %",
        "50 %",
        "over 99 %",
        "100 %",
    ]);
});

test("times in UTC have every digit of the microseconds", () => {
    assert.equal(formats.moment(1_764_000_000_018_007, true), "2025-11-24 16:00:00.018007 UTC");
    assert.equal(formats.clock(1_764_000_000_018_007, true, 3), "16:00:00.018");
    assert.equal(formats.rfc3339(1_764_000_000_018_007), "2025-11-24T16:00:00.018007Z");
});

test("rows are coloured by their outcome, not by their status alone", () => {
    assert.equal(formats.outcome({ status: 200, state: "completed" }), "s2");
    assert.equal(formats.outcome({ status: 200, state: "failed" }), "failed");
    assert.equal(formats.outcome({ state: "cancelled" }), "failed");
    assert.equal(formats.outcome({}), "");
});

test("media types have short names", () => {
    const rows = [
        ["application/json; charset=utf-8", "json"],
        ["text/javascript", "js"],
        ["image/svg+xml", "svg"],
        ["application/x-www-form-urlencoded", "form"],
        ["application/vnd.api+json", "api+json"],
        [undefined, ""],
    ];
    for (const [type, name] of rows) assert.equal(formats.shortType(type), name);
});

test("rates need at least a second", () => {
    assert.equal(formats.perSecond(25, 2), "12.5");
    assert.equal(formats.perSecond(2_408, 2), "1,204");
    assert.equal(formats.perSecond(1, 0.00002), "-");
});
