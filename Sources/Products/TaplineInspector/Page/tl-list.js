// SPDX-License-Identifier: MIT
// @ts-check
// The list: a grid of pooled rows over a mapped scroll bar.

import { app } from "./app.js";
import { chosen, fitting, template } from "./columns.js";
import { debounce, h } from "./dom.js";
import { heads } from "./list-head.js";
import { RowPool } from "./list-rows.js";
import { ScrollMap } from "./scroll-map.js";

/**
 * @typedef {import("./types").Row} Row
 * @typedef {import("./list-source.js").ListSource} ListSource
 */

const NARROW = 480;

/** Dispatches `open` with a row, `current` with an index, and `menu` with a place. */
export class TlList extends HTMLElement {
    /** The row that the keys act on. */
    current = -1;
    #anchor = -1;
    #map = new ScrollMap();
    #rows = new RowPool();
    #frame = 0;
    /** The height of the head, which narrow lists do not have. */
    #head = 28;
    /** @type {ListSource | null} */
    #source = null;
    #headRow = h("div", { role: "row", class: "row heads", "aria-rowindex": 1 });
    #layer = h("div", { class: "layer", role: "presentation" }, this.#headRow);
    #tall = h("div", { class: "tall", role: "presentation" });
    grid = h(
        "div",
        {
            class: "grid",
            role: "grid",
            tabindex: 0,
            "aria-label": "Exchanges",
            id: "grid",
            "aria-multiselectable": "true",
        },
        this.#layer,
        this.#tall,
    );
    #scrolling = false;
    #settle = debounce(120, () => {
        this.#scrolling = false;
        if (this.#map.isScaled) this.#place();
        this.draw();
    });

    connectedCallback() {
        this.append(this.grid);
        this.grid.addEventListener("scroll", () => {
            this.#map.scrolled(this.grid.scrollTop);
            if (this.#map.isStuck) this.#place();
            this.#scrolling = true;
            this.#settle();
            this.draw();
            this.dispatchEvent(new Event("moved"));
        }, { passive: true });
        this.#layer.addEventListener("click", (event) => this.#clicked(event));
        this.#layer.addEventListener("contextmenu", (event) => {
            const view = this.#rows.of(event.target);
            if (!view) return;
            event.preventDefault();
            if (!this.isSelected(view.index)) this.select(view.index);
            this.dispatchEvent(
                new CustomEvent("menu", { detail: { x: event.clientX, y: event.clientY } }),
            );
        });
        this.#layer.addEventListener("pointerover", (event) => this.#rows.describe(event.target));
        new ResizeObserver(() => this.layout()).observe(this.grid);
    }

    set source(/** @type {ListSource} */ source) {
        this.#source = source;
        source.addEventListener("change", () => this.refresh());
    }

    /** Rows, counts or columns have changed. */
    refresh() {
        const total = this.#source?.total ?? 0;
        if (total !== this.#map.total) {
            this.#map.total = total;
            this.#map.clamp();
            this.#tall.style.height = `${this.#map.height + this.#head}px`;
            this.grid.setAttribute("aria-rowcount", String(total + 1));
            this.#place();
        }
        if (this.current >= total) this.current = total - 1;
        this.draw();
    }

    /** Measures, and chooses the columns for which there is room. */
    layout() {
        const width = this.grid.clientWidth;
        if (!width) return;
        const narrow = width < NARROW;
        this.classList.toggle("narrow", narrow);
        this.#head = narrow ? 0 : 28;
        const top = this.#map.top / this.#map.rowHeight;
        const isVisible = this.#map.isVisible(this.current);
        this.#map.rowHeight = narrow ? 48 : 28;
        this.#map.view = Math.max(0, this.grid.clientHeight - this.#head);
        this.#map.top = top * this.#map.rowHeight;
        // The layer stays in view while the bar moves, and takes no room of its own.
        this.#layer.style.height = `${this.grid.clientHeight}px`;
        this.#layer.style.marginBottom = `-${this.grid.clientHeight}px`;
        const all = chosen(app.state.columns);
        const columns = narrow
            ? all.filter((c) => !["waterfall", "tags"].includes(c.id))
            : fitting(all, width);
        this.grid.style.setProperty("--columns", template(columns, width));
        this.grid.setAttribute("aria-colcount", String(columns.length));
        heads(this.#headRow, columns, this);
        this.#rows.build(columns, this.#map.shown, this.#layer);
        this.#tall.style.height = `${this.#map.height + this.#head}px`;
        this.#map.clamp();
        // A detail that opens below must not hide the row that it shows.
        if (isVisible) this.#map.show(this.current);
        this.#place();
        this.draw();
    }

    /** Puts the scroll bar where it belongs. */
    #place() {
        this.grid.scrollTop = this.#map.native;
        this.#map.placed(this.grid.scrollTop);
    }

    draw() {
        this.#frame ||= requestAnimationFrame(() => {
            this.#frame = 0;
            this.#drawNow();
        });
    }

    #drawNow() {
        const map = this.#map;
        const source = this.#source;
        const rows = this.#rows;
        if (!source || !rows.length) return;
        source.need(map.first, map.first + map.shown);
        const shown = Array.from({ length: rows.length }, (_, at) => source.row(map.first + at));
        if (!this.#scrolling) rows.scale(shown);
        shown.forEach((row, at) => {
            const index = map.first + at;
            rows.draw(index, row, {
                shown: index < map.total,
                selected: this.isSelected(index),
                current: index === this.current,
                top: this.#head + index * map.rowHeight - Math.round(map.top),
            });
        });
        const active = this.current >= 0 ? rows.at(this.current) : null;
        if (active?.index === this.current) {
            this.grid.setAttribute("aria-activedescendant", active.element.id);
        } else this.grid.removeAttribute("aria-activedescendant");
    }

    /** Fills every row again, after a change of what cells show. */
    redraw() {
        this.#rows.forget();
        this.draw();
    }

    /** @param {MouseEvent} event */
    #clicked(event) {
        const view = this.#rows.of(event.target);
        if (!view?.row) return;
        this.select(view.index, event.shiftKey);
        if (!event.shiftKey && !view.row.gone) {
            this.dispatchEvent(new CustomEvent("open", { detail: view.row }));
        }
    }

    /** @param {number} index */
    isSelected(index) {
        if (this.current < 0) return false;
        const other = this.#anchor < 0 ? this.current : this.#anchor;
        return index >= Math.min(this.current, other) && index <= Math.max(this.current, other);
    }

    /**
     * The first and last selected index.
     * @returns {[number, number] | null}
     */
    get selection() {
        if (this.current < 0) return null;
        const other = this.#anchor < 0 ? this.current : this.#anchor;
        return [Math.min(this.current, other), Math.max(this.current, other)];
    }

    get currentRow() {
        const row = this.current < 0 ? undefined : this.#source?.row(this.current);
        return row?.gone ? undefined : row;
    }
    get pageRows() {
        return this.#map.page;
    }
    get isAtTop() {
        return this.#map.top < this.#map.rowHeight;
    }
    get last() {
        return this.#map.total - 1;
    }

    /** @param {number} index @param {boolean} extend @param {boolean} middle */
    select(index, extend = false, middle = false) {
        if (this.#map.total === 0) return;
        const next = Math.max(0, Math.min(this.last, index));
        if (!extend) this.#anchor = -1;
        else if (this.#anchor < 0) this.#anchor = this.current;
        this.current = next;
        this.#map.show(next, middle);
        this.#place();
        this.draw();
        this.dispatchEvent(new CustomEvent("current", { detail: next }));
    }

    /**
     * Rows were added before the selection.
     * @param {number} index
     */
    moveSelection(index) {
        this.#anchor = -1;
        this.current = index;
        this.draw();
    }

    toTop() {
        this.#map.top = 0;
        this.#place();
        this.draw();
    }
}

customElements.define("tl-list", TlList);
