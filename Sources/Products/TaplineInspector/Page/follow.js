// SPDX-License-Identifier: MIT
// @ts-check
// Keeps the list at the newest exchanges, or still, with the number of those that are new.

import * as api from "./api.js";
import { app } from "./app.js";

/**
 * @typedef {import("./list-source.js").ListSource} ListSource
 * @typedef {import("./tl-list.js").TlList} TlList
 */

/** A filtered list is asked for again at most once in this time, for each is a query. */
const FILTERED = 1000;

/** Dispatches `change` when the number of new exchanges or the state changes. */
export class Follow extends EventTarget {
    /** Chosen by the reader; the list also stands still while it is scrolled or has a selection. */
    paused = false;
    fresh = 0;
    #asked = 0;
    #adopting = false;
    #adopted = 0;
    #later = 0;

    /** @param {ListSource} source @param {TlList} list */
    constructor(source, list) {
        super();
        this.source = source;
        this.list = list;
        app.on("head", () => this.#head());
        list.addEventListener("moved", () => this.#head());
        source.addEventListener("change", () => this.#count());
    }

    get isFollowing() {
        return !this.paused && this.list.isAtTop && this.list.current < 0 && !app.state.sort &&
            !this.source.cancelled;
    }

    #head() {
        const { head } = app.head;
        if (this.source.error || this.source.cancelled) return;
        if (head <= this.source.head || this.source.loading) {
            this.#count();
            return;
        }
        if (this.isFollowing) this.#adopt(head);
        else this.#count();
    }

    /** @param {number} head */
    async #adopt(head) {
        const wait = app.filter ? FILTERED - (Date.now() - this.#adopted) : 0;
        if (this.#adopting || wait > 0 || !this.source.complete) {
            clearTimeout(this.#later);
            this.#later = setTimeout(() => this.#head(), Math.max(100, wait));
            return;
        }
        this.#adopting = true;
        await this.source.adopt(head);
        this.#adopting = false;
        this.#adopted = Date.now();
        this.#count();
    }

    async #count() {
        const { head } = app.head;
        let fresh = Math.max(0, head - this.source.head);
        if (fresh && app.filter) {
            if (this.source.cancelled) return;
            const now = Date.now();
            if (now - this.#asked < FILTERED) return;
            this.#asked = now;
            try {
                const answer = /** @type {import("./types").Rows} */ (await api.get("rows", {
                    ...this.source.query,
                    head,
                    count: 1,
                }));
                fresh = Math.max(0, answer.total - this.source.total);
            } catch {
                return;
            }
        }
        if (fresh === this.fresh) return;
        this.fresh = fresh;
        this.dispatchEvent(new Event("change"));
    }

    /** Shows the newest exchanges, and follows again. */
    async newest() {
        this.paused = false;
        this.list.moveSelection(-1);
        this.list.toTop();
        if (this.source.cancelled) this.source.resume();
        else await this.source.adopt(app.head.head);
        this.fresh = 0;
        this.dispatchEvent(new Event("change"));
    }

    toggle() {
        if (this.isFollowing) {
            this.paused = true;
            this.dispatchEvent(new Event("change"));
        } else {
            this.newest();
        }
    }
}
