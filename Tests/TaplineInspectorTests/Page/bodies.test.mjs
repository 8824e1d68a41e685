// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { hexLines } = await load("hex.js");
const { decode, frames } = await load("protobuf.js");
const { boundary, parts } = await load("multipart.js");
const { indented } = await load("markup.js");
const jwt = await load("jwt.js");
const { views } = await load("viewers.js");
const bytes = (...values) => Uint8Array.from(values);
const text = (value) => new TextEncoder().encode(value);

test("hex: offset, bytes in two groups, printable characters", () => {
    const [first, second, ...rest] = hexLines(text("GET /cart HTTP/1.1\r\n")).split("\n");
    assert.equal(
        first,
        "00000000  47 45 54 20 2f 63 61 72  74 20 48 54 54 50 2f 31  GET /cart HTTP/1",
    );
    assert.equal(second, "00000010  2e 31 0d 0a                                       .1··");
    assert.equal(rest.length, 0);
    assert.equal(hexLines(new Uint8Array(100), 16, 48).split("\n").length, 2);
});

test("SVG, which may have scripts, is shown as its source only", () => {
    const ids = (type) => views(text("<svg/>"), type).map(({ id }) => id);
    assert.deepEqual(ids("image/svg+xml"), ["html", "text", "hex"]);
    assert.equal(ids("image/png")[0], "image");
});

test("protobuf: the example of the documentation", () => {
    assert.deepEqual(decode(bytes(0x08, 0x96, 0x01)), [{ field: 1, kind: "varint", value: "150" }]);
    assert.deepEqual(decode(bytes(0x12, 0x07, ...text("testing"))), [{
        field: 2,
        kind: "text",
        value: "testing",
    }]);
    assert.deepEqual(decode(bytes(0x1a, 0x03, 0x08, 0x96, 0x01)), [{
        field: 3,
        kind: "message",
        value: "",
        fields: [{ field: 1, kind: "varint", value: "150" }],
    }]);
    assert.equal(decode(bytes(0x08, ...Array(9).fill(0xff), 0x01))?.[0]?.value, "-1");
});

test("protobuf: bytes that are no message are refused", () => {
    for (
        const wrong of [
            bytes(0x08),
            bytes(0x00, 0x01),
            bytes(0x0a, 0x05, 0x01),
            bytes(0x0b),
            bytes(0x09, 1, 2),
            bytes(...Array(12).fill(0xff)),
        ]
    ) {
        assert.equal(decode(wrong), null);
    }
    let deep = bytes(0x08, 0x01);
    for (let depth = 0; depth < 40; depth += 1) deep = bytes(0x0a, deep.length, ...deep);
    assert.ok(decode(deep), "deep nesting ends as bytes or text");
});

test("gRPC: messages of a body, and trailers of gRPC-Web", () => {
    const found = frames(bytes(0, 0, 0, 0, 2, 0x08, 0x01, 0x80, 0, 0, 0, 1, 0x61));
    assert.deepEqual(
        found?.map(({ bytes: { length }, compressed, trailers }) => [length, compressed, trailers]),
        [[2, false, false], [1, false, true]],
    );
    assert.equal(frames(bytes(0, 0, 0, 0, 9, 1)), null);
});

test("multipart: parts with their names, also an unfinished last one", () => {
    const type = 'multipart/form-data; boundary="a b"';
    assert.equal(boundary(type), "a b");
    const body =
        '--a b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n2\r\n--a b\r\nContent-Disposition: form-data; name="f"; filename="n.csv"\r\nContent-Type: text/csv\r\n\r\n1,2';
    const found = parts(text(body + "\r\n--a b--\r\n"), type)?.map((
        part,
    ) => [part.name, part.file, part.type, new TextDecoder().decode(part.bytes)]);
    assert.deepEqual(found, [["x", "", "", "1\r\n2"], ["f", "n.csv", "text/csv", "1,2"]]);
    assert.equal(parts(text(body), type)?.length, 2);
    assert.equal(parts(text("no parts"), type), null);
    assert.equal(parts(text(body), "multipart/form-data"), null);
});

test("XML: one element a line, texts beside their tags", () => {
    assert.equal(
        indented('<?xml version="1.0"?><a x="1"><b>text</b><c/><d><e></e></d></a>'),
        [
            '<?xml version="1.0"?>',
            '<a x="1">',
            "  <b>text</b>",
            "  <c/>",
            "  <d>",
            "    <e></e>",
            "  </d>",
            "</a>",
        ].join("\n"),
    );
    for (const broken of ["</a></b>", "<a", "<a><b></a>", "text"]) {
        assert.equal(typeof indented(broken), "string");
    }
});

test("JWT: header and payload are read, the signature never shown", () => {
    const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const found = jwt.token(
        `Bearer ${part({ alg: "HS256" })}.${part({ sub: "ü", exp: 1000 })}.c2VjcmV0`,
    );
    assert.equal(found?.payload.sub, "ü");
    assert.equal(found?.signature, 8);
    assert.ok(!JSON.stringify(found).includes("c2VjcmV0"));
    assert.deepEqual(jwt.times(found, 2000), [["exp", "1970-01-01T00:16:40Z, expired"]]);
    for (const wrong of ["", "a.b.c", "eyJx.eyJx.s", "eyJhbGciOiJub25lIn0"]) {
        assert.equal(jwt.token(wrong), null);
    }
});
