// SPDX-License-Identifier: MIT
// @ts-check
// Beside the list: the usual filters, saved ones, and the values that occur, with their counts.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, debounce, h, refresh } from "./dom.js";
import { count } from "./formats.js";
import { equals, has, QUICK, toggled, without } from "./filters.js";

/** @typedef {import("./types").Facet} Facet */

const FIELDS = [
    { field: "status_class", name: "Status" },
    { field: "host", name: "Host" },
    { field: "method", name: "Method" },
    { field: "content_type", name: "Type" },
    { field: "route", name: "Route" },
];
const SHOWN = 6;
const REFRESH = 3000;

export class TlFacets extends HTMLElement {
    /** @type {Facet[]} */
    #facets = [];
    /** @type {{name: string, filter: string}[]} */
    #saved = [];
    #open = new Set();
    /** @type {AbortController | null} */
    #call = null;
    #loaded = 0;
    #failed = false;
    #later = 0;
    #quick = h("div", { class: "quick", role: "group", "aria-label": "Usual filters" });
    #savedBox = h("div", { class: "saved" });
    #boxes = h("div", { class: "facets" });
    #soon = debounce(200, () => this.load());

    connectedCallback() {
        this.setAttribute("role", "complementary");
        this.setAttribute("aria-label", "Narrow the list");
        this.append(this.#quick, this.#savedBox, this.#boxes);
        app.on("state", (changed) => {
            if (["filter", "from", "to"].some((name) => changed.has(name))) {
                // What counts for the former filter slows the list of the next one down.
                this.#call?.abort();
                this.#draw();
                this.#soon();
            }
        });
        app.on("head", (head) => {
            if (head.head === this.#loaded || app.stopped) return;
            this.#later ||= setTimeout(() => {
                this.#later = 0;
                this.load();
            }, REFRESH);
        });
        app.on("saved", () => this.loadSaved());
        app.on("info", () => {
            if (this.#failed) this.#soon();
        });
        app.on("resumed", () => {
            this.load();
            this.loadSaved();
        });
        app.on("replaced", () => {
            this.#facets = [];
            this.#draw();
            this.load();
            this.loadSaved();
        });
        this.#draw();
    }

    async load() {
        if (document.hidden || !this.offsetParent) return;
        this.#call?.abort();
        const call = this.#call = new AbortController();
        this.#loaded = app.head.head;
        // While a query is stopped, nothing is being counted.
        await app.settled(call.signal);
        if (call !== this.#call) return;
        this.#boxes.setAttribute("aria-busy", "true");
        try {
            const answer =
                /** @type {{fields: Facet[], complete?: boolean}} */ (await api.get("facets", {
                    filter: app.filter,
                    fields: FIELDS.map(({ field }) => field).join(),
                    limit: 20,
                }, call.signal));
            this.#facets = answer.fields;
            this.#draw();
            if (answer.complete === false && call === this.#call) this.#soon();
            this.#failed = false;
        } catch {
            // The list says what is wrong.
            this.#failed = true;
        }
        if (call === this.#call) this.#boxes.setAttribute("aria-busy", "false");
    }

    async loadSaved() {
        try {
            this.#saved = app.saved = /** @type {any} */ (await api.get("saved")).filters;
            this.#draw();
        } catch { /* Recordings have none. */ }
    }

    /** @param {string} condition @param {boolean} [exclude] */
    #toggle(condition, exclude = false) {
        const text = app.state.filter;
        const means = app.meaning(text);
        const negated = `not ${condition}`;
        if (exclude) app.go({ filter: toggled(without(text, condition), negated, undefined) });
        else if (has(text, negated)) app.go({ filter: without(text, negated) });
        else app.go({ filter: toggled(text, condition, means) });
    }

    #draw() {
        const text = app.state.filter;
        refresh(
            this.#quick,
            button("All", () => app.go({ filter: "", from: null, to: null }), {
                "aria-pressed": String(!text && app.state.from === null),
            }),
            QUICK.map(({ name, filter }) =>
                button(name, () => this.#toggle(filter), {
                    "aria-pressed": String(has(text, filter)),
                })
            ),
            button("Values", () => {
                this.classList.toggle("open");
                this.#draw();
            }, { class: "sheet-button", "aria-expanded": String(this.classList.contains("open")) }),
        );
        refresh(
            this.#savedBox,
            this.#saved.length ? h("h2", {}, "Saved") : null,
            this.#saved.map(({ name, filter }) =>
                button(
                    `@${name}`,
                    () => app.go({ filter: text === `@${name}` ? "" : `@${name}` }),
                    { title: filter, "aria-pressed": String(text === `@${name}`) },
                )
            ),
        );
        refresh(
            this.#boxes,
            FIELDS.map(({ field, name }) => {
                const facet = this.#facets.find((one) => one.field === field);
                return facet?.values.length ? this.#box(facet, name) : null;
            }),
        );
    }

    /** @param {Facet} facet @param {string} name */
    #box(facet, name) {
        const most = Math.max(...facet.values.map((value) => value.count));
        const open = this.#open.has(facet.field);
        const shown = open ? facet.values : facet.values.slice(0, SHOWN);
        const more = facet.distinct - shown.length;
        return h(
            "section",
            { "aria-label": name },
            h("h2", {}, name),
            shown.map(({ value, count: hits }) => this.#value(facet.field, value, hits, most)),
            more > 0 || open
                ? button(
                    open ? "fewer" : `${count(more)} more${facet.more ? " at least" : ""}`,
                    () => {
                        if (open) this.#open.delete(facet.field);
                        else this.#open.add(facet.field);
                        this.#draw();
                    },
                    {
                        class: "more",
                        disabled: !open && shown.length === facet.values.length ? true : null,
                    },
                )
                : null,
        );
    }

    /**
     * @param {string} field
     * @param {string | null} value
     * @param {number} hits
     * @param {number} most
     */
    #value(field, value, hits, most) {
        const condition = equals(field, value);
        const text = app.state.filter;
        const name = value ?? "none";
        const excluded = has(text, `not ${condition}`);
        const item = button("", (event) => this.#toggle(condition, event.altKey), {
            class: excluded ? "excluded" : null,
            "data-key": condition,
            "aria-pressed": String(has(text, condition)),
            title: `${name}: ${count(hits)}\nclick to narrow, Alt and click to leave out`,
            oncontextmenu: (/** @type {Event} */ event) => {
                event.preventDefault();
                this.#toggle(condition, true);
            },
        });
        const bar = h("i", { "aria-hidden": "true" });
        bar.style.width = `${Math.max(1, hits / most * 100)}%`;
        item.append(
            bar,
            h("span", { class: "value" }, name),
            h("span", { class: "count" }, count(hits)),
        );
        return item;
    }
}

customElements.define("tl-facets", TlFacets);
