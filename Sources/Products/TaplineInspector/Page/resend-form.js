// SPDX-License-Identifier: MIT
// @ts-check
// A message as a form: first line, fields as rows, body as text. It edits a model in place.

import { button, h, replace } from "./dom.js";
import { moved } from "./resend-draft.js";

/** @typedef {import("./resend-draft.js").Field} Field */
/**
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
    /** @type {Map<Field | "url" | "body", HTMLElement>} what is said, by its part */
    #said = new Map([["body", this.#bodySaid]]);
    /** @type {Map<Field, HTMLInputElement>} */
    #inputs = new Map();
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
        if (message.status !== undefined) {
            this.#url = input("status", "Status", { inputmode: "numeric", size: 5 });
            replace(this.#line, this.#url);
            return;
        }
        this.#url = input("url", "URL");
        const said = h("div", { class: "form-said" });
        this.#said.set("url", said);
        replace(
            this.#line,
            input("method", "Method", { list: "methods", size: 8 }),
            h("datalist", { id: "methods" }, METHODS.map((value) => h("option", { value }))),
            h("div", { class: "form-grow" }, this.#url, said),
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
     * @param {Map<Field | "url" | "body", Said>} all @param {Node[]} [more] below the body's head
     */
    say(all, more = []) {
        for (const [part, place] of this.#said) {
            const said = all.get(part);
            const input = part === "url"
                ? this.#url
                : part === "body"
                ? this.#body
                : this.#inputs.get(part);
            input?.classList.toggle("open", Boolean(said?.open));
            input?.setAttribute("aria-invalid", String(Boolean(said?.open)));
            place.className = `form-said ${said?.open ? "warn" : "soft"}`;
            replace(place, said?.text, part === "body" ? more : null);
        }
    }

    /**
     * Goes to a part, in the body to a place.
     * @param {Field | "url" | "body"} part @param {{from: number, to: number} | null} [place]
     */
    goTo(part, place) {
        if (part === "body") {
            this.#body.focus();
            if (place) this.#body.setSelectionRange(place.from, place.to);
        } else {
            const input = part === "url" ? this.#url : this.#inputs.get(part);
            input?.focus();
            input?.select();
        }
    }
}
