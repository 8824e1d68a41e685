// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test, { afterEach, beforeEach, mock } from "node:test";
import { announcer, pressed, show } from "./dom.mjs";
import { load } from "./page.mjs";

globalThis.location = { hash: "", pathname: "/" };
globalThis.addEventListener ??= () => {};
const { answerWith } = await load("api.js");
const { app } = await load("app.js");
const { existing } = await load("screens.js");
const { runsScreen } = await load("runs-screen.js");

const run = (id, more) => ({ id, kind: "replay", filter: "", to: "h", at: 0, lines: [], ...more });
const later = () => new Promise((resolve) => setImmediate(resolve));

/** What the server has, and the paths that were asked for. */
let [runs, differences, asked] = [[], () => ({ routes: [] }), []];

answerWith(async (address, init) => {
    asked.push(`${init?.method ?? "GET"} ${address}`.split("?")[0]);
    const value = /differences/.test(address) ? differences() : { runs };
    return new Response(JSON.stringify(value), { status: value.error ? 503 : 200 });
});

async function look(times = 1) {
    for (let count = 0; count < times; count += 1) {
        mock.timers.tick(700);
        await later();
        await later();
        await later();
        await later();
    }
}

async function opened() {
    const page = show(runsScreen());
    await look();
    return page;
}

beforeEach(() => {
    [runs, asked, announcer.textContent] = [[], [], ""];
    app.info = { can: { actions: true }, stores: [] };
    mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
});

afterEach(() => {
    show(document.createElement("div"));
    mock.timers.tick(700);
    mock.timers.reset();
});

test("runs of other pages appear, although nothing ran here", async () => {
    const page = await opened();
    assert.match(page.textContent, /No replays or mocks yet/);
    runs = [run(1, { running: true })];
    await look(8);
    assert.match(page.textContent, /running/);
    assert.doesNotMatch(page.textContent, /No replays or mocks yet/);
});

test("differences that could not be read can be asked for again", async () => {
    differences = () => ({ error: { code: "busy", message: "the server is busy" } });
    runs = [run(1, { running: false, pairs: 1, differing: 1 })];
    const page = await opened();
    assert.match(page.textContent, /the server is busy/);
    differences = () => ({ routes: [] });
    pressed(page, "Try again").click();
    await look();
    assert.doesNotMatch(page.textContent, /busy|Try again/);
    assert.ok(page.contains(document.activeElement), "the focus is lost");
});

test("the end of a run is announced, and the focus stays in its part", async () => {
    runs = [run(1, { running: true }), run(2, { running: false, pairs: 1, differing: 0 })];
    const page = await opened();
    assert.equal(announcer.textContent, "", "a run that had ended before is announced");
    pressed(page, "Stop").focus();
    await look();
    assert.equal(document.activeElement, pressed(page, "Stop"));
    runs = [run(1, { running: false, pairs: 3, differing: 3 })];
    await look();
    assert.equal(announcer.textContent, "replay ended: 3 of 3 answers differ.");
    const part = document.activeElement;
    assert.equal(part.tabIndex, -1);
    assert.ok(page.contains(part) && part.textContent.includes("ended"));
});

test("many differences are drawn in steps, and each route has at most 50 parts", async () => {
    const examples = [{ recorded_id: "1", id: "2", target: "/", recorded: "1", found: "2" }];
    const parts = Array.from({ length: 80 }, (_, at) => (
        { path: `$.${at}`, kind: "json", count: 1, examples }
    ));
    const routes = Array.from({ length: 20 }, (_, at) => (
        { method: "GET", route: `/${at}`, pairs: 1, differing: 1, parts, more_parts: 900 }
    ));
    differences = () => ({ routes });
    runs = [run(1, { running: false, pairs: 20, differing: 20 })];
    const page = await opened();
    const shown = () => page.querySelectorAll("section").length;
    assert.equal(page.querySelectorAll("section, tbody").length, 6 + 6 * 50);
    assert.ok(page.querySelectorAll("p").some((one) => one.textContent === "and 930 more parts"));
    pressed(page, "Show more: 14 routes left").click();
    assert.equal(shown(), 12);
    assert.equal(document.activeElement, page.querySelectorAll("section")[6]);
    pressed(page, "Show more: 8 routes left").click();
    pressed(page, "Show more: 2 routes left").click();
    assert.equal(shown(), 20);
    assert.ok(!page.querySelectorAll("button").some((one) => /more/.test(one.textContent)));
});

test("a run is stopped once, and says so until it has ended", async () => {
    runs = [run(1, { running: true, kind: "mock" })];
    const page = await opened();
    pressed(page, "Stop").focus();
    pressed(page, "Stop").click();
    assert.equal(announcer.textContent, "stopping");
    const stopping = pressed(page, "Stopping …");
    assert.equal(stopping.attributes["aria-disabled"], "true");
    assert.equal(document.activeElement, stopping);
    stopping.click();
    await look();
    assert.equal(asked.filter((call) => /^POST .*runs\/1\/stop$/.test(call)).length, 1);
    assert.ok(pressed(page, "Stopping …"));
    runs = [run(1, { running: false, kind: "mock", failure: "the port is taken" })];
    await look();
    assert.equal(announcer.textContent, "mock failed");
});

test("a screen that the page does not have is the list", () => {
    assert.equal(existing("runs"), "runs");
    for (const name of ["list", "differences", "toString", ""]) assert.equal(existing(name), "list");
});
