// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { pressed, show } from "./dom.mjs";
import { load } from "./page.mjs";

globalThis.location = { hash: "", pathname: "/" };
globalThis.addEventListener ??= () => {};
const { differencesScreen } = await load("share/differences.js");

const example = (target) => ({ target, recorded: "1", found: "2", a: "a", b: "b" });
const route = {
    name: "GET /items/{id}",
    counts: "3 pairs",
    pairs: 3,
    differing: 2,
    missing: 0,
    extra: 0,
    noise: 0,
    parts: [
        { path: "$.price", change: "differs", count: 7, examples: [example("/1"), example("/2")] },
        { path: "status", change: "differs", count: 1, examples: [example("/3")] },
    ],
    missing_examples: [],
    extra_examples: [],
};
const screen = () =>
    show(differencesScreen({
        recorded: "old",
        found: "new",
        summary: "2 of 3 differ",
        pairs: 3,
        shown: 2,
        routes: [route],
    }));

test("each column of a table has a name, and each part names all of its rows", () => {
    const table = screen().querySelectorAll("table")[1];
    const heads = table.querySelectorAll("thead")[0].querySelectorAll("th");
    assert.deepEqual(
        heads.map(({ textContent }) => textContent),
        ["Part", "Times", "Exchange", "old", "new", "Show"],
    );
    const groups = table.querySelectorAll("tbody").map((body) =>
        body.all(({ attributes }) => attributes.scope === "rowgroup")
    );
    assert.deepEqual(
        groups.map((found) => found.map((one) => [one.textContent, one.attributes.rowspan])),
        [[["$.price differs", "2"]], [["status differs", "1"]]],
    );
    const cells = table.querySelectorAll("tr").map((row) => row.children.length);
    assert.deepEqual(cells, [6, 6, 4, 6]);
});

test("a jump to a route moves the focus there", () => {
    const page = screen();
    pressed(page, route.name).click();
    assert.equal(document.activeElement.attributes.id, "route-0");
    assert.equal(document.activeElement.tabIndex, -1);
});
