// SPDX-License-Identifier: MIT
// @ts-check
// From a repeated exchange to the first, and back.

import { app } from "./app.js";
import { button, h } from "./dom.js";

/** @param {string} id */
const short = (id) => id.slice(0, 4) + "…" + id.slice(-4);

/** @param {import("./types").Detail} detail */
export function replayLinks(detail) {
    const { id } = detail.row;
    const replay = /** @type {{of?: string} | undefined} */ (detail.record.replay);
    const of = detail.replay_of ?? replay?.of;
    const by = detail.replays ?? [];
    if (!of && !by.length) return null;
    const link = (/** @type {string} */ other) =>
        button(short(other), () => app.go({ id: other }), { class: "link", title: other });
    const compare = (/** @type {string} */ a, /** @type {string} */ b) =>
        button("Compare", () => app.go({ screen: "compare", a, b }), {
            class: "link",
            title: "the first and the repeated one beside each other",
        });
    return h(
        "p",
        { class: "replays" },
        of ? ["Repeats ", link(of), " · ", compare(of, id)] : [],
        of && by.length ? " · " : null,
        by.length ? ["Repeated by ", ...by.slice(-3).flatMap((other) => [link(other), " "])] : [],
        by.length > 3 ? `and ${by.length - 3} others ` : null,
        by.length ? ["· ", compare(id, by.at(-1) ?? "")] : [],
    );
}
