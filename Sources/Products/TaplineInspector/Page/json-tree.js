// SPDX-License-Identifier: MIT
// @ts-check
// JSON as a tree that is built as it is opened, with search and paths.

import { announce, button, copy, h, replace } from "./dom.js";
import { count, counted } from "./formats.js";
import { children, pathText, scalar, write } from "./json.js";
import * as jwt from "./jwt.js";
import { isMasked } from "./messages.js";

/** @typedef {import("./json.js").Json} Json @typedef {(string | number)[]} Path */

const CHUNK = 100;
/** So many nodes are open at first. */
const OPEN = 120;
const LONG = 600;

/** @param {Json} node */
const isParent = (node) =>
    (node.kind === "object" && node.entries.length > 0) ||
    (node.kind === "array" && node.items.length > 0);

/**
 * Paths to names and values that contain a text.
 * @param {Json} root @param {string} wanted @param {number} most @returns {Path[]}
 */
export function search(root, wanted, most = 1000) {
    const text = wanted.toLowerCase();
    /** @type {Path[]} */
    const found = [];
    /** @type {[Json, Path][]} */
    const waiting = [[root, []]];
    while (waiting.length && found.length < most) {
        const [node, path] = /** @type {[Json, Path]} */ (waiting.pop());
        const name = typeof path.at(-1) === "string" ? String(path.at(-1)) : "";
        const value = isParent(node) ? "" : node.kind === "string" ? node.value : scalar(node);
        if (name.toLowerCase().includes(text) || value.toLowerCase().includes(text)) {
            found.push(path);
        }
        for (const [step, child] of [...children(node)].reverse()) {
            waiting.push([child, [...path, step]]);
        }
    }
    return found;
}

class Tree {
    element = h("ul", { class: "tree", role: "tree", "aria-label": "JSON" });
    #budget = OPEN;

    /** @param {Json} root */
    constructor(root) {
        this.root = root;
        this.element.append(this.item(root, [], true));
        this.element.querySelector("li")?.setAttribute("tabindex", "0");
        this.element.addEventListener("keydown", (event) => this.key(event));
        this.element.addEventListener("focusin", (event) => {
            const item = /** @type {Element} */ (event.target).closest("li");
            for (const old of this.element.querySelectorAll("[tabindex='0']")) {
                old.setAttribute("tabindex", "-1");
            }
            item?.setAttribute("tabindex", "0");
        });
    }

    /** @param {Json} node @param {Path} path @param {boolean} open @returns {HTMLLIElement} */
    item(node, path, open) {
        const step = path.at(-1);
        const line = h("div", { class: "node" });
        const item = h("li", { role: "treeitem", tabindex: -1, "data-path": pathText(path) }, line);
        const parent = isParent(node);
        if (parent) line.append(h("span", { class: "twist", "aria-hidden": "true" }));
        if (step !== undefined) {
            line.append(
                h("span", { class: typeof step === "number" ? "index" : "name" }, String(step)),
                ": ",
            );
        }
        line.append(parent ? this.summary(node) : this.value(node));
        line.append(
            h(
                "span",
                { class: "tools" },
                button("path", () => copy(pathText(path), `path copied: ${pathText(path)}`), {
                    tabindex: -1,
                }),
                button(
                    "value",
                    () => copy(node.kind === "string" ? node.value : write(node), "value copied"),
                    { tabindex: -1 },
                ),
            ),
        );
        if (!parent) return item;
        line.addEventListener("click", (event) => {
            if (!(event.target instanceof HTMLButtonElement) && !getSelection()?.toString()) {
                this.toggle(item);
            }
        });
        const group = h("ul", { role: "group" });
        item.append(group);
        /** @type {any} */ (item).fill = () => this.fill(group, node, path, 0);
        this.#budget -= children(node).length;
        this.set(item, open && this.#budget > 0);
        return item;
    }

    /** @param {HTMLElement} group @param {Json} node @param {Path} path @param {number} from */
    fill(group, node, path, from) {
        const all = children(node);
        for (const [step, child] of all.slice(from, from + CHUNK)) {
            group.append(this.item(child, [...path, step], true));
        }
        const rest = all.length - from - CHUNK;
        if (rest <= 0) return;
        const more = h(
            "li",
            { role: "none" },
            button(`${count(Math.min(rest, CHUNK))} more of ${count(all.length)}`, () => {
                more.remove();
                this.fill(group, node, path, from + CHUNK);
            }, { class: "more" }),
        );
        group.append(more);
    }

    /** @param {Json} node */
    summary(node) {
        if (node.kind === "array") {
            return h("span", { class: "sum" }, `[ ${counted(node.items.length, "item")} ]`);
        }
        const names = node.kind === "object" ? node.entries.map(([name]) => name) : [];
        return h(
            "span",
            { class: "sum" },
            `{ ${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""} }`,
        );
    }

    /** @param {Json} node */
    value(node) {
        const text = node.kind === "string" ? JSON.stringify(node.value) : scalar(node);
        if (node.kind === "string" && isMasked(node.value)) {
            return h("span", { class: "masked" }, text, h("small", {}, "masked"));
        }
        const token = node.kind === "string" ? jwt.token(node.value) : null;
        const shown = token ? JSON.stringify(token.masked) : text;
        const span = h("span", { class: node.kind }, shown.slice(0, LONG));
        if (shown.length <= LONG) {
            return token ? h("span", {}, span, h("small", { class: "hint" }, "token")) : span;
        }
        const more = button(`… ${count(shown.length - LONG)} more`, () => {
            span.textContent = shown;
            more.remove();
        }, { class: "more" });
        return h("span", {}, span, more);
    }

    /** @param {HTMLElement} item @param {boolean} open */
    set(item, open) {
        const fill = /** @type {any} */ (item).fill;
        if (open && fill) {
            /** @type {any} */ (item).fill = null;
            fill();
        }
        item.setAttribute("aria-expanded", String(open));
    }

    /** @param {HTMLElement} item */
    toggle(item) {
        this.set(item, item.getAttribute("aria-expanded") !== "true");
    }

    /**
     * Opens all that leads to a path, and returns its element.
     * @param {Path} path
     */
    reveal(path) {
        let item = /** @type {HTMLElement | null} */ (this.element.firstElementChild);
        for (let depth = 1; item && depth <= path.length; depth += 1) {
            this.set(item, true);
            const wanted = pathText(path.slice(0, depth));
            const group = /** @type {HTMLElement} */ (item.lastElementChild);
            for (;;) {
                const found = [...group.children].find((child) =>
                    child instanceof HTMLElement && child.dataset.path === wanted
                );
                item = /** @type {HTMLElement | null} */ (found ?? null);
                const more =
                    /** @type {HTMLElement | null} */ (group.querySelector(":scope > li > .more"));
                if (item || !more) break;
                more.click();
            }
        }
        return item;
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        const item =
            /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("li"));
        if (!item || event.target instanceof HTMLButtonElement) return;
        const items =
            /** @type {HTMLElement[]} */ ([...this.element.querySelectorAll("li[role=treeitem]")])
                .filter((one) => one.offsetParent);
        const at = items.indexOf(item);
        const open = item.getAttribute("aria-expanded");
        /** @type {HTMLElement | null | undefined} */
        let next;
        if (event.key === "ArrowDown") next = items[at + 1];
        else if (event.key === "ArrowUp") next = items[at - 1];
        else if (event.key === "Home") next = items[0];
        else if (event.key === "End") next = items.at(-1);
        else if (event.key === "ArrowRight") {
            if (open === "false") this.set(item, true);
            else next = items[at + 1];
        } else if (event.key === "ArrowLeft") {
            if (open === "true") this.set(item, false);
            else next = item.parentElement?.closest("li");
        } else if (event.key === "Enter" || event.key === " ") { if (open) this.toggle(item); }
        else if (event.key === "c" && !event.ctrlKey && !event.metaKey) {
            copy(item.dataset.path ?? "", `path copied: ${item.dataset.path}`);
        } else return;
        event.preventDefault();
        event.stopPropagation();
        next?.focus();
    }
}

/**
 * A tree with its search box.
 * @param {Json} root
 */
export function jsonTree(root) {
    const tree = new Tree(root);
    /** @type {Path[]} */
    let hits = [];
    let at = -1;
    const place = h("span", { class: "soft" });
    const step = (/** @type {number} */ by) => {
        if (!hits.length) return;
        at = (at + by + hits.length) % hits.length;
        for (const old of tree.element.querySelectorAll(".hit")) old.classList.remove("hit");
        const item = tree.reveal(hits[at] ?? []);
        item?.firstElementChild?.classList.add("hit");
        item?.scrollIntoView({ block: "nearest" });
        replace(place, `${count(at + 1)} of ${count(hits.length)}`);
    };
    const box = h("input", {
        type: "search",
        placeholder: "Search in JSON",
        "aria-label": "Search in JSON",
    });
    box.addEventListener("input", () => {
        hits = box.value ? search(root, box.value) : [];
        at = -1;
        replace(place, box.value && !hits.length ? "not found" : "");
        step(1);
    });
    box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        step(event.shiftKey ? -1 : 1);
        announce(place.textContent ?? "");
    });
    const wanted = isParent(root) ? h("div", { class: "find" }, box, place) : null;
    return h("div", { class: "json" }, wanted, tree.element);
}
