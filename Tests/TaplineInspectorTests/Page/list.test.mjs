// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const { ScrollMap } = await load("scroll-map.js");
const { COLUMNS, DEFAULT, chosen, fitting, moved, template } = await load("columns.js");
const { COMMANDS } = await load("commands.js");
const { stroke } = await load("keys.js");
const { nextSort } = await load("list-head.js");

test("a short list scrolls as the browser does", () => {
    const map = new ScrollMap(1000, 28, 700);
    map.scrolled(2800);
    assert.deepEqual([map.first, map.native, map.isScaled], [100, 2800, false]);
});

test("a long list: wheels move by pixels, the bar by share, and both ends are reached", () => {
    const map = new ScrollMap(1_000_000, 28, 700);
    map.scrolled(100);
    assert.equal(map.top, 100);
    map.scrolled(map.maxNative / 2);
    assert.ok(Math.abs(map.first - 500_000) < 30);
    map.placed(map.native);
    map.scrolled(map.maxNative);
    assert.equal(map.first + Math.floor(map.view / map.rowHeight), 1_000_000);
    map.scrolled(0);
    assert.equal(map.top, 0);
});

test("a long list: the bar at an end while rows remain is noticed", () => {
    const map = new ScrollMap(1_000_000, 28, 700);
    map.top = 5000;
    map.placed(300);
    map.scrolled(0);
    assert.ok(map.isStuck);
    map.placed(map.native);
    assert.ok(map.native > 0 && !map.isStuck);
});

test("every row can be shown exactly", () => {
    const map = new ScrollMap(1_000_000, 28, 700);
    for (const index of [0, 1, 24, 25, 499_999, 999_998, 999_999]) {
        map.show(index);
        assert.ok(map.top <= index * 28 && index * 28 + 28 <= map.top + map.view, String(index));
    }
    map.show(500_000, true);
    assert.ok(Math.abs(map.top + map.view / 2 - 500_000 * 28) < 1);
});

test("columns that have no room go, but never the path", () => {
    const all = chosen("");
    assert.deepEqual(all.map(({ id }) => id), DEFAULT);
    for (const room of [100, 300, 600, 1200]) {
        assert.ok(fitting(all, room).some(({ id }) => id === "path"));
    }
    assert.ok(fitting(all, 500).length < all.length);
    assert.equal(fitting(all, 5000).length, all.length);
    assert.equal(template(all, 1200).split(" ").length, all.length);
    assert.deepEqual(chosen("nothing,known").map(({ id }) => id), DEFAULT);
});

test("a column moves among the others, and stays within", () => {
    assert.deepEqual(moved(["a", "b", "c"], "a", 1), ["b", "a", "c"]);
    assert.deepEqual(moved(["a", "b", "c"], "c", -1), ["c", "a", "b"]);
    assert.deepEqual(moved(["a", "b", "c"], "b", 9), ["a", "c", "b"]);
    assert.deepEqual(chosen("path,time").map(({ id }) => id), ["path", "time"]);
});

test("a head sorts down, up, then as at first", () => {
    assert.equal(nextSort("", "duration"), "-duration");
    assert.equal(nextSort("-duration", "duration"), "duration");
    assert.equal(nextSort("duration", "duration"), "");
});

test("every key belongs to one command, and none is the start of another's", () => {
    const keys = COMMANDS.flatMap((command) => command.keys);
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) assert.ok(!keys.some((other) => other.startsWith(`${key} `)), key);
    assert.equal(new Set(COMMANDS.map(({ id }) => id)).size, COMMANDS.length);
    assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
});

test("strokes are named as the commands name them", () => {
    assert.equal(stroke({ key: "K", ctrlKey: true }), "Ctrl-k");
    assert.equal(stroke({ key: "ArrowDown", shiftKey: true }), "Shift-ArrowDown");
    assert.equal(stroke({ key: "J", shiftKey: true }), "J");
    assert.equal(stroke({ key: "?", shiftKey: true }), "?");
});

test("columns are sorted by fields of the filter language", () => {
    const fields = [
        "started",
        "method",
        "status",
        "host",
        "path",
        "content_type",
        "request.size",
        "response.size",
        "duration",
        "client",
        "",
    ];
    for (const column of COLUMNS) assert.ok(fields.includes(column.sort), column.id);
});

test("hosts are sums of their routes, without percentiles", async () => {
    const { byHost } = await load("tl-apis.js");
    const api = (host, route, count, last) => ({
        host,
        route,
        methods: { GET: count },
        statuses: { "2xx": count },
        count,
        errors: 1,
        p50: 5,
        p95: 6,
        p99: 7,
        up: 2,
        down: 3,
        last,
    });
    const [a, b, ...rest] = byHost([
        api("a", "/x", 10, 5),
        api("b:8080", "/", 1, 9),
        api("a", "/y", 20, 4),
    ]);
    assert.deepEqual([
        a.host,
        a.route,
        a.count,
        a.errors,
        a.up,
        a.down,
        a.last,
        a.methods.GET,
        a.p99,
    ], ["a", "2 routes", 30, 2, 4, 6, 5, 30, undefined]);
    assert.deepEqual([b.host, b.route, b.count], ["b:8080", "1 route", 1]);
    assert.equal(rest.length, 0);
});

test("a summary has totals, the time in use, and what stands out", async () => {
    const { first, totals } = await load("tl-summary.js");
    const api = (host, up, down, errors) => ({ host, route: "/", count: 10, errors, up, down });
    const apis = [api("a", 1, 2, 0), api("b", 3, 4, 5)];
    const timeline = { from: 0, to: 4e6, step: 1e6, buckets: [[0, 0, 0], [6, 1, 9], [2, 0, 9], [0, 0, 0]] };
    assert.deepEqual(totals(timeline, apis), {
        count: 8,
        errors: 1,
        seconds: 2,
        peak: 6,
        step: 1,
        up: 4,
        down: 6,
        hosts: 2,
        routes: 2,
    });
    assert.deepEqual(first(apis, (one) => one.errors).map(({ host }) => host), ["b"]);
    assert.equal(totals({ from: 0, to: 0, step: 1, buckets: [] }, []).seconds, 0);
});

test("how the table of APIs is shown stands in the address", async () => {
    const { readView, writeView } = await load("tl-apis.js");
    assert.equal(writeView(readView("")), "");
    for (const text of ["hosts,-p95,", "routes,Host,a,b", "routes,-Count,shop"]) {
        assert.equal(writeView(readView(text)), text);
    }
    assert.deepEqual(readView("hosts,-nothing"), { hosts: true, order: 3, down: true, find: "" });
});
