// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { Failure, get, isPassing, isRefused, takesPassword } = await load("api.js");
const { ListSource } = await load("list-source.js");
const { readsAnnotations } = await load("filters.js");

/** Answers calls of the server, and keeps their addresses. */
function server(answer) {
    const calls = [];
    globalThis.fetch = (address, init) => {
        calls.push(address);
        return new Promise((done, fail) => {
            init?.signal?.addEventListener(
                "abort",
                () => fail(new DOMException("aborted", "AbortError")),
            );
            answer(address, (value, status = 200) =>
                done({ ok: status < 300, status, json: async () => value }));
        });
    };
    return calls;
}

const rows = (values = {}) => ({
    view: "v1",
    head: 10,
    total: 10,
    complete: true,
    progress: 1,
    from: 0,
    rows: Array.from({ length: 10 }, (_, at) => ({ id: String(at) })),
    ...values,
});
const later = () => new Promise((done) => setTimeout(done, 1));

test("what may be answered later is told from what is refused or wrong", () => {
    for (
        const [status, code] of [[0, "gone"], [503, "busy"], [404, "missing"], [409, "newer"],
            [500, "damaged"]]
    ) assert.ok(isPassing(new Failure(status, { code })), code);
    for (const [status, code] of [[400, "filter"], [404, "unknown_id"], [401, "login"]]) {
        assert.ok(!isPassing(new Failure(status, { code })), code);
    }
    assert.ok(isRefused(new Failure(401, {})));
});

test("a refusal says whether the server takes a password", async () => {
    assert.ok(!takesPassword());
    for (const [login, isTaken] of [["password", true], [undefined, false]]) {
        server((_, answer) => answer({ error: { code: "cookie", login } }, 401));
        await assert.rejects(get("info"), isRefused);
        assert.equal(takesPassword(), isTaken);
    }
});

test("a store that cannot be read is asked again, and then shown", async () => {
    let isMade = false;
    server((_, answer) =>
        isMade ? answer(rows()) : answer({ error: { code: "missing", message: "none" } }, 404)
    );
    const source = new ListSource();
    await source.open({ filter: "", sort: "" });
    assert.equal(source.error.code, "missing");
    isMade = true;
    const shown = new Promise((done) => source.addEventListener("change", done));
    source.retry();
    await shown;
    assert.deepEqual([source.total, source.error], [10, null]);
});

test("a wrong filter is not asked for again", async () => {
    const calls = server((_, answer) => answer({ error: { code: "filter" } }, 400));
    const source = new ListSource();
    await source.open({ filter: "x", sort: "" });
    source.need(0, 50);
    await later();
    assert.equal(calls.length, 1);
});

test("the first rows of a query are waited for without a pause, further ones with one", async () => {
    const answers = [];
    const calls = server((_, answer) => answers.push(answer));
    const source = new ListSource();
    const opened = source.open({ filter: "x", sort: "" });
    answers[0](rows({ complete: false, total: 0, rows: [] }));
    await opened;
    await later();
    assert.equal(calls.length, 2);
    answers[1](rows({ complete: false, total: 1, rows: [{ id: "0" }] }));
    await later();
    assert.deepEqual([calls.length, source.total], [2, 1]);
    source.reset();
});

test("what counts the same exchanges waits until the list has its rows, or cannot get them", async () => {
    const answers = [];
    server((_, answer) => answers.push(answer));
    const source = new ListSource();
    const opened = source.open({ filter: "x", sort: "" });
    let isSettled = false;
    source.settled().then(() => isSettled = true);
    answers[0](rows({ complete: false, total: 0, rows: [] }));
    await opened;
    await later();
    assert.ok(!isSettled);
    answers[1](rows());
    await later();
    assert.ok(isSettled);
    const failed = source.open({ filter: "y", sort: "" });
    isSettled = false;
    source.settled().then(() => isSettled = true);
    await later();
    assert.ok(!isSettled);
    answers[2]({ error: { code: "filter" } }, 400);
    await failed;
    await later();
    assert.ok(isSettled);
});

test("a caller can stop waiting for a cancelled query, and leaves no listener", async () => {
    server((_, answer) => answer(rows({ complete: false, progress: 0.5 })));
    const source = new ListSource();
    await source.open({ filter: "x", sort: "" });
    await source.cancel();
    let [settled, listeners] = [0, 0];
    const [add, remove] = [source.addEventListener, source.removeEventListener];
    source.addEventListener = (...values) => (listeners += 1, add.apply(source, values));
    source.removeEventListener = (...values) => (listeners -= 1, remove.apply(source, values));
    const call = new AbortController();
    source.settled(call.signal).then(() => settled += 1);
    await later();
    assert.deepEqual([settled, listeners], [0, 2]);
    call.abort();
    await later();
    assert.deepEqual([settled, listeners], [1, 0]);
    source.reset();
});

test("a stopped query stays stopped until the reader goes on or asks for another", async () => {
    const calls = server((_, answer) => answer(rows({ complete: false, progress: 0.5 })));
    const source = new ListSource();
    await source.open({ filter: "x", sort: "" });
    await source.cancel();
    assert.ok(source.cancelled);
    const made = calls.length;
    await source.adopt(20);
    await later();
    assert.equal(calls.length, made);
    // A page that is loaded again must not go on with the query.
    source.changed(["3"]);
    await later();
    assert.ok(source.cancelled);
    await source.resume();
    assert.match(calls.at(-1), /again=1/);
    assert.ok(!source.cancelled);
    source.reset();
});

test("a query that is stopped before its first answer shows no rows of the former list", async () => {
    let isSlow = false;
    server((_, answer) => isSlow || answer(rows()));
    const source = new ListSource();
    await source.open({ filter: "", sort: "" });
    isSlow = true;
    source.open({ filter: "x", sort: "" });
    await source.cancel();
    assert.deepEqual([source.total, source.row(0), source.cancelled], [0, undefined, true]);
});

test("rows of a store that was replaced are forgotten", async () => {
    server((_, answer) => answer(rows()));
    const source = new ListSource();
    await source.open({ filter: "", sort: "" });
    source.reset();
    assert.deepEqual([source.total, source.head, source.row(0)], [0, 0, undefined]);
});

test("filters that read marks, notes or tags are known", () => {
    for (const text of ["mark exists", 'note contains "x"', 'tags["a"] == "b"', "not notes exists"]) {
        assert.ok(readsAnnotations(text), text);
    }
    for (const text of ["status == 200", 'path contains "mark"', "remark == 1", "x.note == 1"]) {
        assert.ok(!readsAnnotations(text), text);
    }
});
