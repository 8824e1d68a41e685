// SPDX-License-Identifier: MIT
// @ts-check
// What belongs to an exchange: others of its trace, notes, tags.

import * as api from "./api.js";
import { annotate } from "./annotate.js";
import { app } from "./app.js";
import { statusWord } from "./columns.js";
import { button, h, replace } from "./dom.js";
import { clock, count, counted, duration, methodClass, moment, outcome } from "./formats.js";

/** @typedef {import("./types").Detail} Detail @typedef {import("./types").Row} Row */

/** @param {Detail} detail */
function group(detail) {
    const box = h("div", { class: "group" }, h("p", { class: "soft" }, "…"));
    api.get(`${api.exchangePath(detail.row.id)}/group`).then(
        (answer) => {
            const rows = /** @type {{rows: Row[]}} */ (answer).rows.sort((a, b) => a.at - b.at);
            const from = Math.min(...rows.map((row) => row.at));
            const to = Math.max(from + 1, ...rows.map((row) => row.at + (row.us ?? 0)));
            replace(
                box,
                rows.map((row) => {
                    const bar = h("i", { class: outcome(row) });
                    bar.style.left = `${(row.at - from) / (to - from) * 100}%`;
                    bar.style.width = `max(2px, ${(row.us ?? 0) / (to - from) * 100}%)`;
                    return button("", () => app.go({ id: row.id }), {
                        class: "trace",
                        "aria-current": row.id === detail.row.id ? "true" : null,
                        "aria-label": `${row.method} ${row.host}${row.path}, ${statusWord(row)}, ${
                            duration(row.us)
                        }`,
                    })
                        .appendChild(
                            h(
                                "span",
                                { class: "trace-line" },
                                h("span", { class: methodClass(row.method) }, row.method),
                                h("span", { class: outcome(row) }, statusWord(row)),
                                h("span", { class: "path" }, `${row.host ?? ""}${row.path ?? ""}`),
                                h("span", { class: "track" }, bar),
                                h("span", { class: "right" }, duration(row.us)),
                            ),
                        ).parentElement;
                }),
            );
        },
        () =>
            replace(
                box,
                h("p", { class: "soft" }, "The exchanges of this trace could not be loaded."),
            ),
    );
    return h(
        "section",
        {},
        h("h3", {}, `${counted(detail.group?.count ?? 0, "exchange")} of this trace`),
        box,
    );
}

/** @param {Detail} detail @param {boolean} writable */
function notes(detail, writable) {
    const path = `${api.exchangePath(detail.row.id)}/notes`;
    const text = h("textarea", {
        rows: 2,
        "aria-label": "A note",
        placeholder: "A note for those who look at this later",
        id: "note",
        "data-exchange": detail.row.id,
    });
    const add = async () => {
        if (text.value.trim() && await annotate(path, { text: text.value.trim() }, "note added")) {
            app.emit("reload");
        }
    };
    text.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) add();
    });
    return h(
        "section",
        {},
        h("h3", {}, "Notes"),
        (detail.notes ?? []).map((note) =>
            h(
                "blockquote",
                {},
                h("p", {}, note.text),
                h(
                    "p",
                    { class: "soft" },
                    [note.author, moment(note.at, app.utc).slice(0, 19)].filter(Boolean).join(", "),
                ),
            )
        ),
        writable
            ? h("div", { class: "form" }, text, button("Add note", add))
            : h("p", { class: "soft" }, "Notes need a database that may be written."),
    );
}

/** @param {Detail} detail @param {boolean} writable */
function tags(detail, writable) {
    const path = `${api.exchangePath(detail.row.id)}/tags`;
    const name = h("input", { "aria-label": "Name of the tag", placeholder: "name" });
    const value = h("input", { "aria-label": "Value of the tag", placeholder: "value" });
    const add = async () => {
        if (
            name.value.trim() &&
            await annotate(path, { name: name.value.trim(), value: value.value }, "tag set")
        ) app.emit("reload");
    };
    value.addEventListener("keydown", (event) => {
        if (event.key === "Enter") add();
    });
    const all = Object.entries(detail.row.tags ?? {});
    if (!writable && !all.length) return null;
    return h(
        "section",
        {},
        h("h3", {}, "Tags"),
        h(
            "p",
            {},
            all.map(([key, text]) =>
                h(
                    "span",
                    { class: "tag" },
                    `${key}=${text}`,
                    writable
                        ? button("×", async () => {
                            if (
                                await annotate(path, { name: key, value: null }, "tag removed")
                            ) app.emit("reload");
                        }, { "aria-label": `remove the tag ${key}` })
                        : null,
                )
            ),
        ),
        writable ? h("div", { class: "form row" }, name, value, button("Set tag", add)) : null,
    );
}

/** @param {Detail} detail */
export function relatedView(detail) {
    const writable = app.info?.can.annotate ?? false;
    return h(
        "div",
        { class: "related" },
        detail.group ? group(detail) : null,
        notes(detail, writable),
        tags(detail, writable),
        h(
            "section",
            {},
            h("h3", {}, "Route"),
            h("p", {}, h("code", {}, detail.route ?? "not known")),
            h(
                "p",
                { class: "form row" },
                button(
                    "Previous of this route [",
                    () => detail.previous && app.go({ id: detail.previous }),
                    { disabled: !detail.previous },
                ),
                button("Next ]", () => detail.next && app.go({ id: detail.next }), {
                    disabled: !detail.next,
                }),
            ),
        ),
        h(
            "p",
            { class: "soft" },
            `Exchange ${detail.row.id}, number ${count(detail.row.seq)}, ${
                clock(detail.row.at, app.utc)
            }`,
        ),
    );
}
