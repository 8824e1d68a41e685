// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import "./dom.mjs";
import { load } from "./page.mjs";

globalThis.location = { hash: "", pathname: "/" };
globalThis.addEventListener ??= () => {};
const { app } = await load("app.js");
const { startDialog } = await load("runs-dialog.js");

app.info = { can: { actions: true }, stores: [{ path: "a.db" }] };

/** The choices of the form with a selection of which some rows are loaded. */
async function offered(selection, loaded) {
    document.body.textContent = "";
    const selectedIds = Array.from({ length: loaded }, (_, number) => String(number));
    await startDialog("mock", { selectedIds, list: { selection }, source: { total: 3000 } });
    return document.body.querySelectorAll("option").map(({ textContent }) => textContent);
}

test("a form says how many of the selected exchanges are taken", async () => {
    const list = "3,000 exchanges of the list";
    assert.deepEqual(await offered([5, 7], 3), ["3 selected exchanges", list]);
    assert.deepEqual(
        await offered([0, 999], 200),
        ["only 200 of 1,000 selected exchanges", list],
    );
    assert.deepEqual(await offered([0, 999], 1), ["only 1 of 1,000 selected exchanges", list]);
    assert.deepEqual(await offered([4, 4], 1), [list, "the chosen exchange"]);
    assert.deepEqual(await offered(null, 1), [list, "the chosen exchange"]);
    assert.deepEqual(await offered(null, 0), [list]);
});
