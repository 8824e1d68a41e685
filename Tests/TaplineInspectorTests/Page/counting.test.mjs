// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import "./dom.mjs";
import { load } from "./page.mjs";

const { app } = await load("app.js");
globalThis.ResizeObserver = class {
    observe() {}
};
globalThis.matchMedia = () => ({ addEventListener() {} });

/** A part of the page as it is shown. */
function shown(type) {
    const box = new type();
    const classList = { contains: () => false };
    Object.assign(box, { append() {}, setAttribute() {}, classList, offsetParent: {}, offsetWidth: 800 });
    box.connectedCallback();
    return box;
}

test("what counts for a filter ends as soon as another filter is applied", async () => {
    const { TlFacets } = await load("tl-facets.js");
    const { TlTimeline } = await load("tl-timeline.js");
    app.info = { count: 10, stores: [] };
    const signals = {};
    globalThis.fetch = (address, { signal }) => {
        signals[/\w+(?=\?)/.exec(address)[0]] = signal;
        return new Promise(() => {});
    };
    for (const type of [TlFacets, TlTimeline]) shown(type).load();
    await new Promise((done) => setTimeout(done, 1));
    assert.deepEqual(Object.keys(signals), ["facets", "timeline"]);
    app.adopt({ ...app.state, columns: "path" });
    assert.ok(!signals.facets.aborted && !signals.timeline.aborted);
    app.adopt({ ...app.state, filter: "status == 200" });
    assert.ok(signals.facets.aborted && signals.timeline.aborted);
});
