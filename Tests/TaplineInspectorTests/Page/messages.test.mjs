// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const messages = await load("messages.js");
const offsets = await load("offsets.js");

test("pairs keep order, duplicates and malformed escapes", () => {
    assert.deepEqual(messages.pairs("a=1&a=2&b&=c&d=%C3%A9+x&e=%zz&"), [
        ["a", "1"],
        ["a", "2"],
        ["b", ""],
        ["", "c"],
        ["d", "é x"],
        ["e", "%zz"],
    ]);
    assert.equal(messages.query("/a?b=1?c#d"), "b=1?c");
    assert.equal(messages.query("/a"), "");
});

test("cookies are read with their attributes", () => {
    const response = {
        headers: [["Set-Cookie", "id=a=b; Path=/; HttpOnly"], ["set-cookie", "x=1"]],
    };
    assert.deepEqual(
        messages.setCookies(response).map((
            { name, value, attributes },
        ) => [name, value, attributes]),
        [["id", "a=b", [["Path", "/"], ["HttpOnly", ""]]], ["x", "1", []]],
    );
    const request = { headers: [["cookie", "a=1; b=2"], ["Cookie", "c"]] };
    assert.deepEqual(messages.sentCookies(request).map(({ name, value }) => [name, value]), [
        ["a", "1"],
        ["b", "2"],
        ["", "c"],
    ]);
});

test("headers are grouped without losing one", () => {
    const headers = [
        "Content-Type",
        "X-Odd",
        "Authorization",
        "Date",
        "Accept",
        "Host",
        "Strict-Transport-Security",
    ].map((name) => [name, "x"]);
    const groups = messages.grouped(headers);
    assert.equal(groups.flatMap((group) => group.headers).length, headers.length);
    assert.deepEqual(groups.find(({ name }) => name === "Other")?.headers, [["X-Odd", "x"]]);
});

test("odd bytes are shown, masked values known", () => {
    assert.equal(messages.plain({ base64: "Zv9v" }), "f\ufffdo");
    assert.equal(messages.plain(undefined), "");
    assert.ok(
        messages.isMasked("Bearer [redacted]") && messages.isMasked("?k=%5Bredacted%5D") &&
            !messages.isMasked("redacted"),
    );
});

test("offsets in bytes and in characters agree, whatever the text", () => {
    const text = 'path == "é😀x"';
    for (let at = 0; at <= text.length; at += 1) {
        const between = /[\ud800-\udbff]/.test(text[at - 1] ?? "");
        if (!between) assert.equal(offsets.charOffset(text, offsets.byteOffset(text, at)), at);
    }
    assert.equal(offsets.charOffset("ab", 99), 2);
});

test("server-sent events are read as browsers read them", () => {
    assert.deepEqual(
        messages.streamEvents(
            '\ufeffid: 1\nevent: stock\ndata: {"a":1}\n\n: comment\n\ndata: x\r\ndata:y\r\n\r\ndata\n\nid: 2\n\n',
        ),
        [
            { id: "1", type: "stock", data: '{"a":1}' },
            { id: "", type: "message", data: "x\ny" },
            { id: "", type: "message", data: "" },
        ],
    );
    assert.deepEqual(messages.streamEvents(""), []);
});
