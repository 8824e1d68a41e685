// SPDX-License-Identifier: MIT
// @ts-check
// Exchanges that have not ended, as rows above the others while the list is followed.

import { app } from "./app.js";

/**
 * @typedef {import("./types").Row} Row
 * @typedef {import("./types").Active} Active
 */

const SHOWN = 8;
/** What ends sooner would only flicker, in microseconds. */
const AGE = 500_000;
const TICK = 500;

/**
 * The rows of exchanges in progress: the newest first, as in the list.
 * @param {Active[]} all @param {number} now
 * @returns {Row[]}
 */
export function rows(all, now) {
    return all.filter((one) => now - one.started >= AGE)
        .sort((a, b) => b.started - a.started).slice(0, SHOWN).map((one) => ({
            seq: -1,
            id: one.id,
            at: one.started,
            method: one.method ?? "",
            scheme: one.scheme,
            host: one.host ?? one.source,
            port: one.port,
            us: Math.max(0, now - one.started),
            live: "in progress",
        }));
}

/**
 * Rows of those that were shown, where the list must not move: the ended ones say so.
 * @param {Row[]} shown @param {Active[]} all @param {number} now
 * @returns {Row[]}
 */
export function held(shown, all, now) {
    const ids = new Set(all.map(({ id }) => id));
    return shown.map((row) =>
        ids.has(row.id)
            ? { ...row, us: Math.max(0, now - row.at) }
            : { ...row, us: undefined, live: "ended" }
    );
}

/** @param {import("./tl-list.js").TlList} list @param {import("./follow.js").Follow} follow */
export function showUnfinished(list, follow) {
    let timer = 0;
    const draw = () => {
        clearTimeout(timer);
        const all = app.head.unfinished ?? [];
        const isPlain = !app.filter && !app.state.sort && app.connected;
        const now = Date.now() * 1000;
        if (!isPlain) list.lead = [];
        else if (follow.isFollowing || !list.isAtTop) list.lead = rows(all, now);
        else list.lead = held(list.lead, all, now);
        if (all.length || list.lead.length) timer = setTimeout(draw, TICK);
    };
    app.on("head", draw);
    app.on("state", draw);
    app.on("connection", draw);
    follow.addEventListener("change", draw);
}
