// SPDX-License-Identifier: MIT
// @ts-check
// The upper and the lower edge of the page.

import { app } from "./app.js";
import { button, h, refresh, replace } from "./dom.js";
import { clock, count, counted, duration, share, size } from "./formats.js";

/** @typedef {import("./page.js").Page} Page */

const SCREENS = [["list", "List"], ["apis", "APIs"], ["timeline", "Timeline"], [
    "differs",
    "What differs",
]];

/** @param {Page} page */
export function drawTop(page) {
    const store = document.getElementById("store");
    const nav = document.getElementById("screens");
    if (!store || !nav) return;
    const stores = app.info?.stores ?? [];
    const name = stores.length > 1 ? counted(stores.length, "store") : stores[0]?.path ?? "";
    const shared = app.info?.mode === "share" && h(
        "span",
        { class: "soft" },
        app.info.redaction === "none" ? "not redacted" : `redacted: ${app.info.redaction}`,
    );
    replace(
        store,
        h("span", { class: "name" }, name),
        shared || h("span", {
            class: app.connected ? "live" : "gone",
            title: app.connected
                ? "connected: new exchanges appear by themselves"
                : "trying again; what is shown stays",
        }, app.connected ? "live" : "server gone"),
    );
    store.title = stores.map((one) =>
        `${one.path}, ${one.kind}, ${size(one.bytes)}${one.writable ? "" : ", read-only"}`
    ).join("\n");
    refresh(
        nav,
        SCREENS.map(([id, label]) =>
            h("a", {
                href: "#",
                "aria-current": app.state.screen === id ? "page" : null,
                onclick: (/** @type {Event} */ event) => {
                    event.preventDefault();
                    app.go({ screen: id });
                },
            }, label)
        ),
        button("Keys", () => page.sheet(), { title: "keys (?)" }),
    );
}

/** @param {Page} page */
function counts(page) {
    const { source } = page;
    const all = app.head.count;
    const narrowed = Boolean(app.filter);
    const parts = [counted(all, "exchange")];
    if (source.opening) parts.push("loading");
    else if (narrowed && !source.error) {
        parts.push(`${count(source.total)}${source.complete ? "" : " so far"} match`);
    }
    return parts.join(" · ");
}

/** @param {HTMLElement} place @param {Page} page */
export function drawStatus(place, page) {
    const { source, follow, list } = page;
    const range = list.selection;
    const chosen = range && range[1] > range[0] ? `${count(range[1] - range[0] + 1)} selected` : "";
    const running = !source.complete && !source.cancelled;
    const bar = h("progress", {
        max: 1,
        value: source.progress,
        "aria-label": "progress of the query",
    });
    refresh(
        place,
        h("span", { class: "counts" }, counts(page)),
        running
            ? h(
                "span",
                { class: "running" },
                bar,
                share(source.progress),
                button("Cancel", () => source.cancel()),
            )
            : null,
        source.cancelled ? h("span", { class: "warn" }, "stopped: not all were looked at") : null,
        follow.fresh && !follow.isFollowing
            ? button(`${count(follow.fresh)} new ↑`, () => follow.newest(), {
                class: "fresh",
                "data-key": "fresh",
                title: "jump to the newest (.)",
            })
            : follow.isFollowing && source.total
            ? app.info?.mode !== "share" && h("span", { class: "soft" }, "following")
            : follow.paused
            ? h("span", { class: "soft" }, "paused")
            : null,
        chosen ? h("span", {}, chosen) : null,
        !app.connected
            ? h(
                "span",
                { class: "warn" },
                app.refused
                    ? "The command was started again: open the address that it printed."
                    : "The server does not answer; trying again.",
            )
            : null,
        h("span", { class: "gap" }),
        h(
            "span",
            { class: "hints", "aria-hidden": "true" },
            [["j k", "move"], ["/", "filter"], ["enter", "open"], ["?", "keys"]].map((
                [key, what],
            ) => h("span", {}, h("kbd", {}, key), ` ${what}`)),
        ),
        button(app.utc ? "UTC" : "local time", () => page.run("utc"), {
            title: "times in UTC or local (u)",
        }),
    );
}

let ticking = 0;

/**
 * Exchanges that have not ended: the oldest first.
 * @param {HTMLElement} place @param {import("./types").Active[]} all
 */
export function drawUnfinished(place, all) {
    clearTimeout(ticking);
    place.hidden = all.length === 0 || app.state.screen !== "list";
    if (place.hidden) return;
    const now = Date.now() * 1000;
    const oldest = [...all].sort((a, b) => a.started - b.started).slice(0, 3);
    replace(
        place,
        h("span", { class: "soft" }, counted(all.length, "unfinished exchange")),
        oldest.map((one) =>
            h(
                "span",
                { class: "active", title: `since ${clock(one.started, app.utc, 3)}` },
                `${one.method ?? ""} ${one.host ?? one.source ?? ""} ${
                    duration(Math.max(0, now - one.started))
                }`,
            )
        ),
    );
    ticking = setTimeout(() => drawUnfinished(place, all), 1000);
}
