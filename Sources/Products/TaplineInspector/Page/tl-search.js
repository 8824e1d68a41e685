// SPDX-License-Identifier: MIT
// @ts-check
// The filter box: checked as one types, completed from the store, with the last filters.

import * as api from "./api.js";
import { app } from "./app.js";
import { debounce, h, replace } from "./dom.js";
import { byteOffset, charOffset, marked } from "./offsets.js";

/** @typedef {import("./types").Completion["items"][number]} Item */

const HISTORY = "tapline.history";
const APPLY = 150;
/** A word that may become a field is searched for only if the typist rests. */
const REST = 800;

/** @returns {string[]} */
export function recent() {
    try {
        return JSON.parse(localStorage.getItem(HISTORY) ?? "[]");
    } catch {
        return [];
    }
}

/** @param {string} text */
function remember(text) {
    if (!text.trim()) return;
    const kept = [text, ...recent().filter((other) => other !== text)].slice(0, 50);
    localStorage.setItem(HISTORY, JSON.stringify(kept));
}

export class TlSearch extends HTMLElement {
    /** @type {Item[]} */
    #items = [];
    /** The text that the suggestions belong to. */
    #offered = "";
    #from = 0;
    #to = 0;
    #chosen = -1;
    #asked = 0;
    #pushed = false;
    /** Whether suggestions were asked for by a key. */
    #forced = false;
    /** Whether the next suggestions complete the text. */
    #completing = false;
    #apply = 0;
    /** The last question when a filter was applied, and its text, unless another was typed since. */
    #settled = 0;
    /** @type {string | null} */
    #taken = null;
    #mirror = h("div", { class: "mirror", "aria-hidden": "true" });
    input = h("input", {
        type: "search",
        role: "combobox",
        "aria-expanded": "false",
        "aria-controls": "suggestions",
        "aria-autocomplete": "list",
        "aria-label": "Filter",
        "aria-describedby": "problem",
        autocomplete: "off",
        autocapitalize: "off",
        spellcheck: "false",
        placeholder: 'Filter: a word, or host == "…" and status >= 500',
    });
    #list = h("ul", {
        id: "suggestions",
        role: "listbox",
        "aria-label": "Suggestions",
        hidden: true,
    });
    #problem = h("div", { id: "problem", class: "problem", role: "status", hidden: true });
    #typed = debounce(40, () => this.#ask());

    connectedCallback() {
        this.setAttribute("role", "search");
        this.append(
            h(
                "div",
                { class: "box" },
                this.#mirror,
                this.input,
                h("kbd", { "aria-hidden": "true" }, "/"),
            ),
            h("div", { class: "drop" }, this.#problem, this.#list),
        );
        this.input.addEventListener("input", () => {
            clearTimeout(this.#apply);
            this.#taken = null;
            this.#typed();
        });
        this.input.addEventListener("focus", () => {
            this.#pushed = false;
            this.#ask();
        });
        this.input.addEventListener("blur", () => {
            this.#close();
            remember(app.state.filter);
            this.#hideProblem();
        });
        this.input.addEventListener("keydown", (event) => this.#key(event));
        this.input.addEventListener("scroll", () => {
            this.#mirror.scrollLeft = this.input.scrollLeft;
        });
        app.on("state", (changed) => {
            if (changed.has("filter") && this.input.value !== app.state.filter) {
                this.show(app.state.filter);
            }
        });
        this.show(app.state.filter);
    }

    /** @param {string} text */
    show(text) {
        this.#settle(text);
        this.input.value = text;
        this.#offered = text;
        replace(this.#mirror);
        this.#hideProblem();
    }

    /** Checks and completes what is in the box, and applies it if it is right. */
    async #ask() {
        const asked = ++this.#asked;
        const text = this.input.value;
        const at = byteOffset(text, this.input.selectionStart ?? text.length);
        /** @type {[{means?: string} | null, import("./types").Completion | null]} */
        let [means, completion] = [null, null];
        const wait = api.get("complete", { filter: text, at }).catch(() => null);
        try {
            means = text.trim() ? await api.get("check", { filter: text }) : { means: "" };
        } catch (error) {
            if (asked === this.#asked) this.#showProblem(error, text);
        }
        completion = /** @type {any} */ (await wait);
        if (asked !== this.#asked) return;
        if (means) {
            this.#hideProblem();
            app.means.set(text, means.means ?? text);
            if (app.means.size > 200) app.means.delete([...app.means.keys()][0] ?? "");
            const word = /^[\w.]+$/.test(text) &&
                completion?.items.some((item) => item.kind === "field");
            clearTimeout(this.#apply);
            if (asked > this.#settled && text !== this.#taken) {
                this.#apply = setTimeout(() => this.#go(text), word ? REST : APPLY);
            }
        }
        if (document.activeElement === this.input) {
            this.#offer(text, completion, means !== null && !this.#forced);
        }
        this.#forced = false;
    }

    /**
     * A filter is applied: answers to what was typed before must not replace it.
     * @param {string} text
     */
    #settle(text) {
        clearTimeout(this.#apply);
        this.#settled = this.#asked;
        this.#taken = text;
    }

    /** @param {string} text */
    #go(text) {
        this.#settle(text);
        if (text === app.state.filter) return;
        app.go({
            filter: text,
            screen: ["compare"].includes(app.state.screen) ? "list" : app.state.screen,
        }, this.#pushed);
        this.#pushed = true;
    }

    /** @param {unknown} error @param {string} text */
    #showProblem(error, text) {
        if (!(error instanceof api.Failure) || api.isGone(error)) return;
        const from = error.from === undefined ? 0 : charOffset(text, error.from);
        const to = error.to === undefined ? text.length : charOffset(text, error.to);
        // An unfinished filter is not wrong yet.
        const unfinished = from >= text.trimEnd().length;
        replace(this.#mirror, ...marked(text, from, Math.max(to, from + 1)));
        this.#mirror.classList.toggle("unfinished", unfinished);
        this.#mirror.scrollLeft = this.input.scrollLeft;
        replace(this.#problem, error.message, error.help ? h("span", {}, ` ${error.help}`) : null);
        this.#problem.classList.toggle("unfinished", unfinished);
        this.#problem.hidden = false;
        this.input.setAttribute("aria-invalid", String(!unfinished));
    }

    #hideProblem() {
        this.#problem.hidden = true;
        this.#mirror.textContent = "";
        this.input.removeAttribute("aria-invalid");
    }

    /**
     * @param {string} text
     * @param {import("./types").Completion | null} completion
     * @param {boolean} whole
     */
    #offer(text, completion, whole) {
        this.#items = completion?.items.filter((item) => item.text !== text) ?? [];
        this.#offered = text;
        this.#from = charOffset(text, completion?.from ?? 0);
        this.#to = charOffset(text, completion?.to ?? 0);
        if (!text) {
            const last = recent().slice(0, 6).map((filter) => ({
                text: filter,
                kind: "recent",
                detail: "used before",
            }));
            this.#items = [...last, ...this.#items];
        } else if (whole && this.#from === this.#to) {
            // A whole filter has its rows below, which a list of what might follow would hide.
            this.#items = [];
        }
        this.#items = this.#items.slice(0, 12);
        this.#chosen = -1;
        this.#draw();
        if (!this.#completing) return;
        this.#completing = false;
        this.#complete();
    }

    #draw() {
        replace(
            this.#list,
            this.#items.map((item, at) =>
                h(
                    "li",
                    {
                        role: "option",
                        id: `suggestion-${at}`,
                        "aria-selected": String(at === this.#chosen),
                        onpointerdown: (/** @type {Event} */ event) => {
                            event.preventDefault();
                            this.#accept(item);
                        },
                    },
                    h("span", { class: `text ${item.kind}` }, item.text),
                    h("span", { class: "detail" }, item.detail || item.kind),
                )
            ),
        );
        this.#list.hidden = this.#items.length === 0;
        this.input.setAttribute("aria-expanded", String(!this.#list.hidden));
        if (this.#chosen >= 0) {
            this.input.setAttribute("aria-activedescendant", `suggestion-${this.#chosen}`);
        } else this.input.removeAttribute("aria-activedescendant");
        this.#list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
    }

    #close() {
        this.#items = [];
        this.#draw();
    }

    /** @param {Item} item */
    #accept(item) {
        const text = this.input.value;
        const whole = item.kind === "recent" || item.kind === "saved";
        const before = whole ? "" : text.slice(0, this.#from);
        const after = whole ? "" : text.slice(this.#to);
        const space = whole || after.startsWith(" ") ? "" : " ";
        this.input.value = before + item.text + space + after;
        const caret = (before + item.text + space).length;
        this.input.setSelectionRange(caret, caret);
        this.#ask();
    }

    #complete() {
        const item = this.#items[Math.max(0, this.#chosen)];
        if (item && (this.#chosen >= 0 || this.#from < this.#to)) this.#accept(item);
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
        const open = !this.#list.hidden;
        if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            if (!open) {
                this.#forced = true;
                this.#ask();
                return;
            }
            const step = event.key === "ArrowDown" ? 1 : -1;
            this.#chosen = (this.#chosen + step + this.#items.length + 1) %
                (this.#items.length + 1);
            if (this.#chosen === this.#items.length) this.#chosen = -1;
            this.#draw();
        } else if (event.key === "Tab" && !event.shiftKey && this.#offered !== this.input.value) {
            // Faster than the suggestions.
            event.preventDefault();
            this.#completing = true;
            this.#ask();
        } else if (
            event.key === "Tab" && open && !event.shiftKey &&
            (this.#chosen >= 0 || this.#from < this.#to)
        ) {
            event.preventDefault();
            this.#complete();
        } else if (event.key === "Enter") {
            event.preventDefault();
            const item = this.#items[this.#chosen];
            if (item) {
                this.#accept(item);
                return;
            }
            this.#go(this.input.value);
            remember(this.input.value);
            this.#close();
            this.dispatchEvent(new Event("leave", { bubbles: true }));
        } else if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            if (open) {
                this.#close();
                return;
            }
            this.input.blur();
            this.dispatchEvent(new Event("leave", { bubbles: true }));
        }
    }
}

customElements.define("tl-search", TlSearch);
