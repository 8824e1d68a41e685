// SPDX-License-Identifier: MIT
// @ts-check
// The list: a grid of pooled rows over a mapped scroll bar.

import { app } from "./app.js";
import { chosen, fitting, template } from "./columns.js";
import { announce, debounce, h } from "./dom.js";
import { heads } from "./list-head.js";
import { RowPool } from "./list-rows.js";
import { ScrollMap } from "./scroll-map.js";

/**
 * @typedef {import("./types").Row} Row
 * @typedef {import("./list-source.js").ListSource} ListSource
 */

const NARROW = 480;

/** Dispatches `open` with a row, `current` with an index, `menu` with a place, and `lead`. */
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
    /**
     * Rows above those of the list, which cannot be selected.
     * @type {Row[]}
     */
    #lead = [];
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
            if (!view || view.row?.live) return;
            event.preventDefault();
            const index = view.index - this.#lead.length;
            if (!this.isSelected(index)) this.select(index);
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

    get lead() {
        return this.#lead;
    }

    /** What is shown keeps its place, unless it is the upper end. */
    set lead(rows) {
        const added = rows.length - this.#lead.length;
        if (!rows.length && !added) return;
        if (!this.isAtTop) this.#map.top += added * this.#map.rowHeight;
        this.#lead = rows;
        this.refresh();
        if (added) this.dispatchEvent(new Event("lead"));
    }

    /** Rows, counts or columns have changed. */
    refresh() {
        const total = this.#source?.total ?? 0;
        if (total + this.#lead.length !== this.#map.total) {
            this.#map.total = total + this.#lead.length;
            this.#map.clamp();
            this.#tall.style.height = `${this.#map.height + this.#head}px`;
            this.grid.setAttribute("aria-rowcount", String(this.#map.total + 1));
            this.#place();
        }
        if (this.current >= total) this.current = total - 1;
        if (total && !this.#rows.length) this.#drawFirst();
        else this.draw();
    }

    /** The first rows do not wait for a frame, in which the list would be measured. */
    #drawFirst() {
        this.layout();
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        this.#drawNow();
    }

    /** Measures, and chooses the columns for which there is room. */
    layout() {
        const width = this.grid.clientWidth;
        if (!width) return;
        const narrow = width < NARROW;
        this.classList.toggle("narrow", narrow);
        this.#head = narrow ? 0 : 28;
        const top = this.#map.top / this.#map.rowHeight;
        const isVisible = this.#map.isVisible(this.current + this.#lead.length);
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
        if (isVisible) this.#map.show(this.current + this.#lead.length);
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
        const lead = this.#lead.length;
        source.need(Math.max(0, map.first - lead), map.first - lead + map.shown);
        const shown = Array.from({ length: rows.length }, (_, at) => {
            const place = map.first + at;
            return place < lead ? this.#lead[place] : source.row(place - lead);
        });
        if (!this.#scrolling) rows.scale(shown);
        shown.forEach((row, at) => {
            const place = map.first + at;
            const index = place - lead;
            rows.draw(place, row, {
                shown: place < map.total,
                selected: index >= 0 && this.isSelected(index),
                current: index >= 0 && index === this.current,
                top: this.#head + place * map.rowHeight - Math.round(map.top),
            });
        });
        const place = this.current + lead;
        const active = this.current >= 0 ? rows.at(place) : null;
        if (active?.index === place) {
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
        if (view.row.live) {
            announce("it can be opened when it has ended");
            return;
        }
        this.select(view.index - this.#lead.length, event.shiftKey);
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
        return this.#map.total - this.#lead.length - 1;
    }

    /** @param {number} index @param {boolean} extend @param {boolean} middle */
    select(index, extend = false, middle = false) {
        if (this.last < 0) return;
        const next = Math.max(0, Math.min(this.last, index));
        if (!extend) this.#anchor = -1;
        else if (this.#anchor < 0) this.#anchor = this.current;
        this.current = next;
        if (next || this.#map.top > this.#lead.length * this.#map.rowHeight) {
            this.#map.show(next + this.#lead.length, middle);
        } else this.#map.top = 0;
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
