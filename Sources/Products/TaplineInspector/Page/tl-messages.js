// SPDX-License-Identifier: MIT
// @ts-check
// Messages of a WebSocket, or server-sent events: a list that grows while the exchange lives.

import * as api from "./api.js";
import { button, h, replace } from "./dom.js";
import { count, counted, duration, size } from "./formats.js";
import { fromBase64 } from "./messages.js";
import { views } from "./viewers.js";

/** @typedef {import("./types").Sent} Sent */

const PAGE = 200;

export class TlMessages extends HTMLElement {
    #id = "";
    /** @type {Sent[]} */
    #all = [];
    #total = 0;
    #dir = "";
    #text = "";
    #head = h("div", { class: "bar" });
    #rate = h("p", { class: "soft" });
    #list = h("ol", { class: "sent", tabindex: 0, "aria-label": "Messages" });
    #more = button("", () => this.load());

    connectedCallback() {
        const find = h("input", {
            type: "search",
            placeholder: "Search in messages",
            "aria-label": "Search in messages",
        });
        find.addEventListener("input", () => {
            this.#text = find.value.toLowerCase();
            this.#draw();
        });
        const choose = (/** @type {string} */ dir, /** @type {string} */ name) =>
            button(name, () => {
                this.#dir = dir;
                this.#draw();
            }, { "data-dir": dir });
        this.#head.append(
            h(
                "div",
                { class: "choice", role: "group", "aria-label": "Direction" },
                choose("", "Both"),
                choose("up", "↑ Sent"),
                choose("down", "↓ Received"),
            ),
            find,
        );
        this.append(this.#head, this.#rate, this.#list, this.#more);
        this.load();
    }

    /** @param {string} id */
    set(id) {
        this.#id = id;
    }

    async load() {
        try {
            const answer = /** @type {{total: number, messages: Sent[]}} */ (await api.get(
                `${api.exchangePath(this.#id)}/messages`,
                { from: String(this.#all.length), count: PAGE },
            ));
            this.#total = answer.total;
            this.#all.push(...answer.messages);
        } catch {
            replace(this.#rate, "The messages could not be loaded.");
            return;
        }
        this.#draw();
    }

    #draw() {
        for (const choice of this.#head.querySelectorAll("[data-dir]")) {
            choice.setAttribute(
                "aria-pressed",
                String(choice.getAttribute("data-dir") === this.#dir),
            );
        }
        const shown = this.#all.filter((message) =>
            (!this.#dir || message.dir === this.#dir) &&
            (!this.#text || (message.text ?? "").toLowerCase().includes(this.#text))
        );
        const span = ((this.#all.at(-1)?.at_us ?? 0) - (this.#all[0]?.at_us ?? 0)) / 1e6;
        const bytes = this.#all.reduce((sum, message) => sum + (message.size ?? 0), 0);
        const rate = span > 0
            ? `, ${(this.#all.length / span).toFixed(1)} and ${
                size(Math.round(bytes / span))
            } a second`
            : "";
        replace(
            this.#rate,
            `${counted(this.#total, "message")}, ${size(bytes)}${rate}` +
                (shown.length < this.#all.length ? `; ${count(shown.length)} shown` : ""),
        );
        replace(this.#list, shown.map((message) => this.#row(message)));
        const rest = this.#total - this.#all.length;
        this.#more.hidden = rest <= 0;
        this.#more.textContent = `${count(Math.min(PAGE, rest))} more of ${count(this.#total)}`;
    }

    /** @param {Sent} message */
    #row(message) {
        const text = message.text ??
            (message.base64 ? `${counted(message.size ?? 0, "byte")} of binary data` : "");
        const box = h(
            "details",
            {},
            h(
                "summary",
                {},
                h("span", {
                    class: `dir ${message.dir}`,
                    title: message.dir === "up" ? "sent" : "received",
                }, message.dir === "up" ? "↑" : "↓"),
                h("span", { class: "soft time" }, duration(message.at_us)),
                h("span", { class: "kind" }, message.type),
                h("span", { class: "text" }, text.slice(0, 300)),
                h("span", { class: "soft" }, size(message.size)),
            ),
        );
        box.addEventListener("toggle", () => {
            if (!box.open || box.children.length > 1) return;
            const bytes = message.base64
                ? fromBase64(message.base64)
                : new TextEncoder().encode(message.text ?? "");
            const type = /^\s*[{[]/.test(message.text ?? "")
                ? "application/json"
                : message.base64
                ? ""
                : "text/plain";
            box.append(h("div", { class: "opened" }, views(bytes, type)[0]?.show()));
        });
        return h("li", {}, box);
    }
}

customElements.define("tl-messages", TlMessages);
