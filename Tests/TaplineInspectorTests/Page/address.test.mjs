// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { START, format, parse, token } = await load("address.js");

test("an address and its state are the same", () => {
    const state = {
        ...START,
        screen: "compare",
        filter: 'host == "a&b=c" and path ~ "^/ü+#%"',
        sort: "-duration",
        from: 1_764_000_000_018_007,
        to: 1_764_000_000_018_008,
        id: "0193",
        tab: "both",
        columns: "path,status",
        a: "1",
        b: "2",
        chosen: "duration > 1s",
    };
    assert.deepEqual(parse(format(state)), state);
});

test("what is as at the start is left out", () => {
    assert.equal(format(START), "#/list");
    assert.equal(format({ ...START, filter: "a b" }), "#/list?filter=a%20b");
    assert.deepEqual(parse("#/list"), START);
});

test("an address from elsewhere cannot break the page", () => {
    for (
        const fragment of [
            "",
            "#",
            "#/nowhere",
            "#/list?from=x&to=1e99&filter",
            "#/list?%",
            "#token=",
        ]
    ) {
        const state = parse(fragment);
        assert.equal(state.screen, "list");
        assert.equal(state.from, null);
        assert.equal(state.to, null);
    }
});

test("the token is taken out of the printed address", () => {
    assert.deepEqual(token("#token=a%2Bb"), { token: "a+b", rest: "" });
    assert.deepEqual(token("#token=ab&/apis?filter=x"), { token: "ab", rest: "#/apis?filter=x" });
    assert.equal(token("#/list?filter=token=a"), null);
});
