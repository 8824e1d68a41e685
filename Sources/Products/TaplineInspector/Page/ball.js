// SPDX-License-Identifier: MIT
// @ts-check
// A ball on a page under development: how many exchanges there are, how many failed, and the newest
// of them in a small panel. It asks for little, waits for nothing, and keeps its errors to itself.

/** @typedef {import("./types").Row} Row */
/** @typedef {{row: Row, message?: string}} Detail */
/**
 * Whether the ball may show `all` depends on an option.
 * @typedef {{count: number, errors: number, more: boolean, all: boolean, rows: Row[]}} Newest
 */

const here = new URL(import.meta.url);
const POLL = 2000;
const AWAY = 10_000;
const PLACE = "tapline.ball";
const SIZE = 44;

const STYLE = `
:host { all: initial; position: fixed; z-index: 2147483647; width: 44px; height: 44px;
  font: 13px/20px system-ui, sans-serif; color-scheme: light dark;
  --paper: light-dark(#fff, #16181b); --line: light-dark(#e3e5e8, #2e3238);
    --text: light-dark(#1b1e22, #e6e8eb);
  --soft: light-dark(#59616b, #a3abb5); --accent: light-dark(#1f5fbf, #7db2ff);
    --bad: light-dark(#b3261e, #ff8a80); }
* { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0;
    cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.ball { width: 44px; height: 44px; border-radius: 22px; border: 1px solid var(--line);
    background: var(--paper);
  color: var(--text); font-weight: 600; touch-action: none; user-select: none;
    font-variant-numeric: tabular-nums; }
.ball.away { color: var(--soft); border-style: dashed; }
.errors { position: absolute; top: -4px; right: -4px; min-width: 20px; padding: 0 5px;
    border-radius: 10px;
  background: var(--bad); color: var(--paper); font: 600 11px/20px system-ui, sans-serif;
    text-align: center; pointer-events: none; }
.panel { position: absolute; width: min(380px, calc(100vw - 16px));
    max-height: min(420px, calc(100vh - 16px)); display: flex;
  flex-direction: column; background: var(--paper); color: var(--text);
    border: 1px solid var(--line); border-radius: 6px; overflow: hidden; }
.body { display: contents; }
[hidden] { display: none !important; }
header { display: flex; gap: 12px; align-items: center; padding: 8px 12px;
    border-bottom: 1px solid var(--line); }
header b { flex: 1; }
header button, dt button, a { color: var(--accent); }
header button[aria-pressed=true] { font-weight: 600; text-decoration: underline; }
.list { overflow: auto; margin: 0; padding: 0; list-style: none; }
.list button { display: grid; grid-template-columns: 52px 36px 1fr auto; gap: 8px; width: 100%;
    padding: 4px 12px; text-align: left; }
.list button:hover { background: light-dark(#f6f7f8, #1e2125); }
.path { overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font: 12px/20px ui-monospace, monospace; }
.bad { color: var(--bad); font-weight: 600; }
.soft, dt { color: var(--soft); }
p { margin: 0; padding: 12px; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 12px; margin: 0; padding: 12px;
    overflow: auto; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (prefers-reduced-motion: no-preference) { .ball { transition: border-color .15s; } }
`;

/**
 * @param {string} tag @param {Record<string, any>} [values] @param {(Node | string)[]} children
 */
function h(tag, values = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(values)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else if (value !== null && value !== false) element.setAttribute(name, String(value));
    }
    element.append(...children);
    return element;
}

/** @param {Row} row */
const failed = (row) =>
    (row.status ?? 0) >= 400 || row.state !== undefined && row.state !== "completed";
/** @param {number | undefined} us */
const time = (us) =>
    us === undefined ? "" : us < 1e6 ? `${Math.round(us / 1000)} ms` : `${(us / 1e6).toFixed(1)} s`;
/** @param {number} value @param {number} most */
const within = (value, most) => Math.max(4, Math.min(value, most - SIZE - 4));

class TaplineBall extends HTMLElement {
    /** @type {Newest} */
    #newest = { count: 0, errors: 0, more: false, all: false, rows: [] };
    #away = "";
    #whole = false;
    #timer = 0;
    #busy = false;
    #x = 0;
    #y = 0;
    #moved = false;
    #ball = h("button", { class: "ball", type: "button", "aria-expanded": "false" });
    #errors = h("span", { class: "errors", "aria-hidden": "true", hidden: "" });
    #body = h("div", { class: "body" });
    #pages = h(
        "button",
        { type: "button", "aria-pressed": "true", hidden: "", onclick: () => this.#choose() },
        "This page",
    );
    #panel = h(
        "section",
        { class: "panel", "aria-label": "Tapline", hidden: "" },
        h(
            "header",
            {},
            h("b", {}, "Tapline"),
            this.#pages,
            h("button", { type: "button", onclick: () => this.#toggle(false) }, "Close"),
        ),
        this.#body,
    );

    constructor() {
        super();
        const root = this.attachShadow({ mode: "closed" });
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(STYLE);
        root.adoptedStyleSheets = [sheet];
        root.append(this.#ball, this.#errors, this.#panel);
        this.#listen();
    }

    connectedCallback() {
        /** @type {{x?: number, y?: number}} */
        let place = {};
        try {
            place = JSON.parse(localStorage.getItem(PLACE) ?? "{}");
        } catch { /* The page may not store anything. */ }
        this.#move(place.x ?? innerWidth, place.y ?? innerHeight);
        this.#draw();
        this.#soon(0);
    }

    disconnectedCallback() {
        clearTimeout(this.#timer);
    }

    #listen() {
        const ball = this.#ball;
        /** @type {{x: number, y: number} | null} */
        let start = null;
        ball.addEventListener("pointerdown", (event) => {
            ball.setPointerCapture(event.pointerId);
            start = { x: event.clientX - this.#x, y: event.clientY - this.#y };
            this.#moved = false;
        });
        ball.addEventListener("pointermove", (event) => {
            if (!start) return;
            const [x, y] = [event.clientX - start.x, event.clientY - start.y];
            if (!this.#moved && Math.hypot(x - this.#x, y - this.#y) < 4) return;
            this.#moved = true;
            this.#move(x, y);
        }, { passive: true });
        for (const name of ["pointerup", "pointercancel"]) {
            ball.addEventListener(name, () => {
                start = null;
                if (this.#moved) this.#keep();
            }, { passive: true });
        }
        ball.addEventListener("click", () => {
            if (!this.#moved) this.#toggle();
            this.#moved = false;
        });
        ball.addEventListener("keydown", (event) => {
            const step = event.shiftKey ? 50 : 10;
            const moves = /** @type {Record<string, [number, number]>} */ ({
                ArrowLeft: [-step, 0],
                ArrowRight: [step, 0],
                ArrowUp: [0, -step],
                ArrowDown: [0, step],
            });
            const move = moves[event.key];
            if (!move) return;
            event.preventDefault();
            this.#move(this.#x + move[0], this.#y + move[1]);
            this.#keep();
        });
        this.#panel.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.stopPropagation();
            this.#toggle(false);
        });
        addEventListener("resize", () => this.#move(this.#x, this.#y), { passive: true });
        document.addEventListener("visibilitychange", () => {
            if (!document.hidden) this.#soon(0);
        }, { passive: true });
    }

    /** @param {number} x @param {number} y */
    #move(x, y) {
        this.#x = within(x, innerWidth);
        this.#y = within(y, innerHeight);
        this.style.left = `${this.#x}px`;
        this.style.top = `${this.#y}px`;
        const panel = this.#panel.style;
        // The panel opens to where there is room.
        const [right, low] = [this.#x > innerWidth / 2, this.#y > innerHeight / 2];
        panel.left = right ? "auto" : "0";
        panel.right = right ? "0" : "auto";
        panel.top = low ? "auto" : `${SIZE + 4}px`;
        panel.bottom = low ? `${SIZE + 4}px` : "auto";
    }

    #keep() {
        try {
            localStorage.setItem(PLACE, JSON.stringify({ x: this.#x, y: this.#y }));
        } catch { /* The page may not store anything. */ }
    }

    #toggle(open = this.#panel.hidden) {
        this.#panel.hidden = !open;
        this.#ball.setAttribute("aria-expanded", String(open));
        if (open) this.#list();
        this.#ball.focus();
    }

    #choose() {
        this.#whole = !this.#whole;
        this.#pages.setAttribute("aria-pressed", String(!this.#whole));
        this.#soon(0);
    }

    /** @param {string} path @param {Record<string, string>} [values] */
    async #get(path, values = {}) {
        const token = here.searchParams.get("token") ?? "";
        const query = new URLSearchParams({ ...values, token });
        const answer = await fetch(`${here.origin}/api/ball/${path}?${query}`, {
            credentials: "omit",
            cache: "no-store",
            referrerPolicy: "no-referrer",
        });
        if (!answer.ok) throw new Error(`status ${answer.status}`);
        return answer.json();
    }

    /** @param {number} delay */
    #soon(delay) {
        clearTimeout(this.#timer);
        const idle = window.requestIdleCallback ??
            ((/** @type {() => void} */ work) => setTimeout(work));
        this.#timer = setTimeout(() => idle(() => this.#ask(), { timeout: 500 }), delay);
    }

    async #ask() {
        if (this.#busy || document.hidden || !this.isConnected) return;
        this.#busy = true;
        try {
            this.#newest = await this.#get("rows", { scope: this.#whole ? "all" : "page" });
            this.#away = "";
        } catch {
            this.#away = "Tapline does not answer. It was stopped, or started again with another " +
                `token, or the policy of this page does not allow connections to ${here.origin}.`;
        }
        this.#busy = false;
        this.#draw();
        this.#soon(this.#away ? AWAY : POLL);
    }

    #draw() {
        const { count, errors, more, all } = this.#newest;
        this.#pages.hidden = !all;
        const shown = count > 999 ? "999+" : `${count}${more ? "+" : ""}`;
        this.#ball.textContent = this.#away ? "–" : shown;
        this.#ball.classList.toggle("away", Boolean(this.#away));
        const text = this.#away || `Tapline: ${count} exchanges, ${errors} failed`;
        this.#ball.setAttribute("aria-label", text);
        this.#ball.title = text;
        this.#errors.textContent = errors > 99 ? "99+" : String(errors);
        this.#errors.hidden = !errors || Boolean(this.#away);
        if (!this.#panel.hidden && !this.#body.querySelector("dl")) this.#list();
    }

    #list() {
        const { rows } = this.#newest;
        if (this.#away || !rows.length) {
            const text = this.#away ||
                (this.#whole ? "No exchanges yet." : "No exchanges of this page yet.");
            this.#body.replaceChildren(h("p", { class: "soft" }, text));
            return;
        }
        const old = this.#body.querySelector("ul");
        const items = rows.map((row) => {
            const status = String(row.status ?? row.error ?? row.state ?? "");
            const path = `${row.host ?? ""}${row.path ?? ""}`;
            return h(
                "li",
                {},
                h(
                    "button",
                    {
                        type: "button",
                        "data-id": row.id,
                        title: path,
                        onclick: () => this.#open(row),
                    },
                    h("span", {}, row.method),
                    h("span", { class: failed(row) ? "bad" : "" }, status),
                    h("span", { class: "path" }, path),
                    h("span", { class: "soft" }, time(row.us)),
                ),
            );
        });
        if (!old) {
            this.#body.replaceChildren(h("ul", { class: "list" }, ...items));
            return;
        }
        // What has the focus keeps it.
        const id = old.querySelector(":focus")?.getAttribute("data-id");
        old.replaceChildren(...items);
        if (id) [...old.querySelectorAll("button")].find((one) => one.dataset.id === id)?.focus();
    }

    /** @param {Row} row */
    async #open(row) {
        /** @type {Detail} */
        let detail = { row };
        try {
            detail = await this.#get(`exchanges/${encodeURIComponent(row.id)}`);
        } catch { /* The row says the most. */ }
        const pairs = [
            ["URL", `${row.scheme}://${row.host}${row.path}`],
            ["Method", row.method],
            ["Status", String(row.status ?? row.state ?? "")],
            ["Error", [row.error, detail.message].filter(Boolean).join(": ")],
            ["Type", row.type ?? ""],
            ["Duration", time(row.us)],
            ["Size", row.down === undefined ? "" : `${row.down} bytes`],
            ["Started", new Date(row.at / 1000).toLocaleTimeString()],
        ].filter(([, value]) => value);
        const back = h("button", { type: "button", onclick: () => this.#back() }, "Back");
        const link = h("a", {
            href: `${here.origin}/#/list?id=${encodeURIComponent(row.id)}`,
            target: "_blank",
            rel: "noopener noreferrer",
        }, "Open in Tapline");
        this.#body.replaceChildren(h(
            "dl",
            {},
            ...pairs.flatMap(([name = "", value = ""]) => [h("dt", {}, name), h("dd", {}, value)]),
            h("dt", {}, back),
            h("dd", {}, link),
        ));
        back.focus();
    }

    #back() {
        this.#body.replaceChildren();
        this.#list();
        this.#ball.focus();
    }
}

try {
    if (!customElements.get("tapline-ball")) {
        customElements.define("tapline-ball", TaplineBall);
        const show = () => document.body.append(document.createElement("tapline-ball"));
        if (document.body) show();
        else addEventListener("DOMContentLoaded", show, { once: true });
    }
} catch { /* The page goes on without the ball. */ }
