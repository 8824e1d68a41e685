// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const difference = await load("difference.js");
const json = await load("json.js");

const signs = (lines) =>
    lines.map(({ kind }) => ({ same: "=", changed: "~", removed: "-", added: "+" })[kind]).join("");
const compare = (a, b) => difference.json(json.parse(a), json.parse(b));

test("lines: what is equal around a difference stays equal", () => {
    assert.equal(signs(difference.lines(["a", "b", "c"], ["a", "x", "c"])), "=~=");
    assert.equal(signs(difference.lines(["a", "c"], ["a", "b", "c"])), "=+=");
    assert.equal(signs(difference.lines(["a", "b", "c", "d"], ["b", "d", "e"])), "-=-=+");
    assert.equal(signs(difference.lines([], [])), "");
});

test("lines: both sides are complete and in order", () => {
    let seed = 7;
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) % 4;
    for (let round = 0; round < 200; round += 1) {
        const [a, b] = [0, 1].map(() =>
            Array.from({ length: random() * 5 }, () => String(random()))
        );
        const found = difference.lines(a, b);
        assert.deepEqual(found.filter(({ kind }) => kind !== "added").map((line) => line.a), a);
        assert.deepEqual(found.filter(({ kind }) => kind !== "removed").map((line) => line.b), b);
        for (const line of found) {
            assert.equal(
                line.kind === "same",
                line.a === line.b && line.kind !== "added" && line.kind !== "removed",
            );
        }
    }
});

test("lines: texts that are too long for a table still come out whole", () => {
    const a = Array.from({ length: 3000 }, (_, at) => `a${at}`);
    const found = difference.lines(a, a.map((line) => line + "!"));
    assert.equal(found.length, 3000);
    assert.ok(found.every(({ kind }) => kind === "changed"));
});

test("JSON: the order of members is no difference", () => {
    assert.equal(signs(compare('{"a":1,"b":[1,2]}', '{"b":[1,2],"a":1}')).replace(/=/g, ""), "");
});

test("JSON: members and items that differ are the only ones that are marked", () => {
    const lines = compare(
        '{"id":1,"tags":["a","b"],"old":true}',
        '{"tags":["a","c","d"],"id":2,"new":null}',
    );
    const marked = lines.filter(({ kind }) => kind !== "same").map((
        { kind, a, b },
    ) => [kind, a.trim(), b.trim()]);
    assert.deepEqual(marked, [
        ["changed", '"id": 1', '"id": 2'],
        ["changed", '"b"', '"c"'],
        ["added", "", '"d"'],
        ["removed", '"old": true', ""],
        ["added", "", '"new": null'],
    ]);
});

test("JSON: values of different kinds are compared as text", () => {
    assert.equal(signs(compare('{"a":[1]}', '{"a":{"b":1}}')).replace(/=/g, ""), "~~~");
    assert.equal(signs(compare("1", "1.0")), "~");
});

test("inside a changed line the equal ends are left out", () => {
    assert.deepEqual(difference.inside("status: 200", "status: 404"), { before: 8, after: 0 });
    assert.deepEqual(difference.inside("aa", "a"), { before: 1, after: 0 });
    assert.deepEqual(difference.inside("", "x"), { before: 0, after: 0 });
});
