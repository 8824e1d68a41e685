// SPDX-License-Identifier: MIT
// @ts-check
// The pane beside the list: one exchange, in tabs.

import * as api from "./api.js";
import { app } from "./app.js";
import { markWord, statusWord } from "./columns.js";
import { button, debounce, h, refresh, replace } from "./dom.js";
import { messageView } from "./detail-message.js";
import { relatedView } from "./detail-related.js";
import { changesView, timingView } from "./detail-timing.js";
import { clock, duration, methodClass, outcome, size } from "./formats.js";
import { plain } from "./messages.js";
import { replayLinks } from "./resend-links.js";
import { failureNotice, reasons } from "./states.js";
import { TlMessages } from "./tl-messages.js";

/** @typedef {import("./types").Detail} Detail */

/**
 * @type {{id: string, name: string, has: (detail: Detail) => boolean,
 *     show: (detail: Detail) => Node}[]}
 */
export const TABS = [
    {
        id: "response",
        name: "Response",
        has: () => true,
        show: (detail) => messageView(detail, "response"),
    },
    {
        id: "request",
        name: "Request",
        has: () => true,
        show: (detail) => messageView(detail, "request"),
    },
    {
        id: "both",
        name: "Both",
        has: () => true,
        show: (detail) =>
            h(
                "div",
                { class: "both" },
                h(
                    "section",
                    { "aria-label": "Request" },
                    h("h3", {}, "Request"),
                    messageView(detail, "request"),
                ),
                h(
                    "section",
                    { "aria-label": "Response" },
                    h("h3", {}, "Response"),
                    messageView(detail, "response"),
                ),
            ),
    },
    { id: "timing", name: "Timing", has: () => true, show: timingView },
    {
        id: "messages",
        name: "Messages",
        has: (detail) => Boolean(detail.messages ?? /** @type {any} */ (detail.record.messages)),
        show: (detail) => {
            const list = new TlMessages();
            list.set(detail.row.id);
            return list;
        },
    },
    { id: "related", name: "Related", has: () => true, show: relatedView },
    {
        id: "changes",
        name: "Changes",
        has: (detail) => Boolean(detail.record.original),
        show: changesView,
    },
];

export class TlDetail extends HTMLElement {
    /** @type {Detail | null} */
    detail = null;
    #id = "";
    /** @type {AbortController | null} */
    #call = null;
    #head = h("header", {});
    #tabs = h("div", { role: "tablist", "aria-label": "Parts of the exchange" });
    #panel = h("div", { role: "tabpanel", tabindex: 0, id: "panel" });
    #grip = h("div", {
        class: "grip",
        role: "separator",
        tabindex: 0,
        "aria-label": "Size of the detail",
        "aria-orientation": "vertical",
        "aria-valuemin": 280,
        "aria-valuemax": 1600,
    });
    #soon = debounce(40, () => this.load());

    connectedCallback() {
        this.setAttribute("role", "region");
        this.setAttribute("aria-label", "Exchange");
        this.append(this.#grip, this.#head, this.#tabs, this.#panel);
        this.#resizable();
        this.#tabs.addEventListener("keydown", (event) => this.#tabKey(event));
        app.on("state", (changed) => {
            if (changed.has("id") || changed.has("screen")) this.follow();
            else if (changed.has("tab")) this.#draw();
        });
        app.on("reload", () => this.load());
        app.on("times", () => this.#draw());
        app.on("head", (head) => {
            if (head.changed?.includes(this.#id)) this.load();
        });
        this.follow();
    }

    follow() {
        const { id, screen } = app.state;
        const open = Boolean(id) && screen === "list";
        this.hidden = !open;
        if (open && id !== this.#id) this.#soon();
        if (!open) {
            this.#id = "";
            this.detail = null;
            this.#panel.textContent = "";
        }
    }

    async load() {
        const { id } = app.state;
        if (!id || this.hidden) return;
        this.#call?.abort();
        const call = this.#call = new AbortController();
        try {
            const detail =
                /** @type {Detail} */ (await api.get(api.exchangePath(id), {}, call.signal));
            const same = this.#id === id;
            this.#id = id;
            this.detail = detail;
            this.#draw(same);
        } catch (error) {
            if (api.isAbort(error)) return;
            this.#id = id;
            this.detail = null;
            replace(
                this.#head,
                h("div", { class: "acts" }, h("span", { class: "gap" }), this.#close()),
            );
            replace(this.#tabs);
            replace(
                this.#panel,
                error instanceof api.Failure && error.status === 404
                    ? h("p", { class: "note" }, "This exchange is not in the store any more.")
                    : failureNotice(error),
            );
        }
    }

    #close() {
        return button("Close", () => app.go({ id: "" }), { title: "close the detail (Esc)" });
    }

    /** @param {boolean} keep the place that is scrolled to */
    #draw(keep = false) {
        const detail = this.detail;
        if (!detail) return;
        const top = this.#panel.scrollTop;
        this.#drawHead(detail);
        const tabs = TABS.filter((tab) => tab.has(detail));
        const chosen = tabs.find((tab) => tab.id === app.state.tab) ?? tabs[0];
        refresh(
            this.#tabs,
            tabs.map((tab) =>
                button(tab.name, () => app.go({ tab: tab.id }, true), {
                    role: "tab",
                    id: `tab-${tab.id}`,
                    "aria-controls": "panel",
                    "aria-selected": String(tab === chosen),
                    tabindex: tab === chosen ? 0 : -1,
                    title: `${tab.name} (${TABS.indexOf(tab) + 1})`,
                })
            ),
        );
        this.#panel.setAttribute("aria-labelledby", `tab-${chosen?.id}`);
        replace(this.#panel, chosen?.show(detail));
        this.#panel.scrollTop = keep ? top : 0;
    }

    /** @param {Detail} detail */
    #drawHead(detail) {
        const { row, record } = detail;
        const url = plain(record.request.url) ||
            `${row.scheme ?? ""}://${row.host ?? ""}${row.path ?? ""}`;
        const reason = record.response?.reason ?? "";
        const down = row.down ?? record.response?.body?.size;
        const fact = (/** @type {string} */ text, /** @type {string} */ title) =>
            text !== "-" && h("span", { title }, text);
        const command = (
            /** @type {string} */ name,
            /** @type {string} */ id,
            /** @type {string} */ key,
            why = "",
        ) =>
            button(name, () => app.emit("command", id), {
                title: why || `${name} (${key})`,
                "aria-disabled": why ? "true" : null,
            });
        refresh(
            this.#head,
            h(
                "h2",
                {},
                h("span", { class: `method ${methodClass(row.method)}` }, row.method),
                " ",
                h("span", { class: "url" }, url),
            ),
            h(
                "p",
                { class: "facts" },
                h("b", { class: outcome(row) }, `${statusWord(row)} ${reason}`.trim()),
                fact(duration(row.us), "duration"),
                fact(size(down), "size of the response's body"),
                fact(clock(row.at, app.utc, 3), "start"),
                record.error &&
                    h("span", { class: "failed" }, record.error.message || record.error.code),
                row.masked &&
                    h(
                        "span",
                        { class: "masked" },
                        h("small", { title: "values were masked when it was recorded" }, "masked"),
                    ),
                markWord(row) && h("span", { class: `mark-${row.mark}` }, markWord(row)),
            ),
            replayLinks(detail),
            h(
                "div",
                { class: "acts" },
                command("‹", "previous", "["),
                command("›", "next", "]"),
                command("Copy", "copy", "c"),
                app.info?.can.annotate && command("Mark", "mark", "m"),
                app.info?.can.annotate && command("Note", "note", "n"),
                command("Compare", "compare", "d"),
                command("Resend", "resend", "r", reasons.resend()),
                command("Edit", "edit-resend", "R", reasons.resend()),
                command("Rule", "make-rule", "a", reasons.rules()),
                h("span", { class: "gap" }),
                this.#close(),
            ),
        );
        this.#head.querySelector(".acts button")?.setAttribute(
            "aria-label",
            "Previous of this route",
        );
        this.#head.querySelector(".acts button:nth-child(2)")?.setAttribute(
            "aria-label",
            "Next of this route",
        );
    }

    /** @param {KeyboardEvent} event */
    #tabKey(event) {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        event.stopPropagation();
        const all = /** @type {HTMLElement[]} */ ([...this.#tabs.children]);
        const at = all.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
        const next = all[(at + step + all.length) % all.length];
        next?.click();
        /** @type {HTMLElement | null} */ (this.#tabs.querySelector("[aria-selected=true]"))
            ?.focus();
    }

    /**
     * Shows the tab with this number, if this exchange has it.
     * @param {number} number
     */
    showTab(number) {
        const tab = TABS[number - 1];
        if (tab && (!this.detail || tab.has(this.detail))) app.go({ tab: tab.id }, true);
    }

    focusPanel() {
        this.#panel.focus();
    }

    #resizable() {
        const isBelow = () => app.below && innerWidth > 720;
        const name = () => isBelow() ? "tapline.below" : "tapline.detail";
        const set = (/** @type {number} */ size, keep = true) => {
            const below = isBelow();
            const most = below ? Math.max(200, innerHeight - 260) : Math.max(320, innerWidth - 420);
            const next = Math.round(Math.max(below ? 160 : 280, Math.min(most, size)));
            document.documentElement.style.setProperty("--detail", `${next}px`);
            document.getElementById("main")?.setAttribute("data-side", below ? "below" : "beside");
            this.#grip.setAttribute("aria-orientation", below ? "horizontal" : "vertical");
            this.#grip.setAttribute("aria-valuenow", String(next));
            if (keep) localStorage.setItem(name(), String(next));
        };
        const chosen = () =>
            set(
                Number(localStorage.getItem(name())) ||
                    (isBelow() ? innerHeight * 0.45 : Math.min(620, innerWidth * 0.41)),
                false,
            );
        chosen();
        addEventListener("resize", chosen);
        app.on("side", chosen);
        this.#grip.addEventListener("pointerdown", (event) => {
            event.preventDefault();
            this.#grip.setPointerCapture(event.pointerId);
            const move = (/** @type {PointerEvent} */ now) =>
                set(isBelow() ? innerHeight - 28 - now.clientY : innerWidth - now.clientX);
            this.#grip.addEventListener("pointermove", move);
            this.#grip.addEventListener(
                "pointerup",
                () => this.#grip.removeEventListener("pointermove", move),
                { once: true },
            );
        });
        this.#grip.addEventListener("keydown", (event) => {
            const step = { ArrowLeft: 24, ArrowRight: -24, ArrowUp: 24, ArrowDown: -24 }[event.key];
            if (!step) return;
            event.preventDefault();
            event.stopPropagation();
            set((isBelow() ? this.offsetHeight : this.offsetWidth) + step);
        });
    }
}

customElements.define("tl-detail", TlDetail);
