// SPDX-License-Identifier: MIT
// @ts-check
// A text of lines with their numbers, and marks under what is wrong.

import { h, replace } from "./dom.js";
import { inside } from "./difference.js";
import { charOffset } from "./offsets.js";

/** @typedef {import("./types").Problem} Problem */

const STEP = "  ";
const LINE = 18;

export class Editor extends EventTarget {
    #numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
    #marks = h("pre", { class: "marks", "aria-hidden": "true" });
    #text = h("textarea", {
        spellcheck: "false",
        autocomplete: "off",
        autocapitalize: "off",
        wrap: "off",
        "aria-describedby": "rules-keys",
    });
    element = h(
        "div",
        { class: "editor" },
        this.#numbers,
        h("div", { class: "code-place" }, this.#marks, this.#text),
    );
    /** @type {Problem[]} */
    #problems = [];
    /** @type {{from: number, to: number} | null} */
    #lines = null;
    #drawn = "";

    /** @param {string} label */
    constructor(label) {
        super();
        this.#text.setAttribute("aria-label", label);
        this.#text.addEventListener("input", () => {
            this.#draw();
            this.dispatchEvent(new Event("input"));
        });
        this.#text.addEventListener("keydown", (event) => this.#key(event));
        this.#text.addEventListener("scroll", () => this.#scroll());
        // What is shown below takes its room from the text: the cursor stays in sight.
        new ResizeObserver(() => {
            if (this.hasFocus) this.reveal(this.#text.selectionEnd, false);
        }).observe(this.#text);
        for (const name of ["keyup", "pointerup", "input"]) {
            this.#text.addEventListener(name, () => this.dispatchEvent(new Event("cursor")));
        }
    }

    get value() {
        return this.#text.value;
    }
    get hasFocus() {
        return document.activeElement === this.#text;
    }
    /** The line of the cursor, counted from 1. */
    get line() {
        return this.value.slice(0, this.#text.selectionStart).split("\n").length;
    }
    get place() {
        const { selectionStart, selectionEnd, scrollTop, scrollLeft } = this.#text;
        return { from: selectionStart, to: selectionEnd, top: scrollTop, left: scrollLeft };
    }

    /** @param {boolean} writable */
    set writable(writable) {
        this.#text.readOnly = !writable;
    }

    focus() {
        this.#text.focus();
    }

    /**
     * Shows another text, without a way back to the former one.
     * @param {string} text @param {{from: number, to: number, top: number, left: number}} place
     */
    show(text, place) {
        this.#text.value = text;
        this.#draw();
        this.#text.setSelectionRange(place.from, place.to);
        if (place.top < 0) this.reveal(place.from);
        else {
            this.#text.scrollTop = place.top;
            this.#text.scrollLeft = place.left;
        }
        this.#scroll();
    }

    /**
     * Changes the text as if it was typed: it can be undone.
     * @param {string} text
     */
    change(text) {
        const { value } = this;
        if (text === value) return;
        const { before, after } = inside(value, text);
        const focus = document.activeElement;
        const { scrollTop, scrollLeft } = this.#text;
        this.#text.focus({ preventScroll: true });
        this.#text.setSelectionRange(before, value.length - after);
        this.#insert(text.slice(before, text.length - after));
        this.#text.scrollTop = scrollTop;
        this.#text.scrollLeft = scrollLeft;
        if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
    }

    /**
     * Chooses lines, counted from 1, without taking the focus.
     * @param {{from: number, to: number} | null} lines @param {boolean} [reveal]
     */
    mark(lines, reveal = false) {
        this.#lines = lines;
        this.#draw(true);
        if (!lines || !reveal) return;
        const at = this.value.split("\n").slice(0, lines.from - 1).join("\n").length;
        const start = lines.from > 1 ? at + 1 : 0;
        this.#text.setSelectionRange(start, start);
        this.reveal(start);
    }

    /**
     * Scrolls to a place: with what follows it, or just so far that it is seen.
     * @param {number} at @param {boolean} [follows]
     */
    reveal(at, follows = true) {
        const top = (this.value.slice(0, at).split("\n").length - 1) * LINE;
        const height = this.#text.clientHeight;
        if (top < this.#text.scrollTop || top > this.#text.scrollTop + height - 3 * LINE) {
            this.#text.scrollTop = Math.max(0, top - (follows ? height / 4 : height - 4 * LINE));
        }
        this.#scroll();
    }

    /** @param {Problem[]} problems */
    setProblems(problems) {
        this.#problems = problems;
        this.#text.setAttribute(
            "aria-invalid",
            String(problems.some(({ severity }) => severity === "error")),
        );
        this.#draw(true);
    }

    /** @param {Problem} problem */
    goTo(problem) {
        const from = charOffset(this.value, problem.from);
        this.#text.focus();
        this.#text.setSelectionRange(from, Math.max(from, charOffset(this.value, problem.to)));
        this.reveal(from);
        this.dispatchEvent(new Event("cursor"));
    }

    #draw(always = false) {
        const { value } = this;
        if (value === this.#drawn && !always) return;
        this.#drawn = value;
        const lines = value.split("\n").length;
        const wrong = new Map(this.#problems.map(({ line, severity }) => [line, severity]));
        /** @type {(Node | string)[]} */
        const numbers = [];
        for (let line = 1; line <= lines; line += 1) {
            const own = this.#lines && line >= this.#lines.from && line <= this.#lines.to;
            const name = wrong.get(line) ?? (own ? "own" : "");
            numbers.push(name ? h("span", { class: name }, String(line)) : String(line), "\n");
        }
        replace(this.#numbers, numbers);
        /** @type {(Node | string)[]} */
        const marks = [];
        let at = 0;
        for (
            const { from, to, severity } of [...this.#problems].sort((a, b) => a.from - b.from)
                .slice(0, 200)
        ) {
            const start = charOffset(value, from);
            if (start < at) continue;
            const end = Math.max(charOffset(value, to), start);
            const text = value.slice(start, end).split("\n")[0] || " ";
            marks.push(value.slice(at, start), h("mark", { class: severity }, text));
            at = start + (value.slice(start, end).split("\n")[0] ?? "").length;
        }
        replace(this.#marks, marks, value.slice(at) + "\n");
        this.#scroll();
    }

    #scroll() {
        const { scrollTop, scrollLeft } = this.#text;
        this.#numbers.style.transform = `translateY(${-scrollTop}px)`;
        this.#marks.style.transform = `translate(${-scrollLeft}px, ${-scrollTop}px)`;
    }

    /** @param {string} text */
    #insert(text) {
        // The only way that the browser's undo knows of; without it the text is still right.
        const done = text
            ? document.execCommand("insertText", false, text)
            : document.execCommand("delete");
        if (done) return;
        const { selectionStart, selectionEnd } = this.#text;
        this.#text.setRangeText(text, selectionStart, selectionEnd, "end");
        this.#text.dispatchEvent(new Event("input"));
    }

    /** @param {KeyboardEvent} event */
    #key(event) {
        if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
        const { selectionStart: from, selectionEnd: to } = this.#text;
        const start = this.value.lastIndexOf("\n", from - 1) + 1;
        if (event.key === "Tab" && !this.#text.readOnly) {
            event.preventDefault();
            this.#indent(start, from, to, event.shiftKey);
        } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            const line = this.value.slice(start, from);
            const indent = /^ *(?:- +)?/.exec(line)?.[0]?.replace("-", " ") ?? "";
            const deeper = /:\s*$|[|>][+-]?\s*$/.test(line) ? STEP : "";
            this.#insert(`\n${indent}${deeper}`);
        } else if (event.key === "Escape") {
            event.preventDefault();
            this.dispatchEvent(new Event("leave"));
        }
    }

    /**
     * Moves the lines of the selection, or the cursor, by one step.
     * @param {number} start @param {number} from @param {number} to @param {boolean} back
     */
    #indent(start, from, to, back) {
        if (from === to && !back) {
            this.#insert(" ".repeat(STEP.length - (from - start) % STEP.length));
            return;
        }
        const text = this.value.slice(start, to);
        const moved = back
            ? text.replace(/^ {1,2}/gm, "")
            : text.replace(/^(?=[^\n])/gm, STEP);
        if (moved === text) return;
        this.#text.setSelectionRange(start, to);
        this.#insert(moved);
        if (from === to) {
            const at = Math.max(start, from - (text.length - moved.length));
            this.#text.setSelectionRange(at, at);
        } else this.#text.setSelectionRange(start, start + moved.length);
    }
}
