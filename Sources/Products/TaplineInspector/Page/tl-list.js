// SPDX-License-Identifier: MIT
// @ts-check
// The list: a grid of pooled rows over a mapped scroll bar.

import { app } from "./app.js";
import { chosen, fitting, markWord, statusWord, template } from "./columns.js";
import { debounce, h } from "./dom.js";
import { clock, count, duration, outcome } from "./formats.js";
import { heads } from "./list-head.js";
import { ScrollMap } from "./scroll-map.js";

/** @typedef {import("./types").Row} Row @typedef {import("./list-source.js").ListSource} ListSource */

const NARROW = 480;

class RowView {
    index = -1;
    /** @type {Row | null | undefined} */
    row = null;
    /** @type {HTMLElement[]} */
    cells = [];
    element = h("div", { role: "row", class: "row" });
}

/** Dispatches `open` with a row, `current` with an index, and `menu` with a place. */
export class TlList extends HTMLElement {
    /** The row that the keys act on. */
    current = -1;
    #anchor = -1;
    #map = new ScrollMap();
    /** @type {RowView[]} */
    #pool = [];
    /** @type {import("./columns.js").Column[]} */
    #columns = [];
    #window = { from: 0, to: 0 };
    #frame = 0;
    #narrow = false;
    /** The height of the head, which narrow lists do not have. */
    #head = 28;
    /** @type {ListSource | null} */
    #source = null;
    #headRow = h("div", { role: "row", class: "row heads", "aria-rowindex": 1 });
    #layer = h("div", { class: "layer", role: "presentation" }, this.#headRow);
    #tall = h("div", { class: "tall", role: "presentation" });
    grid = h("div", { class: "grid", role: "grid", tabindex: 0, "aria-label": "Exchanges", id: "grid",
        "aria-multiselectable": "true" }, this.#layer, this.#tall);
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
            const view = this.#viewOf(event.target);
            if (!view) return;
            event.preventDefault();
            if (!this.isSelected(view.index)) this.select(view.index);
            this.dispatchEvent(new CustomEvent("menu", { detail: { x: event.clientX, y: event.clientY } }));
        });
        this.#layer.addEventListener("pointerover", (event) => this.#describe(event.target));
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
        this.#narrow = width < NARROW;
        this.classList.toggle("narrow", this.#narrow);
        this.#head = this.#narrow ? 0 : 28;
        const top = this.#map.top / this.#map.rowHeight;
        this.#map.rowHeight = this.#narrow ? 48 : 28;
        this.#map.view = Math.max(0, this.grid.clientHeight - this.#head);
        this.#map.top = top * this.#map.rowHeight;
        // The layer stays in view while the bar moves, and takes no room of its own.
        this.#layer.style.height = `${this.grid.clientHeight}px`;
        this.#layer.style.marginBottom = `-${this.grid.clientHeight}px`;
        const all = chosen(app.state.columns);
        this.#columns = this.#narrow ? all.filter((c) => !["waterfall", "tags"].includes(c.id)) : fitting(all, width);
        this.grid.style.setProperty("--columns", template(this.#columns, width));
        this.grid.setAttribute("aria-colcount", String(this.#columns.length));
        heads(this.#headRow, this.#columns, this);
        for (const view of this.#pool) view.element.remove();
        this.#pool = Array.from({ length: this.#map.shown }, (_, at) => this.#makeRow(at));
        this.#layer.append(...this.#pool.map((view) => view.element));
        this.#tall.style.height = `${this.#map.height + this.#head}px`;
        this.#map.clamp();
        this.#place();
        this.draw();
    }

    /** @param {number} at */
    #makeRow(at) {
        const view = new RowView();
        view.element.id = `row-${at}`;
        view.cells = this.#columns.map((column, place) => h("div", {
            role: "gridcell", class: `cell ${column.id}`, "data-column": column.id, "aria-colindex": place + 1,
        }));
        view.element.append(...view.cells);
        return view;
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
        if (!source || !this.#pool.length) return;
        source.need(map.first, map.first + map.shown);
        this.#measureWindow();
        for (let at = 0; at < this.#pool.length; at += 1) {
            const index = map.first + at;
            const view = /** @type {RowView} */ (this.#pool[index % this.#pool.length]);
            view.element.style.transform = `translateY(${this.#head + index * map.rowHeight - Math.round(map.top)}px)`;
            this.#fill(view, index);
        }
        const active = this.current >= 0 ? this.#pool[this.current % this.#pool.length] : undefined;
        if (active && active.index === this.current) this.grid.setAttribute("aria-activedescendant", active.element.id);
        else this.grid.removeAttribute("aria-activedescendant");
    }

    /** The waterfall's scale is the time that the shown rows take. */
    #measureWindow() {
        if (this.#scrolling || !this.#columns.some((column) => column.id === "waterfall")) return;
        let from = Infinity;
        let to = 0;
        for (let at = 0; at < this.#pool.length; at += 1) {
            const row = this.#source?.row(this.#map.first + at);
            if (!row || row.gone) continue;
            from = Math.min(from, row.at);
            to = Math.max(to, row.at + (row.us ?? 0));
        }
        if (from === this.#window.from && to === this.#window.to) return;
        this.#window = { from, to };
        const place = this.#columns.findIndex((column) => column.id === "waterfall");
        for (const view of this.#pool) {
            const cell = view.cells[place];
            if (view.row && cell) this.#columns[place]?.fill(cell, view.row, this.#window);
        }
    }

    /** @param {RowView} view @param {number} index */
    #fill(view, index) {
        const { element } = view;
        const row = this.#source?.row(index);
        const shown = index < this.#map.total;
        if (element.hidden === shown) element.hidden = !shown;
        const selected = this.isSelected(index);
        element.classList.toggle("selected", selected);
        element.classList.toggle("current", index === this.current);
        if (element.ariaSelected !== String(selected)) element.ariaSelected = String(selected);
        if (view.index !== index) {
            view.index = index;
            element.setAttribute("aria-rowindex", String(index + 2));
            element.classList.toggle("odd", index % 2 === 1);
        }
        if (view.row === row) return;
        view.row = row;
        element.classList.toggle("loading", !row);
        element.classList.toggle("bad", Boolean(row && (outcome(row) === "failed" || (row.status ?? 0) >= 500)));
        view.cells.forEach((cell, place) => {
            if (row && !row.gone) this.#columns[place]?.fill(cell, row, this.#window);
            else if (row) cell.textContent = this.#columns[place]?.id === "path" ? "removed from the store" : "";
            else if (cell.firstChild) cell.textContent = "";
        });
    }

    /** Fills every row again, after a change of what cells show. */
    redraw() {
        for (const view of this.#pool) view.row = null;
        this.draw();
    }

    /** @param {EventTarget | null} target */
    #viewOf(target) {
        const element = target instanceof Element ? target.closest(".row") : null;
        return this.#pool.find((view) => view.element === element);
    }

    /**
     * Titles are made for the cell under the pointer only: rows fill faster without them.
     * @param {EventTarget | null} target
     */
    #describe(target) {
        const row = this.#viewOf(target)?.row;
        const cell = target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest(".cell")) : null;
        if (!row || !cell) return;
        const column = this.#columns.find(({ id }) => id === cell.dataset.column);
        cell.title = column?.title?.(row) ?? cell.textContent ?? "";
    }

    /** @param {MouseEvent} event */
    #clicked(event) {
        const view = this.#viewOf(event.target);
        if (!view?.row) return;
        this.select(view.index, event.shiftKey);
        if (!event.shiftKey && !view.row.gone) this.dispatchEvent(new CustomEvent("open", { detail: view.row }));
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
    get pageRows() { return this.#map.page; }
    get isAtTop() { return this.#map.top < this.#map.rowHeight; }
    get last() { return this.#map.total - 1; }

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

    /**
     * A sentence about a row, for announcements.
     * @param {Row} row
     */
    static sentence(row) {
        return `${row.method} ${row.host ?? ""}${row.path ?? ""}, ${statusWord(row)}, ${duration(row.us)}, `
            + `${clock(row.at, app.utc)}${markWord(row) ? ", marked" : ""}`;
    }

    get summary() { return `${count(this.#map.total)} rows`; }
}

customElements.define("tl-list", TlList);
