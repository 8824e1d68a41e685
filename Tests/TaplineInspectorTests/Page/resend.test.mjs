// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const resend = await load("resend-draft.js");

const BODY = '{\n  "a": "[redacted]",\n  "card": { "number": "[redacted]", "cvc": 1 }\n}';
const draft = {
    method: "POST",
    url: "https://h/cart?key=[redacted]",
    headers: [
        ["Host", "h"],
        ["Authorization", "[redacted]"],
        ["Cookie", "a=1"],
        ["cookie", "b=[redacted]"],
        ["Content-Length", "61"],
    ],
    body: { text: BODY },
    missing: [
        { at: "request.url", reason: "masked" },
        { at: "request.header.Authorization", reason: "masked" },
        { at: "request.header.Cookie", reason: "masked" },
        { at: "request.header.X-Key", reason: "not kept" },
        { at: "request.body.$.card.number", reason: "masked" },
    ],
};
const labels = (model) => resend.gaps(model).map(({ label }) => label);

test("resend: what is not known has to be filled in, or removed", () => {
    const model = resend.opened(draft);
    assert.deepEqual(labels(model), [
        "URL",
        "Authorization",
        "cookie",
        "X-Key",
        "body $.card.number",
    ]);
    model.url = "https://h/cart?key=1";
    model.fields[1].value = "Bearer x";
    model.fields = model.fields.filter(({ name }) => name !== "X-Key");
    assert.deepEqual(labels(model), ["cookie", "body $.card.number"]);
    model.fields[3].value = "  ";
    model.body = BODY.replace('"cvc": 1', '"cvc": 2');
    assert.deepEqual(labels(model), ["cookie", "body $.card.number"]);
    model.fields[3].value = "b=2";
    model.body = BODY.replace('"number": "[redacted]"', '"number": "4111"');
    assert.deepEqual(labels(model), []);
    model.body = BODY.replace('"number": "[redacted]", ', "");
    assert.deepEqual(labels(model), []);
});

test("resend: a body that was cut is filled in, or sent as it is", () => {
    const cut = { ...draft, missing: [{ at: "request.body", reason: "truncated" }] };
    const model = resend.opened(cut);
    assert.deepEqual(labels(model), ["body"]);
    assert.deepEqual(labels({ ...model, accepted: true }), []);
    assert.deepEqual(labels({ ...model, body: "" }), []);
});

test("resend: the request has the fields in their order, and the body that was chosen", () => {
    const model = resend.opened({ ...draft, missing: [] });
    model.fields = resend.moved(model.fields, 2, 0);
    model.fields.push({ name: " ", value: "x", was: null, reason: "" });
    assert.deepEqual(resend.written(model), {
        method: "POST",
        url: draft.url,
        headers: [["Cookie", "a=1"], ["Host", "h"], ["Authorization", "[redacted]"], [
            "cookie",
            "b=[redacted]",
        ]],
        body: { text: BODY },
    });
    assert.equal(resend.written({ ...model, body: "" }).body, undefined);
    const binary = resend.opened({ ...draft, body: { base64: "AAE=" }, missing: [] });
    assert.deepEqual(resend.written(binary).body, { base64: "AAE=" });
    assert.deepEqual(resend.written({ ...binary, body: "x" }).body, { text: "x" });
    assert.deepEqual(resend.moved(model.fields, 0, -1), model.fields);
});

test("paths: steps, and where a value stands", () => {
    assert.deepEqual(resend.steps('$.a[0]["b.c"].d'), ["a", 0, "b.c", "d"]);
    assert.deepEqual(resend.steps("$"), []);
    assert.equal(resend.steps("$.a["), null);
    const { from, to } = resend.place(BODY, "$.card.number");
    assert.equal(from, BODY.lastIndexOf('"[redacted]"'));
    assert.equal(BODY.slice(from, to), '"[redacted]"');
    assert.equal(resend.place(BODY, "$.a").from, BODY.indexOf('"[redacted]"'));
    assert.equal(resend.place(BODY, "$.none"), null);
    assert.equal(resend.place("not JSON", "$.a"), null);
});
