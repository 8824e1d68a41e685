// SPDX-License-Identifier: MIT
// @ts-check
// One body: loaded when it is shown, in the view that fits, with what is missing said first.

import * as api from "./api.js";
import { button, copy, h, replace, save } from "./dom.js";
import { count, size } from "./formats.js";
import { failureNotice } from "./states.js";
import { views } from "./viewers.js";

/** @typedef {"request" | "response"} Side */

/** So much is loaded at once. */
const MOST = 1 << 20;

export class TlBody extends HTMLElement {
    #id = "";
    /** @type {Side} */
    #side = "response";
    /** @type {import("./types").Body | null | undefined} */
    #body = null;
    #max = MOST;
    #raw = false;
    #view = "";
    #loads = 0;
    /** @type {api.LoadedBody | null} */
    #loaded = null;
    #bar = h("div", { class: "bar" });
    #notes = h("div", { class: "notes" });
    #place = h("div", { class: "shows" });

    connectedCallback() {
        this.append(this.#bar, this.#notes, this.#place);
    }
    disconnectedCallback() {
        this.#revoke();
    }

    /**
     * @param {string} id
     * @param {Side} side
     * @param {import("./types").Body | null | undefined} body
     */
    set(id, side, body) {
        this.#id = id;
        this.#side = side;
        this.#body = body;
    }

    /** Loads the body unless it is there. */
    async load() {
        if (this.#loaded) return;
        const load = ++this.#loads;
        try {
            const loaded = await api.body(this.#id, this.#side, { raw: this.#raw, max: this.#max });
            if (load !== this.#loads) return;
            this.#loaded = loaded;
            this.#draw();
        } catch (error) {
            if (load === this.#loads) replace(this.#place, failureNotice(error));
        }
    }

    #again() {
        this.#loaded = null;
        this.load();
    }

    #revoke() {
        for (const element of this.querySelectorAll("[data-blob]")) {
            URL.revokeObjectURL(/** @type {HTMLElement} */ (element).dataset.blob ?? "");
        }
    }

    #draw() {
        const loaded = this.#loaded;
        if (!loaded) return;
        this.#revoke();
        replace(this.#notes, this.#said(loaded));
        if (!loaded.bytes.length) {
            replace(this.#bar);
            replace(
                this.#place,
                loaded.state === "missing" ? null : h("p", { class: "soft" }, "The body is empty."),
            );
            return;
        }
        const all = views(loaded.bytes, loaded.type);
        const chosen = all.find((view) => view.id === this.#view) ?? all[0];
        replace(
            this.#bar,
            h(
                "div",
                { class: "choice", role: "group", "aria-label": "View" },
                all.map((view) =>
                    button(view.name, () => {
                        this.#view = view.id;
                        this.#draw();
                    }, { "aria-pressed": String(view === chosen) })
                ),
            ),
            loaded.decoding !== "none" || this.#raw
                ? button("As sent", () => {
                    this.#raw = !this.#raw;
                    this.#again();
                }, {
                    "aria-pressed": String(this.#raw),
                    title: "the bytes before their content coding was undone",
                })
                : null,
            h("span", { class: "gap" }),
            h(
                "span",
                { class: "soft" },
                `${size(loaded.bytes.length)}${
                    loaded.decoding !== "none" ? `, from ${loaded.decoding}` : ""
                }`,
            ),
            button("Copy", () => this.copy()),
            button("Save", () => this.save()),
        );
        replace(this.#place, chosen?.show());
    }

    /**
     * What is not there, in words.
     * @param {api.LoadedBody} loaded
     */
    #said(loaded) {
        const whole = this.#body?.size;
        const of = whole === undefined ? "" : ` of ${count(whole)} bytes`;
        if (loaded.decoding === "failed") {
            return h(
                "p",
                { class: "warn" },
                "The content coding could not be undone: these are the bytes as sent.",
            );
        }
        switch (loaded.state) {
            case "cut":
                return h(
                    "p",
                    { class: "warn" },
                    `Cut when it was recorded: ${
                        count(this.#body?.kept ?? loaded.bytes.length)
                    } bytes${of} were kept.`,
                );
            case "cut-here":
                return h(
                    "p",
                    { class: "note" },
                    `The first ${size(loaded.bytes.length)}${whole ? ` of ${size(whole)}` : ""}. `,
                    button("Show all", () => {
                        this.#max = 256 << 20;
                        this.#again();
                    }),
                );
            case "masked":
                return h("p", { class: "note" }, "Values were masked when it was recorded.");
            case "missing":
                return h(
                    "p",
                    { class: "note" },
                    whole ? `The body of ${size(whole)} was not kept.` : "No body was kept.",
                );
            default:
                return null;
        }
    }

    /** The whole body. */
    async #all() {
        if (this.#loaded && this.#loaded.state !== "cut-here") return this.#loaded;
        return api.body(this.#id, this.#side, { raw: this.#raw });
    }

    async copy() {
        const { bytes } = await this.#all();
        await copy(new TextDecoder().decode(bytes), "body copied");
    }

    async save() {
        const { bytes, type } = await this.#all();
        const kind = /^[\w.+-]+\/([\w.-]+)/.exec(type)?.[1] ?? "bin";
        save(
            new Blob([bytes], { type: "application/octet-stream" }),
            `${this.#side}-${this.#id.slice(0, 8)}.${kind}`,
        );
    }
}

customElements.define("tl-body", TlBody);
