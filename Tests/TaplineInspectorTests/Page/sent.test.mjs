// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { matches, rate } = await load("tl-messages.js");

const all = [
    { dir: "up", at_us: 0, type: "text", text: "Hello", size: 5 },
    { dir: "down", at_us: 1_000_000, type: "text", text: "world", size: 5 },
    { dir: "down", at_us: 2_000_000, type: "binary", base64: "AA==", size: 95 },
];

test("each direction has its rate, over the time of all messages", () => {
    assert.deepEqual(rate(all, "up"), { count: 1, bytes: 5, perSecond: 0.5, bytesPerSecond: 2.5 });
    assert.deepEqual(rate(all, "down"), {
        count: 2,
        bytes: 100,
        perSecond: 1,
        bytesPerSecond: 50,
    });
    assert.equal(rate(all.slice(0, 1), "up").perSecond, null);
    assert.equal(rate([], "down").count, 0);
});

test("messages are chosen by direction, type and text", () => {
    const chosen = (wanted) =>
        all.filter((message) => matches(message, { dir: "", type: "", text: "", ...wanted })).length;
    assert.deepEqual(
        [chosen({}), chosen({ dir: "down" }), chosen({ type: "text" }), chosen({ text: "hell" })],
        [3, 2, 2, 1],
    );
});
