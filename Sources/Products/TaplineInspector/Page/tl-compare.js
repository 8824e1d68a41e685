// SPDX-License-Identifier: MIT
// @ts-check
// Two exchanges beside each other, with what differs.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, h, replace } from "./dom.js";
import * as difference from "./difference.js";
import { counted, duration, moment } from "./formats.js";
import * as json from "./json.js";
import { plain } from "./messages.js";
import { failureNotice, notice } from "./states.js";
import { whenStored } from "./stored.js";

/**
 * @typedef {import("./types").Detail} Detail
 * @typedef {difference.Line} Line
 * @typedef {"request" | "response"} Side
 */

const MOST = 1 << 20;
/** A run names exchanges that the store gets a moment later; how long to wait, in milliseconds. */
const WAIT = 5000;
/** So many equal lines stay visible around a difference. */
const AROUND = 3;

/** @param {string} text @param {string} other */
function cell(text, other) {
    const { before, after } = difference.inside(text, other);
    return [
        text.slice(0, before),
        h("mark", {}, text.slice(before, text.length - after)),
        text.slice(text.length - after),
    ];
}

const SIGN = { same: " ", changed: "≠", removed: "−", added: "+" };
const WORD = { same: "", changed: "changed", removed: "only left", added: "only right" };

/** @param {Line} line */
function row(line) {
    const changed = line.kind === "changed";
    return h(
        "tr",
        { class: line.kind },
        h(
            "td",
            { class: "sign", title: WORD[line.kind] },
            SIGN[line.kind],
            line.kind === "same" ? null : h("span", { class: "hidden" }, WORD[line.kind]),
        ),
        h("td", { class: "a" }, changed ? cell(line.a, line.b) : line.a),
        h("td", { class: "b" }, changed ? cell(line.b, line.a) : line.b),
    );
}

/**
 * Lines with long equal parts folded.
 * @param {string} title @param {Line[]} all
 */
export function block(title, all) {
    const body = h("tbody", {});
    const changes = all.filter((line) => line.kind !== "same").length;
    const near = all.map((_, at) =>
        all.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.kind !== "same")
    );
    for (let at = 0; at < all.length;) {
        let end = at;
        while (end < all.length && !near[end]) end += 1;
        if (end - at > 2) {
            const folded = all.slice(at, end);
            const fold = h("tr", { class: "fold" });
            fold.append(
                h(
                    "td",
                    { colspan: 3 },
                    button(
                        counted(folded.length, "equal line"),
                        () => fold.replaceWith(...folded.map(row)),
                    ),
                ),
            );
            body.append(fold);
            at = end;
        } else {
            body.append(row(/** @type {Line} */ (all[at])));
            at += 1;
        }
    }
    return h(
        "section",
        {},
        h(
            "h3",
            {},
            title,
            h(
                "span",
                { class: changes ? "soft" : "s2" },
                changes ? ` ${counted(changes, "difference")}` : " equal",
            ),
        ),
        all.length
            ? h(
                "table",
                { class: "diff" },
                h("colgroup", {}, h("col", { class: "sign" }), h("col"), h("col")),
                h(
                    "thead",
                    { class: "hidden" },
                    h(
                        "tr",
                        {},
                        ["Sign", "Left", "Right"].map((head) => h("th", { scope: "col" }, head)),
                    ),
                ),
                body,
            )
            : h("p", { class: "soft" }, "Neither has one."),
    );
}

/** @param {Detail} detail @param {Side} side */
function headLines(detail, side) {
    const message = detail.record[side];
    if (!message) return [];
    const first = side === "request"
        ? `${message.method ?? detail.row.method} ${plain(message.url)}`
        : `${message.status ?? ""} ${message.reason ?? ""}`.trim();
    return [
        first,
        ...(message.headers ?? []).map(([name, value]) => `${plain(name)}: ${plain(value)}`),
    ];
}

/** @param {Detail} a @param {Detail} b @param {Side} side */
function headers(a, b, side) {
    const [first, ...left] = headLines(a, side);
    const [other, ...right] = headLines(b, side);
    // The order of fields with different names means nothing.
    return [
        ...difference.lines(first ? [first] : [], other ? [other] : []),
        ...difference.lines(left.sort(), right.sort()),
    ];
}

/** @param {Detail} a @param {Detail} b @param {Side} side @returns {Promise<Line[]>} */
async function bodies(a, b, side) {
    const load = async (/** @type {Detail} */ detail) =>
        detail.record[side]?.body ? api.body(detail.row.id, side, { max: MOST }) : null;
    const [left, right] = await Promise.all([load(a), load(b)]);
    const texts = [left, right].map((body) =>
        new TextDecoder().decode(body?.bytes ?? new Uint8Array())
    );
    const [one = "", two = ""] = texts;
    try {
        const [first, second] = [json.parse(one), json.parse(two)];
        if (difference.weight(first) + difference.weight(second) < 20_000) {
            return difference.json(first, second);
        }
    } catch { /* Compared as text. */ }
    return difference.lines(one ? one.split("\n") : [], two ? two.split("\n") : []);
}

/** @param {Detail} detail */
const summary = (detail) =>
    h(
        "td",
        {},
        button(
            `${detail.row.method} ${detail.row.host ?? ""}${detail.row.path ?? ""}`,
            () => app.go({ screen: "list", id: detail.row.id }),
            { title: "open it" },
        ),
        h(
            "p",
            { class: "soft" },
            `${detail.row.status ?? detail.row.state ?? ""} · ${duration(detail.row.us)} · ${
                moment(detail.row.at, app.utc)
            }`,
        ),
    );

/** @param {HTMLElement} box @param {string} a @param {string} b */
async function load(box, a, b) {
    if (!a || !b) {
        replace(
            box,
            notice(
                "Nothing to compare",
                "Choose an exchange in the list and press d, then another and press d again.",
                button("To the list", () => app.go({ screen: "list" })),
            ),
        );
        return;
    }
    try {
        const [left, right] = await Promise.all([whenStored(a, WAIT), whenStored(b, WAIT)]);
        const [sent, received] = await Promise.all([
            bodies(left, right, "request"),
            bodies(left, right, "response"),
        ]);
        replace(
            box,
            h(
                "table",
                { class: "diff sides" },
                h("colgroup", {}, h("col", { class: "sign" }), h("col"), h("col")),
                h(
                    "tbody",
                    {},
                    h("tr", {}, h("td", { class: "sign" }), summary(left), summary(right)),
                ),
            ),
            block("Request", headers(left, right, "request")),
            block("Body of the request", sent),
            block("Response", headers(left, right, "response")),
            block("Body of the response", received),
        );
    } catch (error) {
        replace(box, failureNotice(error));
    }
}

export function compareScreen() {
    const box = h("div", {}, h("p", { class: "soft" }, "Comparing…"));
    load(box, app.state.a, app.state.b);
    return h(
        "div",
        { class: "page" },
        h(
            "header",
            {},
            h("h2", {}, "Compare"),
            button("Exchange sides", () => {
                app.go({ a: app.state.b, b: app.state.a }, true);
                load(box, app.state.a, app.state.b);
            }),
            button("To the list", () => app.go({ screen: "list" })),
        ),
        box,
    );
}
