// SPDX-License-Identifier: MIT
// @ts-check
// The list of rules: names, switches, counters, and their order by drag or keys.

import { announce, button, h, refresh, replace } from "./dom.js";
import { counted } from "./formats.js";
import { move, ranges, setEnabled } from "./rules-text.js";

/** @typedef {import("./rules-state.js").RuleText} RuleText */

export class RuleList {
    element = h("ol", { class: "rule-list", "aria-label": "Rules in their order" });
    /** @type {RuleText | null} */
    #file = null;
    #current = -1;
    #dragged = -1;
    /** Browsers show what was dropped as held until the next click: it is drawn all the same. */
    #dropped = false;
    #drawn = "";

    /**
     * @param {(edit: ((text: string) => string) | null) => void} edit
     * @param {(number: number) => void} choose
     */
    constructor(edit, choose) {
        this.edit = edit;
        this.choose = choose;
        this.element.addEventListener("keydown", (event) => {
            const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
            if (!step || event.altKey || event.ctrlKey) return;
            event.preventDefault();
            event.stopPropagation();
            this.step(step);
        });
    }

    #buttons() {
        return /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll(".rule")]);
    }

    focus() {
        (this.#buttons()[Math.max(0, this.#current)] ?? document.getElementById("screen"))?.focus();
    }

    /** @param {number} step */
    step(step) {
        const all = this.#buttons();
        const at = all.findIndex((one) => one === document.activeElement);
        const next = at < 0 ? Math.max(0, this.#current) : at + step;
        const number = Math.max(0, Math.min(all.length - 1, next));
        all[number]?.focus();
        if (all.length) this.choose(number);
    }

    /** @param {number} number */
    setCurrent(number) {
        this.#current = number;
        for (const [at, one] of this.#buttons().entries()) {
            if (at === number) one.setAttribute("aria-current", "true");
            else one.removeAttribute("aria-current");
        }
    }

    /**
     * Moves the rule that has the focus.
     * @param {number} step
     */
    shift(step) {
        const at = this.#buttons().findIndex((one) => one === document.activeElement);
        if (at >= 0) this.#move(at, at + step);
    }

    /** @param {number} from @param {number} to */
    #move(from, to) {
        const file = this.#file;
        if (!file || to < 0 || to >= file.rules.length || from === to) return;
        if (!this.#isKnown(file)) return;
        const rule = file.rules[from];
        this.edit((text) => {
            const moved = move(text, from, to).text;
            file.rules.splice(from, 1);
            if (rule) file.rules.splice(to, 0, rule);
            return moved;
        });
        this.choose(to);
        this.#buttons()[to]?.focus();
        announce(`${rule?.name ?? "the rule"} is number ${to + 1} now`);
    }

    /** @param {number} number @param {boolean} enabled */
    #switch(number, enabled) {
        const file = this.#file;
        const rule = file?.rules[number];
        if (!file || !rule || !this.#isKnown(file)) return;
        this.edit((text) => {
            const { text: changed } = setEnabled(text, number, enabled);
            rule.enabled = enabled;
            return changed;
        });
    }

    /**
     * Whether the rules of the text are those of the list.
     * @param {RuleText} file
     */
    #isKnown(file) {
        const known = ranges(file.text).length === file.rules.length && file.writable;
        if (!known) {
            announce(
                file.writable
                    ? "the text has errors: mend it first"
                    : "the file is read-only",
            );
        }
        return known;
    }

    /** @param {RuleText} file */
    draw(file) {
        this.#file = file;
        // What is dragged would be lost.
        if (this.#dragged >= 0) return;
        const all = ranges(file.text);
        const wrong = file.rules.map((_, at) => {
            const lines = all[at];
            return file.problems.find(({ line }) =>
                lines && line >= lines.from && line <= lines.to
            );
        });
        const drawn = JSON.stringify([file.id, file.rules, wrong]);
        if (drawn === this.#drawn) return;
        this.#drawn = drawn;
        const draw = this.#dropped ? replace : refresh;
        draw(
            this.element,
            file.rules.length
                ? file.rules.map((rule, at) => this.#item(rule, at, wrong[at]))
                : h(
                    "li",
                    { class: "soft none" },
                    "No rules yet. Write one, or press a on an exchange in the list.",
                ),
        );
        this.setCurrent(this.#current);
    }

    /**
     * @param {import("./types").Rule} rule @param {number} number
     * @param {import("./types").Problem | undefined} problem
     */
    #item(rule, number, problem) {
        const name = rule.name ?? `rule ${number + 1}`;
        const item = h(
            "li",
            { draggable: "true", class: rule.enabled ? null : "off" },
            h(
                "button",
                {
                    type: "button",
                    class: "rule",
                    "data-key": `rule ${name}`,
                    title: "Enter edits, Alt ↑ and Alt ↓ change the order",
                    onclick: (/** @type {MouseEvent} */ event) => {
                        // A key that presses the button goes on to the text.
                        this.choose(number);
                        if (event.detail !== 1) this.edit(null);
                    },
                },
                h("span", { class: "number" }, String(number + 1)),
                h("b", {}, name),
                h("span", { class: "summary" }, rule.summary),
                rule.when ? h("code", { class: "when" }, rule.when) : null,
                problem
                    ? h(
                        "span",
                        { class: problem.severity === "error" ? "failed" : "warn" },
                        `${problem.severity} in line ${problem.line}: ${problem.message}`,
                    )
                    : null,
            ),
            h(
                "span",
                { class: "rule-side" },
                button(rule.enabled ? "on" : "off", () => this.#switch(number, !rule.enabled), {
                    role: "switch",
                    "aria-checked": String(rule.enabled),
                    "aria-label": name,
                    "data-key": `switch ${name}`,
                    title: rule.enabled ? "switch off" : "switch on",
                }),
                rule.hits === undefined
                    ? null
                    : h(
                        "span",
                        { class: "soft", title: "exchanges that it has acted on" },
                        counted(rule.hits, "hit"),
                    ),
            ),
        );
        item.addEventListener("dragstart", (event) => {
            this.#dragged = number;
            event.dataTransfer?.setData("text/plain", name);
            item.classList.add("dragged");
        });
        item.addEventListener("dragend", () => {
            item.classList.remove("dragged");
            this.#dragged = -1;
            this.#over(null, false);
        });
        item.addEventListener("dragover", (event) => {
            if (this.#dragged < 0) return;
            event.preventDefault();
            this.#over(item, this.#isBelow(item, event));
        });
        item.addEventListener("drop", (event) => {
            event.preventDefault();
            const from = this.#dragged;
            const place = number + (this.#isBelow(item, event) ? 1 : 0);
            this.#dragged = -1;
            this.#over(null, false);
            this.#dropped = true;
            if (from >= 0) this.#move(from, place > from ? place - 1 : place);
            this.#dropped = false;
        });
        return item;
    }

    /** @param {HTMLElement} item @param {DragEvent} event */
    #isBelow(item, event) {
        const { top, height } = item.getBoundingClientRect();
        return event.clientY > top + height / 2;
    }

    /** @param {HTMLElement | null} item @param {boolean} below */
    #over(item, below) {
        for (const one of this.element.children) {
            one.classList.toggle("over-above", one === item && !below);
            one.classList.toggle("over-below", one === item && below);
        }
    }
}
