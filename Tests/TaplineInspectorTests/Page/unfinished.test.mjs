// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { held, rows } = await load("unfinished.js");

const NOW = 10_000_000;
const all = [
    { id: "a", started: NOW - 5_000_000, method: "GET", host: "a.test" },
    { id: "b", started: NOW - 900_000, method: "POST", host: "b.test" },
    { id: "c", started: NOW - 100 },
];

test("what is in progress for a while becomes rows, the newest first, with its running time", () => {
    const shown = rows(all, NOW);
    assert.deepEqual(shown.map(({ id, us, live }) => [id, us, live]), [
        ["b", 900_000, "in progress"],
        ["a", 5_000_000, "in progress"],
    ]);
    assert.equal(rows(Array.from({ length: 50 }, () => all[0]), NOW).length, 8);
});

test("where rows must not move, the ended ones stay and say so", () => {
    const shown = held(rows(all, NOW), [all[0]], NOW + 1_000_000);
    assert.deepEqual(shown.map(({ id, us, live }) => [id, us, live]), [
        ["b", undefined, "ended"],
        ["a", 6_000_000, "in progress"],
    ]);
});
