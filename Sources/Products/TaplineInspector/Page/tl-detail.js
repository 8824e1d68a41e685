// SPDX-License-Identifier: MIT
// @ts-check
// The pane beside the list: one exchange, in tabs.

import * as api from "./api.js";
import { app } from "./app.js";
import { announce, button, debounce, h, refresh, replace } from "./dom.js";
import { failureNotice } from "./states.js";
import { isUnknown } from "./stored.js";

/** @typedef {import("./types").Detail} Detail */

/**
 * What tabs show is loaded after the list is there.
 * @type {typeof import("./detail-tabs.js") | null}
 */
let parts = null;

export class TlDetail extends HTMLElement {
    /** @type {Detail | null} */
    detail = null;
    #id = "";
    /** Whether the store has no such exchange, or not yet. */
    #isUnknown = false;
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
            if (this.#isUnknown || head.changed?.includes(this.#id)) this.load();
        });
        app.on("replaced", () => {
            this.detail = null;
            this.#id = "";
            for (const place of [this.#head, this.#tabs, this.#panel]) replace(place);
            this.load();
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
            this.#isUnknown = false;
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
            const [answer] = await Promise.all([
                api.get(api.exchangePath(id), {}, call.signal),
                this.prepare(),
            ]);
            const detail = /** @type {Detail} */ (answer);
            const same = this.#id === id;
            this.#id = id;
            this.#isUnknown = false;
            this.detail = detail;
            this.#draw(same);
        } catch (error) {
            // What is shown stays while the server or the store is away.
            const away = api.isPassing(error) || api.isRefused(error);
            if (api.isAbort(error) || (away && this.detail && this.#id === id)) return;
            this.#id = id;
            this.#isUnknown = isUnknown(error);
            this.detail = null;
            replace(
                this.#head,
                h("div", { class: "acts" }, h("span", { class: "gap" }), this.#close()),
            );
            replace(this.#tabs);
            replace(
                this.#panel,
                this.#isUnknown
                    ? h(
                        "p",
                        { class: "note" },
                        "The store does not have this exchange: it was removed, or is not written yet.",
                    )
                    : failureNotice(error),
            );
        }
    }

    /** Loads what the tabs need. */
    async prepare() {
        parts ??= await import("./detail-tabs.js");
    }

    #close() {
        return button("Close", () => app.go({ id: "" }), { title: "close the detail (Esc)" });
    }

    /** @param {boolean} keep the place that is scrolled to */
    #draw(keep = false) {
        const detail = this.detail;
        if (!detail || !parts) return;
        const { TABS, drawHead } = parts;
        const top = this.#panel.scrollTop;
        drawHead(this.#head, detail, this.#close());
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
        this.#tabs.querySelector("[aria-selected=true]")?.scrollIntoView({
            block: "nearest",
            inline: "nearest",
        });
        this.#panel.setAttribute("aria-labelledby", `tab-${chosen?.id}`);
        if (keep && chosen?.update?.(this.#panel.firstChild, detail)) return;
        replace(this.#panel, chosen?.show(detail));
        this.#panel.scrollTop = keep ? top : 0;
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
        const tab = parts?.TABS[number - 1];
        if (!tab) return;
        if (this.detail && !tab.has(this.detail)) {
            announce(`this exchange has no ${tab.name.toLowerCase()}`);
        } else app.go({ tab: tab.id }, true);
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
