// SPDX-License-Identifier: MIT
// @ts-check
// The rows of one list: pages that were loaded, and those that are wanted next.

import * as api from "./api.js";

/** @typedef {import("./types").Row} Row @typedef {import("./types").Rows} Rows */

const PAGE = 100;
const KEPT_PAGES = 60;
const POLL = 250;

/** Dispatches `change` when rows or counts change, and `failure` with the error of a call. */
export class ListSource extends EventTarget {
    total = 0;
    head = 0;
    view = "";
    complete = true;
    cancelled = false;
    progress = 1;
    /** Whether a first answer is awaited. */
    loading = false;
    /** Whether it is the first answer of another list, not of the same at a later position. */
    opening = false;
    /** @type {unknown} */
    error = null;
    /** @type {{filter: string, sort: string}} */
    query = { filter: "", sort: "" };
    /**
     * Pages in the order of their last use.
     * @type {Map<number, Row[]>}
     */
    #pages = new Map();
    /**
     * Pages that are shown, but have to be loaded again.
     * @type {Set<number>}
     */
    #stale = new Set();
    #first = 0;
    #last = PAGE - 1;
    #generation = 0;
    #busy = false;
    #retry = 500;
    /**
     * What failed, and is tried again by itself.
     * @type {(() => void) | null}
     */
    #again = null;
    #timer = 0;
    /** Whether the reader has stopped the query: no later event may go on with it. */
    #stopped = false;
    /** @type {AbortController | null} */
    #call = null;

    /** @param {number} index @returns {Row | undefined} */
    row(index) {
        return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    }

    /**
     * The index of a loaded row, or -1.
     * @param {string} id
     */
    loadedIndex(id) {
        for (const [page, rows] of this.#pages) {
            const place = rows.findIndex((row) => row.id === id);
            if (place >= 0) return page * PAGE + place;
        }
        return -1;
    }

    /** Whether its rows are still looked for, or will be if the reader goes on. */
    get isSearching() {
        return !this.error && (this.loading || this.cancelled || !this.complete);
    }

    /**
     * Waits until the list has all its rows, or cannot get them, or nobody waits any more.
     * @param {AbortSignal} [signal]
     */
    settled(signal) {
        return /** @type {Promise<void>} */ (new Promise((done) => {
            const end = () => {
                for (const name of ["change", "failure"]) this.removeEventListener(name, look);
                signal?.removeEventListener("abort", end);
                done();
            };
            const look = () => {
                if (!this.isSearching || signal?.aborted) end();
            };
            for (const name of ["change", "failure"]) this.addEventListener(name, look);
            signal?.addEventListener("abort", end);
            look();
        }));
    }

    /**
     * Shows another list. The former rows stay until the first answer.
     * @param {{filter: string, sort: string}} query
     */
    open(query) {
        this.query = query;
        this.#first = 0;
        this.#last = PAGE - 1;
        this.opening = true;
        this.cancelled = this.#stopped = false;
        return this.#restart(0);
    }

    /** Goes on with a query that was stopped. */
    async resume() {
        if (!this.cancelled) return;
        this.cancelled = this.#stopped = false;
        await this.#restart(0, true);
    }

    /** Forgets all rows: they belong to a store that is not there any more. */
    reset() {
        this.#call?.abort();
        this.#generation += 1;
        this.#pages.clear();
        this.#stale.clear();
        this.total = this.head = 0;
        this.view = "";
        this.loading = this.opening = false;
        this.complete = true;
        this.cancelled = this.#stopped = false;
        this.#settle();
        this.dispatchEvent(new Event("change"));
    }

    /**
     * Shows the list as it was at this position of the store.
     * @param {number} head
     */
    async adopt(head) {
        if (!this.cancelled) await this.#restart(head);
    }

    /** Tries now what would be tried again later. */
    retry() {
        const again = this.#again;
        if (!again) return;
        this.#settle();
        this.#retry = 500;
        again();
    }

    #settle() {
        clearTimeout(this.#timer);
        this.#again = null;
        this.error = null;
    }

    /** @param {number} head 0: the newest @param {boolean} again although it was stopped */
    async #restart(head, again = false) {
        this.#call?.abort();
        const generation = ++this.#generation;
        this.loading = true;
        this.#settle();
        const page = Math.floor(this.#first / PAGE);
        try {
            const answer = await this.#load(page, Math.floor(this.#last / PAGE), head, again);
            if (generation !== this.#generation) return;
            this.#pages.clear();
            this.#stale.clear();
            this.loading = this.opening = false;
            this.#take(answer);
        } catch (error) {
            if (generation !== this.#generation || api.isAbort(error)) return;
            this.loading = this.opening = false;
            this.#failed(error, () => this.#restart(head, again));
        }
        this.#pump();
    }

    /** @param {unknown} error @param {() => void} again */
    #failed(error, again) {
        // Other files have taken the place of the stores: positions of the former ones mean nothing.
        if (error instanceof api.Failure && error.code === "replaced") {
            this.open(this.query);
            return;
        }
        this.error = error;
        const generation = this.#generation;
        this.#again = () => {
            if (generation === this.#generation) again();
        };
        this.dispatchEvent(new CustomEvent("failure", { detail: error }));
        if (!api.isPassing(error)) return;
        clearTimeout(this.#timer);
        this.#timer = setTimeout(this.#again, this.#retry);
        this.#retry = Math.min(this.#retry * 2, 8000);
    }

    /**
     * @param {number} first page
     * @param {number} last page
     * @param {number} head
     * @param {boolean} [again]
     * @returns {Promise<Rows>}
     */
    #load(first, last, head, again = false) {
        this.#call = new AbortController();
        return api.get("rows", {
            ...this.query,
            head: head || null,
            again: again ? 1 : null,
            from: first * PAGE,
            count: (last - first + 1) * PAGE,
        }, this.#call.signal);
    }

    /** @param {Rows} answer */
    #take(answer) {
        const whole = answer.complete || answer.cancelled;
        for (let start = 0; start < answer.rows.length; start += PAGE) {
            const page = Math.floor((answer.from + start) / PAGE);
            const rows = answer.rows.slice(start, start + PAGE);
            this.#pages.delete(page);
            this.#pages.set(page, rows);
            if (!whole && (this.query.sort || rows.length < PAGE)) this.#stale.add(page);
            else this.#stale.delete(page);
        }
        for (const page of this.#pages.keys()) {
            if (this.#pages.size <= KEPT_PAGES) break;
            this.#pages.delete(page);
            this.#stale.delete(page);
        }
        this.total = answer.total;
        this.head = answer.head;
        this.view = answer.view;
        this.complete = answer.complete;
        this.cancelled = (answer.cancelled ?? false) || (this.#stopped && !answer.complete);
        this.progress = answer.progress;
        this.#settle();
        this.#retry = 500;
        this.dispatchEvent(new Event("change"));
    }

    /**
     * Loads these rows unless they are there.
     * @param {number} first @param {number} last
     */
    need(first, last) {
        this.#first = Math.max(0, first);
        this.#last = Math.max(this.#first, last);
        this.#pump();
    }

    /**
     * The first and last page to load, or null.
     * @returns {[number, number] | null}
     */
    #missing() {
        const end = Math.min(
            Math.floor(this.#last / PAGE),
            Math.floor(Math.max(0, this.total - 1) / PAGE),
        );
        const missing = (/** @type {number} */ page) =>
            !this.#pages.has(page) || this.#stale.has(page);
        let first = Math.floor(this.#first / PAGE);
        let last = Math.min(end, first + 3);
        while (first <= last && !missing(first)) first += 1;
        while (last >= first && !missing(last)) last -= 1;
        return first <= last ? [first, last] : null;
    }

    async #pump(again = false) {
        if (this.#busy || this.loading || (this.#again && !again)) return;
        const running = !this.complete && !this.cancelled;
        const pages = this.total ? this.#missing() : null;
        if (!pages && !running) return;
        this.#busy = true;
        const generation = this.#generation;
        try {
            // Rows that are not there yet come with the next answer of the running query. The first
            // ones are sent as soon as they are found.
            if (running && this.total) await new Promise((done) => setTimeout(done, POLL));
            if (generation === this.#generation) {
                const [first, last] = pages ?? [0, 0];
                const answer = await this.#load(first, last, this.head);
                if (generation === this.#generation) this.#take(answer);
            }
            this.#busy = false;
            this.#pump();
        } catch (error) {
            this.#busy = false;
            if (generation !== this.#generation || api.isAbort(error)) return;
            this.#failed(error, () => this.#pump(true));
        }
    }

    /**
     * Loads pages again that hold these exchanges.
     * @param {string[]} ids
     */
    changed(ids) {
        const wanted = new Set(ids);
        for (const [page, rows] of this.#pages) {
            if (rows.some((row) => wanted.has(row.id))) this.#stale.add(page);
        }
        this.#pump();
    }

    /** Loads all pages again: changes may have been missed. */
    refresh() {
        for (const page of this.#pages.keys()) this.#stale.add(page);
        this.#pump();
    }

    /**
     * Stops the running query; what it has found stays. It goes on when another list is opened, or
     * the same once more.
     */
    async cancel() {
        if (this.complete && !this.opening) return;
        this.#stopped = this.cancelled = true;
        if (this.opening) {
            // Nothing has come yet, and the rows that are shown belong to the former list.
            this.#call?.abort();
            this.#generation += 1;
            this.#pages.clear();
            this.#stale.clear();
            this.total = 0;
            this.loading = this.opening = this.complete = false;
            this.#settle();
        } else if (this.view) {
            await api.post("cancel", { view: this.view }).catch(() => {});
        }
        this.dispatchEvent(new Event("change"));
    }
}
