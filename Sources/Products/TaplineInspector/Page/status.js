// SPDX-License-Identifier: MIT
// @ts-check
// The upper and the lower edge of the page.

import { isPassing, takesPassword } from "./api.js";
import { app } from "./app.js";
import { button, h, refresh, replace } from "./dom.js";
import { count, counted, share, size } from "./formats.js";
import { waiting } from "./paused-state.js";

/** @typedef {import("./page.js").Page} Page */

const SCREENS = [
    ["list", "List"],
    ["apis", "APIs"],
    ["timeline", "Timeline"],
    ["differs", "What differs"],
    ["summary", "Summary"],
];

/** How many exchanges wait for a decision. */
function badge() {
    const { length } = waiting.all;
    return length ? h("b", { class: "badge", title: `${length} waiting` }, String(length)) : null;
}

/** The label and the help after the server has refused this browser. */
const lost = () => takesPassword() ? "logged out" : "link expired";
const lostHelp = () =>
    takesPassword()
        ? "load the page again to log in"
        : "open the address that the command printed last";

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
            class: app.connected && !app.refused ? "live" : "gone",
            title: app.refused
                ? lostHelp()
                : app.connected
                ? "connected: new exchanges appear by themselves"
                : "trying again; what is shown stays",
        }, app.refused ? lost() : app.connected ? "live" : "server gone"),
    );
    store.title = stores.map((one) =>
        `${one.path}, ${one.kind}, ${size(one.bytes)}${one.writable ? "" : ", read-only"}`
    ).join("\n");
    refresh(
        nav,
        [
            ...(app.info?.differences ? [["differences", "Differences"]] : []),
            ...SCREENS,
            ...(app.info?.can.actions ? [["runs", "Runs"]] : []),
            ...(app.info?.can.rules ? [["rules", "Rules"]] : []),
            ...(app.info?.can.pause ? [["paused", "Paused"]] : []),
        ].map(([id, label]) =>
            h("a", {
                href: "#",
                "aria-current": app.state.screen === id ? "page" : null,
                onclick: (/** @type {Event} */ event) => {
                    event.preventDefault();
                    app.go({ screen: id });
                },
                "data-key": id,
            }, label, id === "paused" ? badge() : null)
        ),
        button("Keys", () => page.sheet(), { title: "keys (?)" }),
    );
    // Where there is no room for all, the bar scrolls.
    nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** @param {Page} page */
function counts(page) {
    const { source } = page;
    const all = app.head.count;
    const narrowed = Boolean(app.filter);
    const parts = [counted(all, "exchange")];
    const active = app.head.unfinished?.length ?? 0;
    if (active) parts.push(`${count(active)} in progress`);
    if (source.opening) parts.push("loading");
    else if (narrowed && !source.error) {
        parts.push(`${count(source.total)}${source.complete ? "" : " so far"} match`);
    }
    return parts.join(" · ");
}

/**
 * Why what is shown may be old.
 * @param {Page} page
 */
function trouble({ source }) {
    const state = app.info?.state ?? "";
    const text = app.refused
        ? `${takesPassword() ? "Logged out" : "This link has expired"}: ${lostHelp()}.`
        : !app.connected
        ? "The server does not answer; trying again."
        : source.total && (isPassing(source.error) || ["busy", "locked"].includes(state))
        ? "The store cannot be read now; trying again."
        : "";
    return text ? h("span", { class: "warn", title: text }, text) : null;
}

/** @param {HTMLElement} place @param {Page} page */
export function drawStatus(place, page) {
    const { source, follow, list } = page;
    const range = list.selection;
    const chosen = range && range[1] > range[0] ? `${count(range[1] - range[0] + 1)} selected` : "";
    const problem = trouble(page);
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
        source.cancelled
            ? h(
                "span",
                { class: "warn" },
                "stopped: not all were looked at",
                button("Go on", () => source.resume()),
            )
            : null,
        follow.fresh && !follow.isFollowing
            ? button(`${count(follow.fresh)} new ↑`, () => follow.newest(), {
                class: "fresh",
                "data-key": "fresh",
                title: "jump to the newest (.)",
            })
            : follow.isFollowing && source.total && !problem
            ? app.info?.mode !== "share" &&
                h("span", { class: "soft follows" }, "following")
            : follow.paused
            ? h("span", { class: "soft" }, "paused")
            : null,
        chosen ? h("span", {}, chosen) : null,
        problem,
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
