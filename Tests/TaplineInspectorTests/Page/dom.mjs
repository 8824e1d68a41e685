// SPDX-License-Identifier: MIT
// The part of a document that screens need to be drawn and used without a browser.

import "./page.mjs";

globalThis.Node ??= class {};

class Text extends Node {
    parent = null;

    constructor(text) {
        super();
        this.textContent = text;
    }
}

class Element extends Node {
    parent = null;
    children = [];
    attributes = {};
    dataset = {};
    listeners = {};
    classList = { add() {}, remove() {} };

    constructor(tag) {
        super();
        this.tag = tag;
    }

    setAttribute(name, value) {
        this.attributes[name] = value;
        if (name.startsWith("data-")) this.dataset[name.slice(5)] = value;
        if (["value", "checked"].includes(name)) this[name] = value;
    }

    get value() {
        return this.chosen ?? this.all((one) => one.tag === "option")[0]?.attributes.value ?? "";
    }

    set value(value) {
        this.chosen = value;
    }

    get textContent() {
        return this.children.map((child) => child.textContent).join("");
    }

    set textContent(text) {
        for (const child of this.children) child.parent = null;
        this.children = text ? [new Text(text)] : [];
        if (!document.body.contains(document.activeElement)) document.activeElement = document.body;
    }

    get firstChild() {
        return this.children[0] ?? null;
    }

    get isConnected() {
        return document.body.contains(this);
    }

    append(...children) {
        for (const child of children) this.#adopt(child, this.children.length);
    }

    prepend(child) {
        this.#adopt(child, 0);
    }

    #adopt(child, at) {
        const node = child instanceof Node ? child : new Text(child);
        node.parent = this;
        this.children.splice(at, 0, node);
    }

    contains(node) {
        for (let one = node; one; one = one.parent) if (one === this) return true;
        return false;
    }

    matches() {
        return false;
    }

    addEventListener(name, listener) {
        this.listeners[name] = listener;
    }

    click() {
        return this.listeners.click?.({ preventDefault() {} });
    }

    focus() {
        document.activeElement = this;
    }

    remove() {
        const at = this.parent.children.indexOf(this);
        this.parent.children.splice(at, 1);
        this.parent = null;
        if (this.contains(document.activeElement)) document.activeElement = document.body;
    }

    scrollIntoView() {}

    showModal() {}

    /** The elements that pass, in the order of the document. */
    all(passes) {
        return this.children.filter((child) => child instanceof Element).flatMap((child) =>
            passes(child) ? [child, ...child.all(passes)] : child.all(passes)
        );
    }

    /** Only names of elements, with commas. */
    querySelectorAll(names) {
        return this.all(({ tag }) => names.split(", ").includes(tag));
    }
}

globalThis.HTMLElement = Element;
globalThis.document = {
    hidden: false,
    createElement: (tag) => new Element(tag),
    getElementById: (id) => document.body.all(({ attributes }) => attributes.id === id)[0] ?? null,
    querySelector: () => announcer,
};
document.body = new Element("body");
document.activeElement = document.body;

/** Has the last announcement. */
export const announcer = new Element("div");

/** Shows an element, and nothing else. */
export function show(element) {
    document.body.textContent = "";
    document.body.append(element);
    return element;
}

/** The button with a text. */
export const pressed = (box, text) =>
    box.all((one) => one.tag === "button" && one.textContent === text)[0];
