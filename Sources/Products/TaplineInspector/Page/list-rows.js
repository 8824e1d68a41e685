// SPDX-License-Identifier: MIT
// @ts-check
// The elements of rows: as many as are visible, filled again as the list moves.

import { h } from "./dom.js";

/** @typedef {import("./types").Row} Row @typedef {import("./columns.js").Column} Column */

class RowView {
    index = -1;
    /** @type {boolean | null} */
    selected = null;
    /** @type {Row | null | undefined} */
    row = null;
    element = h("div", { role: "row", class: "row" });

    /** @param {Column[]} columns @param {number} at */
    constructor(columns, at) {
        this.element.id = `row-${at}`;
        this.cells = columns.map((column, place) =>
            h("div", {
                role: "gridcell",
                class: `cell ${column.id}`,
                "data-column": column.id,
                "aria-colindex": place + 1,
            })
        );
        this.element.append(...this.cells);
    }
}

export class RowPool {
    /** @type {RowView[]} */
    #views = [];
    /** @type {Column[]} */
    #columns = [];
    /** The time that the waterfall shows. */
    #window = { from: 0, to: 0 };

    get length() {
        return this.#views.length;
    }

    /** @param {Column[]} columns @param {number} length @param {Element} place */
    build(columns, length, place) {
        for (const view of this.#views) view.element.remove();
        this.#columns = columns;
        this.#views = Array.from({ length }, (_, at) => new RowView(columns, at));
        place.append(...this.#views.map((view) => view.element));
    }

    /**
     * The element that a row has while it is visible.
     * @param {number} index
     */
    at(index) {
        return /** @type {RowView} */ (this.#views[index % this.#views.length]);
    }

    /** @param {EventTarget | null} target */
    of(target) {
        const element = target instanceof Element ? target.closest(".row") : null;
        return this.#views.find((view) => view.element === element);
    }

    /** Fills every row again, after a change of what cells show. */
    forget() {
        for (const view of this.#views) view.row = null;
    }

    /**
     * The waterfall's scale is the time that the shown rows take.
     * @param {(Row | undefined)[]} rows
     */
    scale(rows) {
        const place = this.#columns.findIndex((column) => column.id === "waterfall");
        if (place < 0) return;
        let from = Infinity;
        let to = 0;
        for (const row of rows) {
            if (!row || row.gone || row.live) continue;
            from = Math.min(from, row.at);
            to = Math.max(to, row.at + (row.us ?? 0));
        }
        if (from === this.#window.from && to === this.#window.to) return;
        this.#window = { from, to };
        for (const { row, cells } of this.#views) {
            const cell = cells[place];
            if (!row || row.gone || row.live || !cell) continue;
            this.#columns[place]?.fill(cell, row, this.#window);
        }
    }

    /**
     * @param {number} index @param {Row | undefined} row
     * @param {{shown: boolean, selected: boolean, current: boolean, top: number}} state
     */
    draw(index, row, state) {
        const view = this.at(index);
        const { element } = view;
        element.style.transform = `translateY(${state.top}px)`;
        if (element.hidden === state.shown) element.hidden = !state.shown;
        element.classList.toggle("selected", state.selected);
        element.classList.toggle("current", state.current);
        if (view.selected !== state.selected) {
            view.selected = state.selected;
            element.setAttribute("aria-selected", String(state.selected));
        }
        if (view.index !== index) {
            view.index = index;
            element.setAttribute("aria-rowindex", String(index + 2));
        }
        if (view.row === row) return;
        view.row = row;
        element.classList.toggle("loading", !row);
        element.classList.toggle("live", Boolean(row?.live));
        view.cells.forEach((cell, place) => {
            const column = this.#columns[place];
            if (row && !row.gone) column?.fill(cell, row, this.#window);
            else if (row) cell.textContent = column?.id === "path" ? "removed from the store" : "";
            else if (cell.firstChild) cell.textContent = "";
        });
    }

    /**
     * Titles are made for the cell under the pointer only: rows fill faster without them.
     * @param {EventTarget | null} target
     */
    describe(target) {
        const row = this.of(target)?.row;
        const cell = target instanceof Element
            ? /** @type {HTMLElement | null} */ (target.closest(".cell"))
            : null;
        if (!row || !cell) return;
        const column = this.#columns.find(({ id }) => id === cell.dataset.column);
        cell.title = column?.title?.(row) ?? cell.textContent ?? "";
    }
}
