// SPDX-License-Identifier: MIT
// @ts-check
// Requests and errors over time. Dragging chooses a time range.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, debounce, h, replace, sideways } from "./dom.js";
import { clock, count, counted, day, perSecond, size } from "./formats.js";
import { nothingCounted } from "./states.js";

/** @typedef {import("./types").Timeline} Timeline */

const REFRESH = 2000;

/**
 * The colours of the theme, which a canvas cannot take from the style sheet by itself.
 * @param {Element} element
 */
function colours(element) {
    const style = getComputedStyle(element);
    const value = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    return {
        normal: value("--bar"),
        bad: value("--s5"),
        line: value("--line"),
        chosen: value("--selection"),
    };
}

export class TlTimeline extends HTMLElement {
    /** @type {Timeline | null} */
    data = null;
    /** @type {AbortController | null} */
    #call = null;
    #later = 0;
    #loaded = -1;
    /** @type {[number, number] | null} */
    #drag = null;
    #canvas = h("canvas", { role: "img", "aria-label": "Exchanges over time" });
    #label = h("div", { class: "range", "aria-hidden": "true" });
    #reset = button("Whole time", () => app.go({ from: null, to: null }), {
        class: "reset",
        hidden: true,
    });
    #soon = debounce(60, () => this.load());

    connectedCallback() {
        this.append(this.#canvas, this.#label, this.#reset);
        new ResizeObserver(() => this.#soon()).observe(this);
        matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
        app.on("state", (changed) => {
            // What counts for the former filter slows the list of the next one down.
            if (["filter", "from", "to"].some((name) => changed.has(name))) this.#call?.abort();
            if (["filter", "from", "to", "screen"].some((name) => changed.has(name))) this.#soon();
        });
        app.on("info", () => this.#soon());
        app.on("times", () => this.#draw());
        app.on("replaced", () => {
            this.#call?.abort();
            this.data = null;
            this.#canvas.width = 0;
            replace(this.#label);
        });
        app.on("head", (head) => {
            if (head.head !== this.#loaded && !app.stopped) {
                this.#later ||= setTimeout(() => {
                    this.#later = 0;
                    this.load();
                }, REFRESH);
            }
        });
        this.#pointer();
    }

    async load() {
        if (document.hidden || !this.offsetWidth || !app.info?.count) return;
        this.#call?.abort();
        const call = this.#call = new AbortController();
        this.#loaded = app.head.head;
        // Other screens have no list that is waited for.
        if (app.state.screen === "list") await app.settled(call.signal);
        if (call !== this.#call) return;
        const buckets = Math.max(20, Math.min(400, Math.floor(this.clientWidth / 4)));
        try {
            this.data = /** @type {Timeline} */ (await api.get("timeline", {
                filter: app.filter,
                buckets,
                from: app.state.from,
                to: app.state.to,
            }, call.signal));
            this.#draw();
            this.dispatchEvent(new Event("loaded"));
            if (this.data?.complete === false && call === this.#call) {
                setTimeout(() => this.load(), 500);
            }
        } catch { /* The list says what is wrong. */ }
    }

    /** @param {number} x */
    #timeAt(x) {
        const data = this.data;
        const width = this.#canvas.clientWidth;
        if (!data || !width) return 0;
        return Math.round(
            data.from + Math.max(0, Math.min(1, x / width)) * data.step * data.buckets.length,
        );
    }

    #draw() {
        const data = this.data;
        const width = this.#canvas.clientWidth;
        const height = this.#canvas.clientHeight;
        if (!data || !width) return;
        const scale = devicePixelRatio || 1;
        this.#canvas.width = width * scale;
        this.#canvas.height = height * scale;
        const context = this.#canvas.getContext("2d");
        if (!context) return;
        context.scale(scale, scale);
        const { normal, bad, line, chosen } = colours(this);
        const most = Math.max(1, ...data.buckets.map(([hits]) => hits));
        const step = width / data.buckets.length;
        const room = height - 20;
        if (this.#drag) {
            context.fillStyle = chosen;
            const [a, b] = this.#drag;
            context.fillRect(Math.min(a, b), 0, Math.abs(b - a), height);
        }
        context.fillStyle = line;
        context.fillRect(0, height - 1, width, 1);
        data.buckets.forEach(([hits, errors], at) => {
            if (!hits) return;
            // The root keeps few errors among many exchanges visible.
            const high = Math.max(2, Math.sqrt(hits / most) * room);
            const low = errors ? Math.max(2, Math.sqrt(errors / most) * room) : 0;
            const gap = step > 3 ? 1 : 0;
            context.fillStyle = normal;
            context.fillRect(at * step, height - 1 - high, Math.max(1, step - gap), high);
            context.fillStyle = bad;
            context.fillRect(at * step, height - 1 - low, Math.max(1, step - gap), low);
        });
        this.#describe(data);
    }

    /** @param {Timeline} data */
    #describe(data) {
        const all = data.buckets.reduce((sum, [hits]) => sum + hits, 0);
        const errors = data.buckets.reduce((sum, [, bad]) => sum + bad, 0);
        const end = data.from + data.step * data.buckets.length;
        const first = day(data.from, app.utc);
        const text = all
            ? `${first} ${clock(data.from, app.utc)} – ${
                day(end, app.utc) === first ? "" : day(end, app.utc) + " "
            }${clock(end, app.utc)}`
            : "";
        replace(
            this.#label,
            text,
            errors ? h("span", { class: "failed" }, ` ${counted(errors, "error")}`) : null,
        );
        this.#canvas.setAttribute(
            "aria-label",
            `Exchanges over time: ${count(all)}, ${counted(errors, "error")}, ${text}`,
        );
        this.#reset.hidden = app.state.from === null && app.state.to === null;
    }

    #pointer() {
        const canvas = this.#canvas;
        canvas.addEventListener("pointerdown", (event) => {
            if (event.button !== 0) return;
            canvas.setPointerCapture(event.pointerId);
            this.#drag = [event.offsetX, event.offsetX];
        });
        canvas.addEventListener("pointermove", (event) => {
            if (this.#drag) {
                this.#drag[1] = event.offsetX;
                this.#draw();
            } else this.#hover(event.offsetX);
        });
        canvas.addEventListener("pointerup", () => {
            const drag = this.#drag;
            this.#drag = null;
            if (!drag || Math.abs(drag[1] - drag[0]) < 4) {
                this.#draw();
                return;
            }
            app.go({
                from: this.#timeAt(Math.min(...drag)),
                to: this.#timeAt(Math.max(...drag)) + 1,
            });
        });
        canvas.addEventListener("pointercancel", () => {
            this.#drag = null;
            this.#draw();
        });
    }

    /** @param {number} x */
    #hover(x) {
        const data = this.data;
        if (!data) return;
        const at = Math.min(
            data.buckets.length - 1,
            Math.floor(x / this.#canvas.clientWidth * data.buckets.length),
        );
        const [hits, errors, bytes] = data.buckets[at] ?? [0, 0, 0];
        this.#canvas.title = `${clock(data.from + at * data.step, app.utc, 3)}\n${
            counted(hits, "exchange")
        }, ${counted(errors, "error")}, ${size(bytes)}`;
    }
}

customElements.define("tl-timeline", TlTimeline);

/** The screen of the timeline: the same, larger, and as a table. */
export function timelineScreen() {
    const large = new TlTimeline();
    large.classList.add("large");
    const none = () => h("tr", {}, h("td", { colspan: 5, class: "soft" }, nothingCounted()));
    const table = h("tbody", {}, app.info?.count === 0 ? none() : null);
    large.addEventListener("loaded", () => {
        const data = large.data;
        if (!data) return;
        const size20 = Math.ceil(data.buckets.length / 24);
        const rows = [];
        for (let at = 0; at < data.buckets.length; at += size20) {
            const part = data.buckets.slice(at, at + size20);
            const from = data.from + at * data.step;
            const to = from + part.length * data.step;
            const [hits, errors, bytes] = part.reduce(
                ([a, b, c], [x, y, z]) => [a + x, b + y, c + z],
                [0, 0, 0],
            );
            if (!hits) continue;
            rows.push(
                h(
                    "tr",
                    {},
                    h(
                        "th",
                        { scope: "row" },
                        button(
                            `${day(from, app.utc)} ${
                                clock(from, app.utc, data.step < 1e6 ? 3 : 0)
                            }`,
                            () => app.go({ from, to, screen: "list" }),
                            { title: "show these in the list" },
                        ),
                    ),
                    h("td", { class: "right" }, count(hits)),
                    h("td", { class: errors ? "right failed" : "right soft" }, count(errors)),
                    h("td", { class: "right" }, size(bytes)),
                    h("td", { class: "right" }, perSecond(hits, (to - from) / 1e6)),
                ),
            );
        }
        replace(
            table,
            rows.length ? rows : none(),
        );
    });
    return h(
        "div",
        { class: "page" },
        h("h2", {}, "Timeline"),
        h(
            "p",
            { class: "soft" },
            "Drag to choose a time range. Heights grow with the root of the number.",
        ),
        large,
        sideways(
            "Times",
            h(
                "table",
                { class: "sums" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["From", "Exchanges", "Errors", "Bytes received", "A second"].map((
                            head,
                            at,
                        ) => h("th", { scope: "col", class: at ? "right" : null }, head)),
                    ),
                ),
                table,
            ),
        ),
    );
}
