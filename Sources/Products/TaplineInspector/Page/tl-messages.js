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

/**
 * Messages a second and bytes of one direction, over the time that all messages take.
 * @param {Sent[]} all @param {"up" | "down"} dir
 */
export function rate(all, dir) {
    const some = all.filter((message) => message.dir === dir);
    const span = ((all.at(-1)?.at_us ?? 0) - (all[0]?.at_us ?? 0)) / 1e6;
    const bytes = some.reduce((sum, message) => sum + (message.size ?? 0), 0);
    return {
        count: some.length,
        bytes,
        perSecond: span > 0 ? some.length / span : null,
        bytesPerSecond: span > 0 ? bytes / span : null,
    };
}

/**
 * Whether a message is one of those that are asked for.
 * @param {Sent} message @param {{dir: string, type: string, text: string}} wanted
 */
export function matches(message, { dir, type, text }) {
    return (!dir || message.dir === dir) && (!type || message.type === type) &&
        (!text || (message.text ?? "").toLowerCase().includes(text));
}

export class TlMessages extends HTMLElement {
    /** The exchange. */
    exchange = "";
    /** @type {Sent[]} */
    #all = [];
    /** The number of the first message that is loaded. */
    #from = 0;
    #total = 0;
    #wanted = { dir: "", type: "", text: "" };
    #busy = false;
    #head = h("div", { class: "bar" });
    #types = h("select", { "aria-label": "Type" });
    #rate = h("p", { class: "soft" });
    #before = button("", () => this.#start(0), { class: "more" });
    #list = h("ol", { class: "sent", tabindex: 0, "aria-label": "Messages" });
    #more = button("", () => this.#load(), { class: "more" });
    #newest = button("Newest", () => this.#start(Math.max(0, this.#total - PAGE)), {
        class: "more",
    });

    connectedCallback() {
        if (this.firstChild) return;
        const find = h("input", {
            type: "search",
            placeholder: "Search in messages",
            "aria-label": "Search in messages",
        });
        find.addEventListener("input", () => {
            this.#wanted.text = find.value.toLowerCase();
            this.#draw();
        });
        this.#types.addEventListener("change", () => {
            this.#wanted.type = this.#types.value;
            this.#draw();
        });
        const choose = (/** @type {string} */ dir, /** @type {string} */ name) =>
            button(name, () => {
                this.#wanted.dir = dir;
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
            this.#types,
            find,
        );
        this.append(
            this.#head,
            this.#rate,
            this.#before,
            this.#list,
            h("div", { class: "bar" }, this.#more, this.#newest),
        );
        this.#draw();
        this.#load();
    }

    /** @param {number} from */
    #start(from) {
        this.#from = from;
        this.#all = [];
        this.#draw();
        this.#load();
    }

    /** The exchange has changed: what is new is added if everything before is there. */
    follow() {
        if (this.#from + this.#all.length >= this.#total) this.#load();
        else this.#load(1);
    }

    /** @param {number} [most] 1: only how many there are */
    async #load(most = PAGE) {
        if (this.#busy) return;
        this.#busy = true;
        const [from, all] = [this.#from + this.#all.length, this.#all];
        try {
            const answer = /** @type {{total: number, messages: Sent[]}} */ (await api.get(
                `${api.exchangePath(this.exchange)}/messages`,
                { from: String(from), count: most },
            ));
            this.#busy = false;
            // Another part was asked for meanwhile.
            if (all !== this.#all) {
                this.#load();
                return;
            }
            this.#total = answer.total;
            if (most === PAGE) this.#add(answer.messages);
            else this.#drawSums();
        } catch (error) {
            this.#busy = false;
            // What is shown stays.
            if (!this.#all.length) replace(this.#rate, "The messages could not be loaded.");
        }
    }

    /** @param {Sent[]} messages */
    #add(messages) {
        const panel = this.closest("[role=tabpanel]");
        const atEnd = this.#all.length > 0 && panel !== null &&
            panel.scrollTop + panel.clientHeight > panel.scrollHeight - 40;
        this.#all.push(...messages);
        this.#list.append(
            ...messages.filter((message) => matches(message, this.#wanted))
                .map((message) => this.#row(message)),
        );
        this.#drawSums();
        if (atEnd) panel.scrollTop = panel.scrollHeight;
    }

    #draw() {
        replace(
            this.#list,
            this.#all.filter((message) => matches(message, this.#wanted))
                .map((message) => this.#row(message)),
        );
        this.#drawSums();
    }

    #drawSums() {
        for (const choice of this.#head.querySelectorAll("[data-dir]")) {
            choice.setAttribute(
                "aria-pressed",
                String(choice.getAttribute("data-dir") === this.#wanted.dir),
            );
        }
        const types = ["", ...new Set(this.#all.map(({ type }) => type))];
        if (types.length !== this.#types.options.length) {
            replace(
                this.#types,
                types.map((type) =>
                    h(
                        "option",
                        { value: type, selected: type === this.#wanted.type },
                        type || "All types",
                    )
                ),
            );
        }
        const way = (/** @type {"up" | "down"} */ dir, /** @type {string} */ word) => {
            const { count: messages, bytes, perSecond, bytesPerSecond } = rate(this.#all, dir);
            const speed = perSecond === null
                ? ""
                : `, ${perSecond.toFixed(1)} and ${size(Math.round(bytesPerSecond ?? 0))} a second`;
            const arrow = dir === "up" ? "↑" : "↓";
            return `${arrow} ${count(messages)} ${word}, ${size(bytes)}${speed}`;
        };
        const shown = this.#list.childElementCount;
        const loaded = this.#all.length;
        replace(
            this.#rate,
            h("span", { class: "rate" }, counted(this.#total, "message")),
            h("span", { class: "rate" }, way("up", "sent")),
            h("span", { class: "rate" }, way("down", "received")),
            shown < loaded
                ? h("span", { class: "rate" }, `${count(shown)} of ${count(loaded)} shown`)
                : null,
        );
        this.#before.hidden = this.#from === 0;
        this.#before.textContent = `${count(this.#from)} earlier: from the start`;
        const rest = this.#total - this.#from - this.#all.length;
        this.#more.hidden = rest <= 0;
        this.#more.textContent = `${count(Math.min(PAGE, rest))} more of ${count(rest)}`;
        this.#newest.hidden = rest <= PAGE;
    }

    /** @param {Sent} message */
    #row(message) {
        // Protobuf is shown as what it may mean.
        const view = message.view && JSON.stringify(message.view);
        const text = view ?? message.text ??
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
            const bytes = message.base64 && !view
                ? fromBase64(message.base64)
                : new TextEncoder().encode(view ?? message.text ?? "");
            const type = /^\s*[{[]/.test(view ?? message.text ?? "")
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
