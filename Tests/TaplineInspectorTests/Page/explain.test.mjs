// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { changeWords, resultWords, spent, valueNow } = await load("detail-explain.js");

test("changes are said as the command line says them", () => {
    assert.equal(
        changeWords({ part: "request.header", name: "x-team", kind: "set" }),
        "set request.header x-team",
    );
    assert.equal(changeWords({ part: "tag", kind: "removed", count: 2 }), "removed 2 of tag");
    assert.equal(
        changeWords({ part: "response.body", kind: "changed", before: 2048, after: 64 }),
        "changed response.body (2.0 KiB to 64 B)",
    );
});

test("results say the verdict, or why a step did not run", () => {
    assert.equal(resultWords({ stage: "a", verdict: "proceed" }), "proceed");
    assert.equal(resultWords({ stage: "a", skipped: "when" }), "not matched by 'when'");
    assert.equal(resultWords({ stage: "a", skipped: "not_asked" }), "not reached");
    assert.equal(resultWords({ stage: "a", skipped: "later" }), "later");
    assert.equal(
        resultWords({ stage: "a", hook: "request", decision: "changed", waited_ms: 2500 }),
        "changed by hand, waited 2.50 s",
    );
    assert.equal(resultWords({ stage: "a", decision: "later" }), "later");
    assert.equal(
        resultWords({ stage: "a", failed: true, verdict: "pass", calls: 3, delay_ms: 250 }),
        "failed, then pass, 3 times, delay 250 ms",
    );
    assert.deepEqual([spent(0.012), spent(1.4)], ["12 µs", "1.4 ms"]);
});

test("the present value of what was changed comes from the record", () => {
    const record = {
        request: { url: "https://a/b", headers: [["X-Team", "cart"]] },
        response: { status: 503 },
        tags: { env: "test" },
    };
    assert.equal(valueNow({ part: "request.header", name: "x-team", kind: "set" }, record), "cart");
    assert.equal(valueNow({ part: "status", kind: "changed" }, record), "503");
    assert.equal(valueNow({ part: "tag", name: "env", kind: "set" }, record), "test");
    assert.equal(valueNow({ part: "tag", name: "env", kind: "removed" }, record), "");
    assert.equal(valueNow({ part: "response.body", kind: "changed" }, record), "");
});
