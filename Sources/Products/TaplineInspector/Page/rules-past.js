// SPDX-License-Identifier: MIT
// @ts-check
// What the rules would have done to the exchanges of the store.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, h, replace } from "./dom.js";
import { count, counted, share } from "./formats.js";
import { failureNotice } from "./states.js";

/**
 * @typedef {import("./types").Trial} Trial
 * @typedef {import("./rules-state.js").RuleText} RuleText
 */

/** @param {string | undefined} text @param {"del" | "ins"} tag @param {string} absent */
const value = (text, tag, absent) =>
    h("td", {}, text === undefined ? h("span", { class: "soft" }, absent) : h(tag, {}, text));

/** @param {import("./types").Tried} tried */
function example({ id, row, changes, verdict }) {
    const lines = changes.map(({ at, before, after }) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, at),
            value(before, "del", "none"),
            value(after, "ins", "removed"),
        )
    );
    return h(
        "div",
        { class: "example" },
        h(
            "p",
            {},
            h("span", { class: "soft" }, "First: "),
            button(
                `${row.method} ${row.host ?? ""}${row.path ?? ""}`,
                () => app.go({ screen: "list", id }),
                { class: "link", title: "open this exchange" },
            ),
            verdict ? h("span", {}, ` ${verdict}`) : null,
        ),
        lines.length
            ? h(
                "table",
                { class: "pairs" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["Part", "Was", "Would have been"].map((head) =>
                            h("th", { scope: "col" }, head)
                        ),
                    ),
                ),
                h("tbody", {}, lines),
            )
            : null,
    );
}

/** @param {Trial} trial */
function results(trial) {
    if (!trial.rules.length) return h("p", { class: "soft" }, "The file has no rules.");
    return h(
        "ol",
        { class: "tried" },
        trial.rules.map((rule) => {
            const bar = h("i", {});
            bar.style.width = `${trial.seen ? rule.hits / trial.seen * 100 : 0}%`;
            const first = rule.first ?? rule.examples?.[0];
            return h(
                "li",
                {},
                h(
                    "div",
                    { class: "tried-line" },
                    h("b", {}, rule.name ?? `rule ${rule.index + 1}`),
                    h(
                        "span",
                        { class: "share-bar" },
                        bar,
                        h("span", {}, rule.hits ? share(rule.hits / trial.seen) : ""),
                    ),
                    h(
                        "span",
                        { class: rule.hits ? "" : "soft" },
                        rule.hits
                            ? `would have hit ${count(rule.hits)} of ${count(trial.seen)}`
                            : `would have hit none of ${count(trial.seen)}`,
                    ),
                ),
                first ? example(first) : null,
            );
        }),
    );
}

/** @param {Trial} trial */
const seen = ({ seen, total }) => count(seen) + (total === undefined ? "" : ` of ${count(total)}`);

export class Past {
    #note = h("span", { class: "soft", role: "status" });
    #place = h("div", {});
    #bar = h("progress", { max: 1, value: 0, "aria-label": "progress of the trial", hidden: true });
    #try = button("Try", () => this.run(), { class: "framed" });
    #cancel = button("Cancel", () => this.#call?.abort(), { hidden: true });
    #narrow = h("input", { type: "checkbox" });
    #narrowed = h("label", { class: "soft" }, this.#narrow, " only what the filter shows");
    /** @type {AbortController | null} */
    #call = null;
    /** The text that the results belong to. */
    #text = "";
    element = h(
        "section",
        { class: "past", "aria-label": "On the past" },
        h(
            "header",
            { class: "bar" },
            h("h3", {}, "On the past"),
            this.#try,
            this.#cancel,
            this.#bar,
            this.#note,
            h("span", { class: "gap" }),
            this.#narrowed,
        ),
        this.#place,
    );

    /** @param {() => RuleText | undefined} file */
    constructor(file) {
        this.file = file;
        this.follow();
    }

    stop() {
        this.#call?.abort();
    }

    /** Says what the results are worth after a change. */
    follow() {
        const file = this.file();
        this.#narrowed.hidden = !app.filter;
        this.#try.disabled = !file || file.isWrong || Boolean(this.#call);
        if (this.#call) return;
        this.#note.textContent = file?.isWrong
            ? "when the text has no errors"
            : !this.#text
            ? `what these rules would have done to ${counted(app.head.count, "stored exchange")}`
            : file?.text !== this.#text
            ? "the text has changed since: try again"
            : this.#note.textContent;
    }

    async run() {
        const file = this.file();
        if (!file || this.#call) return;
        const call = this.#call = new AbortController();
        const { text } = file;
        this.#text = text;
        this.#try.disabled = true;
        this.#cancel.hidden = this.#bar.hidden = false;
        this.#bar.value = 0;
        this.#note.textContent = "";
        const filter = this.#narrow.checked && app.filter ? app.filter : undefined;
        /** @type {Trial | null} */
        let trial = null;
        try {
            do {
                trial = /** @type {Trial} */ (await api.post("rules/try", {
                    id: file.id,
                    text,
                    filter,
                    key: trial?.key,
                }, call.signal));
                if (call.signal.aborted) break;
                this.#bar.value = trial.total ? trial.seen / trial.total : 0;
                this.#note.textContent = seen(trial);
                replace(this.#place, results(trial));
            } while (!trial.complete && trial.key);
            this.#said(trial, call.signal.aborted);
        } catch (error) {
            if (api.isAbort(error)) this.#said(trial, true);
            else {
                this.#note.textContent = "";
                replace(this.#place, failureNotice(error));
            }
        }
        this.#call = null;
        this.#cancel.hidden = this.#bar.hidden = true;
        this.follow();
    }

    /** @param {Trial | null} trial @param {boolean} stopped */
    #said(trial, stopped) {
        this.#note.textContent = stopped
            ? `stopped${trial ? ` after ${seen(trial)}` : ""}`
            : counted(trial?.seen ?? 0, "exchange") + " looked at";
    }
}
