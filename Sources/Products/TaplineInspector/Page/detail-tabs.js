// SPDX-License-Identifier: MIT
// @ts-check
// The head and the tabs of the detail.

import { app } from "./app.js";
import { markWord, statusWord } from "./columns.js";
import { explainView } from "./detail-explain.js";
import { messageView } from "./detail-message.js";
import { relatedView } from "./detail-related.js";
import { changesView, timingView } from "./detail-timing.js";
import { button, h, refresh } from "./dom.js";
import { clock, duration, methodClass, outcome, size } from "./formats.js";
import { plain } from "./messages.js";
import { replayLinks } from "./resend-links.js";
import { reasons } from "./states.js";
import { TlMessages } from "./tl-messages.js";

/** @typedef {import("./types").Detail} Detail */

/**
 * `update` changes what is shown, if it can, so that it keeps its place.
 * @type {{id: string, name: string, has: (detail: Detail) => boolean,
 *     show: (detail: Detail) => Node, update?: (shown: Node | null, detail: Detail) => boolean}[]}
 */
export const TABS = [
    {
        id: "response",
        name: "Response",
        has: () => true,
        show: (detail) => messageView(detail, "response"),
    },
    {
        id: "request",
        name: "Request",
        has: () => true,
        show: (detail) => messageView(detail, "request"),
    },
    {
        id: "both",
        name: "Both",
        has: () => true,
        show: (detail) =>
            h(
                "div",
                { class: "both" },
                h(
                    "section",
                    { "aria-label": "Request" },
                    h("h3", {}, "Request"),
                    messageView(detail, "request"),
                ),
                h(
                    "section",
                    { "aria-label": "Response" },
                    h("h3", {}, "Response"),
                    messageView(detail, "response"),
                ),
            ),
    },
    { id: "timing", name: "Timing", has: () => true, show: timingView },
    {
        id: "messages",
        name: "Messages",
        // One that is open may have none yet.
        has: ({ messages, row }) =>
            Boolean(messages) || row.status === 101 || /^text\/event-stream/.test(row.type ?? ""),
        show: (detail) => {
            const list = new TlMessages();
            list.exchange = detail.row.id;
            return list;
        },
        update: (shown, detail) => {
            if (!(shown instanceof TlMessages) || shown.exchange !== detail.row.id) return false;
            shown.follow();
            return true;
        },
    },
    { id: "related", name: "Related", has: () => true, show: relatedView },
    {
        id: "changes",
        name: "Changes",
        has: (detail) => Boolean(detail.record.original),
        show: changesView,
    },
    { id: "explain", name: "Explain", has: () => true, show: explainView },
];

/**
 * @param {HTMLElement} place @param {Detail} detail @param {HTMLElement} close
 */
export function drawHead(place, detail, close) {
    const { row, record } = detail;
    const url = plain(record.request.url) ||
        `${row.scheme ?? ""}://${row.host ?? ""}${row.path ?? ""}`;
    const reason = record.response?.reason ?? "";
    const down = row.down ?? record.response?.body?.size;
    const fact = (/** @type {string} */ text, /** @type {string} */ title) =>
        text !== "-" && h("span", { title }, text);
    const command = (
        /** @type {string} */ name,
        /** @type {string} */ id,
        /** @type {string} */ key,
        why = "",
    ) =>
        button(name, () => app.emit("command", id), {
            title: why || `${name} (${key})`,
            "aria-disabled": why ? "true" : null,
        });
    refresh(
        place,
        h(
            "h2",
            {},
            h("span", { class: `method ${methodClass(row.method)}` }, row.method),
            " ",
            h("span", { class: "url" }, url),
        ),
        h(
            "p",
            { class: "facts" },
            h("b", { class: outcome(row) }, `${statusWord(row)} ${reason}`.trim()),
            fact(duration(row.us), "duration"),
            fact(size(down), "size of the response's body"),
            fact(clock(row.at, app.utc, 3), "start"),
            record.error &&
                h("span", { class: "failed" }, record.error.message || record.error.code),
            row.masked &&
                h(
                    "span",
                    { class: "masked" },
                    h("small", { title: "values were masked when it was recorded" }, "masked"),
                ),
            markWord(row) && h("span", { class: `mark-${row.mark}` }, markWord(row)),
        ),
        replayLinks(detail),
        h(
            "div",
            { class: "acts" },
            command("‹", "previous", "["),
            command("›", "next", "]"),
            command("Copy", "copy", "c"),
            app.info?.can.annotate && command("Mark", "mark", "m"),
            app.info?.can.annotate && command("Note", "note", "n"),
            command("Compare", "compare", "d"),
            command("Resend", "resend", "r", reasons.resend()),
            command("Edit", "edit-resend", "R", reasons.resend()),
            command("Rule", "make-rule", "a", reasons.rules()),
            h("span", { class: "gap" }),
            close,
        ),
    );
    place.querySelector(".acts button")?.setAttribute(
        "aria-label",
        "Previous of this route",
    );
    place.querySelector(".acts button:nth-child(2)")?.setAttribute(
        "aria-label",
        "Next of this route",
    );
}
