// SPDX-License-Identifier: MIT
// @ts-check
// Maps the position of a native scroll bar to rows. Browsers do not lay out elements that are
// higher than some 17 million pixels, which 600,000 rows are: beyond LIMIT the bar is a scale of
// the list, while wheel and touch still move by pixels.

const LIMIT = 8_000_000;

export class ScrollMap {
    /** The distance from the first row to the upper edge, in pixels of the whole list. */
    top = 0;
    #native = 0;

    constructor(total = 0, rowHeight = 28, view = 0) {
        this.total = total;
        this.rowHeight = rowHeight;
        this.view = view;
    }

    get full() {
        return this.total * this.rowHeight;
    }
    /** The height of the scrolled element. */
    get height() {
        return Math.min(this.full, LIMIT);
    }
    get maxTop() {
        return Math.max(0, this.full - this.view);
    }
    get maxNative() {
        return Math.max(0, this.height - this.view);
    }
    get isScaled() {
        return this.full > LIMIT;
    }

    /**
     * The scroll bar was moved, by the reader or by ourselves.
     * @param {number} native
     */
    scrolled(native) {
        const step = native - this.#native;
        if (!this.isScaled) this.top = native;
        else if (Math.abs(step) < 2 * this.view) this.top += step;
        else this.top = this.maxNative ? native / this.maxNative * this.maxTop : 0;
        this.#native = native;
        this.clamp();
    }

    clamp() {
        this.top = Math.max(0, Math.min(this.maxTop, this.top));
    }

    /** Where the bar has to stand for what is shown; `placed` has to follow if it is set. */
    get native() {
        if (!this.isScaled) return this.top;
        return this.maxTop ? this.top / this.maxTop * this.maxNative : 0;
    }

    /**
     * The bar was set to this position, which moves no rows.
     * @param {number} native
     */
    placed(native) {
        this.#native = native;
    }

    /** Whether the bar is at an end, but the list is not: wheels would not move it any more. */
    get isStuck() {
        return this.isScaled && ((this.#native <= 0 && this.top > 0) ||
            (this.#native >= this.maxNative - 1 && this.top < this.maxTop));
    }

    get first() {
        return Math.floor(this.top / this.rowHeight);
    }
    get shown() {
        return Math.ceil(this.view / this.rowHeight) + 1;
    }
    /** The rows that are wholly visible. */
    get page() {
        return Math.max(1, Math.floor(this.view / this.rowHeight) - 1);
    }

    /** @param {number} index */
    isVisible(index) {
        const start = index * this.rowHeight;
        return start >= this.top && start + this.rowHeight <= this.top + this.view;
    }

    /**
     * Moves as little as needed, or to the middle, to show a row.
     * @param {number} index @param {boolean} middle
     */
    show(index, middle = false) {
        const start = index * this.rowHeight;
        if (this.isVisible(index)) return;
        if (middle) this.top = start - this.view / 2;
        else if (start < this.top) this.top = start;
        else this.top = start + this.rowHeight - this.view;
        this.clamp();
    }
}
