// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const paused = await load("paused-changes.js");

const BODY = '{"item":7,"card":{"number":"[redacted]","owner":"Ann"},"tags":["a","b"],"n":1.50}';
const request = (body = BODY) =>
    paused.opened({
        hook: "request",
        record: {
            request: {
                method: "POST",
                url: "https://h/cart?key=[redacted]",
                headers: [["Host", "h"], ["Authorization", "Bearer [redacted]"], ["A", "1"]],
                body: { text: body },
            },
        },
    });
const response = () =>
    paused.opened({
        hook: "response",
        record: {
            response: {
                status: 200,
                headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=[redacted]"]],
                body: { text: "hello" },
            },
        },
    });
const of = (model, change) => {
    change(model);
    const { changes, problems } = paused.changes(model);
    assert.deepEqual(problems, []);
    return changes;
};
const problems = (model, change) => {
    change(model);
    return paused.changes(model).problems.map(({ text }) => text.split(":")[0]);
};

test("paused: without a change nothing is sent", () => {
    assert.deepEqual(of(request(), () => {}), []);
    assert.deepEqual(of(response(), () => {}), []);
    assert.deepEqual(of(request(), (one) => one.body = BODY.replaceAll(",", ", ")), []);
});

test("paused: only what was changed is sent, and nothing masked", () => {
    assert.deepEqual(
        of(request(), (one) => {
            one.method = "PUT";
            one.fields[2].value = "2";
            one.fields = one.fields.filter(({ name }) => name !== "Host");
            one.fields.push({ name: "X-New", value: "n", was: null, reason: "" });
            one.body = BODY.replace("7", "8").replace('"b"', '"c"').replace('"Ann"', '"É"')
                .replace(',"n":1.50', ',"m":null');
        }),
        [
            { at: "request.method", value: "PUT" },
            { at: "request.header.Host", remove: true },
            { at: "request.header.A", value: "2" },
            { at: "request.header.X-New", value: "n" },
            { at: "request.body.$.item", value: "8" },
            { at: "request.body.$.card.owner", value: '"É"' },
            { at: "request.body.$.tags[1]", value: '"c"' },
            { at: "request.body.$.n", remove: true },
            { at: "request.body.$.m", value: "null", add: true },
        ],
    );
    assert.deepEqual(of(response(), (one) => [one.status, one.body] = ["503", "bye"]), [
        { at: "response.status", value: "503" },
        { at: "response.body", value: "bye" },
    ]);
});

test("paused: a masked value can be replaced, or removed with its field", () => {
    assert.deepEqual(
        of(request(), (one) => {
            one.url = "https://h/cart";
            one.fields[1].value = "Bearer x";
            one.body = BODY.replace('"[redacted]"', '"4111"');
        }),
        [
            { at: "request.url", value: "https://h/cart" },
            { at: "request.header.Authorization", value: "Bearer x" },
            { at: "request.body.$.card.number", value: '"4111"' },
        ],
    );
    assert.deepEqual(of(response(), (one) => one.fields = []), [
        { at: "response.header.Set-Cookie", remove: true },
    ]);
    assert.deepEqual(of(request(), (one) => one.body = "all new"), [
        { at: "request.body", value: "all new" },
    ]);
});

test("paused: what would send something masked is refused", () => {
    assert.deepEqual(problems(request(), (one) => one.url += "&a=1"), ["a part is masked"]);
    assert.deepEqual(problems(request(), (one) => one.fields[1].value += "x"), [
        "a part is masked",
    ]);
    for (
        const body of [
            BODY.replace("[redacted]", "x[redacted]"),
            BODY.replace('"b"]', '"b","[redacted]"]'),
            BODY.replace('"card"', '"copy"'),
            BODY + "}",
        ]
    ) {
        const found = problems(request(), (one) => one.body = body);
        assert.deepEqual(found, ["values are masked"], body);
    }
    assert.deepEqual(problems(response(), (one) => one.fields[0].value = "a=2"), [
        "several with this name",
    ]);
});

test("paused: a body without masked values is sent as a whole", () => {
    assert.deepEqual(of(request('{"a":1}'), (one) => one.body = '{"a":2}'), [
        { at: "request.body", value: '{"a":2}' },
    ]);
});

test("paused: what the server refuses is said beside its part", () => {
    const model = request();
    const part = (at) => [...paused.refused(model, [{ at, message: "no" }]).said.keys()][0];
    assert.equal(part("request.method"), "method");
    assert.equal(part("request.url"), "url");
    assert.equal(part("response.status"), "url");
    assert.equal(part("request.body"), "body");
    assert.equal(part("request.header.AUTHORIZATION"), model.fields[1]);
    const { said, others } = paused.refused(model, [
        { at: "request.body.$.a.b", message: "no a" },
        { at: "request.header.Gone", message: "no field" },
        { at: "request.body.$.c", message: "no c" },
        { at: "other", message: "no place" },
    ]);
    assert.deepEqual([...said], [["body", { text: "no a; no c", open: true }]]);
    assert.deepEqual(others, ["no field", "no place"]);
});

test("paused: what is masked is said to stay", () => {
    const model = request();
    const said = paused.masked(model);
    assert.deepEqual([...said.keys()], [model.fields[1], "body"]);
    model.fields[1].value = "Bearer x";
    model.body = "all new";
    assert.equal(paused.masked(model).size, 0);
});
