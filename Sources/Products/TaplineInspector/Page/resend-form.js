// SPDX-License-Identifier: MIT
// @ts-check
// A message as a form: first line, fields as rows, body as text. It edits a model in place.

import { button, h, replace } from "./dom.js";
import { moved } from "./resend-draft.js";

/** @typedef {import("./resend-draft.js").Field} Field */
/**
 * A part of the form; the status of a response is its `url`.
 * @typedef {Field | "method" | "url" | "body"} Part
 *
 * What is said beside a part: `open` has to be filled in.
 * @typedef {{text: string, open: boolean}} Said
 */
/**
 * @typedef {object} Message
 * @property {string} [method] of a request
 * @property {string} [url]
 * @property {string} [status] of a response
 * @property {Field[]} fields
 * @property {string} body
 */

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export class MessageForm extends EventTarget {
    #line = h("div", { class: "form-line" });
    #fields = h("ol", { class: "form-fields", "aria-label": "Fields" });
    #body;
    #bodySaid = h("div", { class: "form-said" });
    /** @type {Map<Part, HTMLElement>} what is said, by its part */
    #said = new Map([["body", this.#bodySaid]]);
    /** @type {Map<Field, HTMLInputElement>} */
    #inputs = new Map();
    /** @type {HTMLInputElement | null} */
    #method = null;
    /** @type {HTMLInputElement | null} of a response, its status */
    #url = null;

    /**
     * @param {Message} message
     * @param {{ordered?: boolean, note?: string, bodyLabel?: string}} [options]
     */
    constructor(message, options = {}) {
        super();
        this.message = message;
        this.options = options;
        this.#body = h("textarea", {
            rows: 8,
            spellcheck: "false",
            "aria-label": options.bodyLabel ?? "Body",
            oninput: () => this.#set(() => this.message.body = this.#body.value),
        });
        this.#body.value = message.body;
        this.element = h(
            "div",
            { class: "message-form" },
            this.#line,
            h(
                "div",
                { class: "bar" },
                h("h3", {}, "Fields"),
                button("Add a field", () => this.#add()),
                options.note ? h("span", { class: "soft" }, options.note) : null,
            ),
            this.#fields,
            h("h3", {}, "Body"),
            this.#bodySaid,
            this.#body,
        );
        this.#drawLine();
        this.#drawFields();
    }

    get body() {
        return this.#body;
    }

    /** @param {() => void} change */
    #set(change) {
        change();
        this.dispatchEvent(new Event("change"));
    }

    #drawLine() {
        const { message } = this;
        const input = (
            /** @type {"method" | "url" | "status"} */ name,
            /** @type {string} */ label,
            /** @type {Record<string, any>} */ more = {},
        ) => {
            const box = h("input", {
                "aria-label": label,
                class: `form-${name}`,
                spellcheck: "false",
                autocomplete: "off",
                oninput: () => this.#set(() => message[name] = box.value),
                ...more,
            });
            box.value = message[name] ?? "";
            return box;
        };
        const said = h("div", { class: "form-said" });
        this.#said.set("url", said);
        if (message.status !== undefined) {
            this.#url = input("status", "Status", { inputmode: "numeric", size: 5 });
            replace(this.#line, this.#url, said);
            return;
        }
        this.#method = input("method", "Method", { list: "methods", size: 8 });
        this.#url = input("url", "URL");
        const methodSaid = h("div", { class: "form-said" });
        this.#said.set("method", methodSaid);
        replace(
            this.#line,
            this.#method,
            h("datalist", { id: "methods" }, METHODS.map((value) => h("option", { value }))),
            h("div", { class: "form-grow" }, this.#url, methodSaid, said),
        );
    }

    /** @param {Field} [focus] @param {string} [which] */
    #drawFields(focus, which) {
        const { message, options } = this;
        this.#inputs.clear();
        const row = (/** @type {Field} */ field, /** @type {number} */ at) => {
            const shift = (/** @type {number} */ to, /** @type {string} */ name) =>
                this.#set(() => {
                    message.fields = moved(message.fields, at, to);
                    this.#drawFields(field, name);
                });
            const name = h("input", {
                "aria-label": `Name of field ${at + 1}`,
                class: "form-name",
                placeholder: "Name",
                spellcheck: "false",
                oninput: () => this.#set(() => field.name = name.value),
            });
            name.value = field.name;
            // What is there keeps its name where only changes are sent.
            name.readOnly = !options.ordered && field.was !== null;
            const value = h("input", {
                "aria-label": `Value of ${field.name || `field ${at + 1}`}`,
                class: "form-value",
                spellcheck: "false",
                oninput: () => this.#set(() => field.value = value.value),
            });
            value.value = field.value;
            this.#inputs.set(field, value);
            const said = h("div", { class: "form-said" });
            this.#said.set(field, said);
            return h(
                "li",
                {},
                name,
                h("div", { class: "form-grow" }, value, said),
                h(
                    "span",
                    { class: "form-tools" },
                    options.ordered
                        ? [
                            button("↑", () => shift(at - 1, "↑"), {
                                disabled: at === 0,
                                "aria-label": `${field.name} up`,
                            }),
                            button("↓", () => shift(at + 1, "↓"), {
                                disabled: at === message.fields.length - 1,
                                "aria-label": `${field.name} down`,
                            }),
                        ]
                        : [],
                    button("×", () => {
                        this.#set(() => {
                            message.fields = message.fields.filter((other) => other !== field);
                            this.#drawFields(message.fields[at] ?? message.fields[at - 1], "×");
                        });
                    }, { "aria-label": `remove ${field.name || "the field"}`, title: "remove" }),
                ),
            );
        };
        replace(
            this.#fields,
            message.fields.length
                ? message.fields.map(row)
                : h("li", { class: "soft" }, "No fields."),
        );
        if (!focus) return;
        const item = this.#inputs.get(focus)?.closest("li");
        const again = [...item?.querySelectorAll("button") ?? []].find((one) =>
            one.textContent === which && !one.disabled
        );
        (again ?? item?.querySelector("button:not(:disabled)"))?.focus();
    }

    #add() {
        /** @type {Field} */
        const field = { name: "", value: "", was: null, reason: "" };
        this.#set(() => {
            this.message.fields = [...this.message.fields, field];
            this.#drawFields();
        });
        this.#inputs.get(field)?.closest("li")?.querySelector("input")?.focus();
    }

    /**
     * Says something beside its parts, and nothing beside the others.
     * @param {Map<Part, Said>} all @param {Node[]} [more] below the body's head
     */
    say(all, more = []) {
        for (const [part, place] of this.#said) {
            const said = all.get(part);
            const input = this.#input(part);
            input?.classList.toggle("open", Boolean(said?.open));
            input?.setAttribute("aria-invalid", String(Boolean(said?.open)));
            place.className = `form-said ${said?.open ? "warn" : "soft"}`;
            replace(place, said?.text, part === "body" ? more : null);
        }
    }

    /** @param {Part} part */
    #input(part) {
        switch (part) {
            case "method":
                return this.#method;
            case "url":
                return this.#url;
            case "body":
                return this.#body;
        }
        return this.#inputs.get(part);
    }

    /**
     * Goes to a part, in the body to a place.
     * @param {Part} part @param {{from: number, to: number} | null} [place]
     */
    goTo(part, place) {
        const input = this.#input(part);
        input?.focus();
        if (part !== "body") input?.select();
        else if (place) input?.setSelectionRange(place.from, place.to);
    }
}
