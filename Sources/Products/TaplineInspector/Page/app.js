// SPDX-License-Identifier: MIT
// @ts-check
// What all parts of the page share: the address, what is open, the events of the server.

import * as api from "./api.js";
import { format, parse, START } from "./address.js";
import { effective } from "./filters.js";

/** @typedef {import("./address.js").State} State */

/** A page that is hidden for so long stops listening, in milliseconds. */
const HIDDEN = 30_000;
/** After so long a server that does not answer is asked again, at first and at most. */
const AGAIN = [500, 8000];

export class App extends EventTarget {
    /** @type {State} */
    state = { ...START };
    /** @type {import("./types").Info | null} */
    info = null;
    /** @type {import("./types").Head} */
    head = { head: 0, count: 0 };
    connected = true;
    /** Whether the server has refused the cookie: it was started again. */
    refused = false;
    /** Whether the token of the address was refused. */
    expired = false;
    /** Whether the reader has stopped the query of the list: then nothing counts for it, either. */
    stopped = false;
    /**
     * Waits until the list has its rows. What counts the same exchanges does so afterwards, since
     * several searches at once slow each other down.
     * @type {(signal: AbortSignal) => Promise<void>}
     */
    settled = () => Promise.resolve();
    /** The head of the last event; a smaller one belongs to another store. */
    #seen = 0;
    #wait = AGAIN[0] ?? 0;
    #timer = 0;
    /** @type {EventSource | null} */
    #events = null;
    utc = localStorage.getItem("tapline.utc") === "1";
    /** Whether the detail is below the list, not beside it. */
    below = localStorage.getItem("tapline.side") === "below";
    /** @type {{name: string, filter: string}[]} */
    saved = [];
    /**
     * What filters mean, by their text, as the server has said.
     * @type {Map<string, string>}
     */
    means = new Map();
    /** The exchange marked as the first of a comparison. */
    first = "";

    /**
     * Tells listeners.
     * @param {string} name @param {any} [detail]
     */
    emit(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail }));
    }

    /** @param {string} name @param {(detail: any) => void} listener */
    on(name, listener) {
        this.addEventListener(name, (event) => listener(/** @type {CustomEvent} */ (event).detail));
    }

    /**
     * Changes the address; a step back returns to the former one unless `replace` is set.
     * @param {Partial<State>} patch
     */
    go(patch, replace = false) {
        const next = { ...this.state, ...patch };
        // A view belongs to its screen.
        if (next.screen !== this.state.screen) next.view = patch.view ?? "";
        const address = format(next);
        if (address === format(this.state)) return;
        if (replace) history.replaceState(null, "", address);
        else history.pushState(null, "", address);
        this.adopt(next);
    }

    /** @param {State} next */
    adopt(next) {
        const former = this.state;
        this.state = next;
        const changed = new Set(
            Object.keys(next).filter((name) =>
                /** @type {any} */ (next)[name] !== /** @type {any} */ (former)[name]
            ),
        );
        if (changed.size) this.emit("state", changed);
    }

    /** The filter with the time range, in the form that the server takes. */
    get filter() {
        return effective(this.state, this.meaning(this.state.filter));
    }

    /**
     * What a filter means, if the server has said so: then it can be joined with other conditions.
     * @param {string} text
     */
    meaning(text) {
        return this.means.get(text) ?? this.saved.find(({ name }) => `@${name}` === text)?.filter;
    }

    /** Reads the address and follows it. */
    start() {
        this.state = parse(location.hash);
        addEventListener("popstate", () => this.adopt(parse(location.hash)));
    }

    /** @param {boolean} utc */
    setUTC(utc) {
        this.utc = utc;
        localStorage.setItem("tapline.utc", utc ? "1" : "0");
        this.emit("times");
    }

    toggleSide() {
        this.below = !this.below;
        localStorage.setItem("tapline.side", this.below ? "below" : "beside");
        this.emit("side");
    }

    /** @param {boolean} connected */
    setConnected(connected) {
        if (connected === this.connected) return;
        this.connected = connected;
        this.emit("connection", connected);
    }

    async loadInfo() {
        const known = this.head.head;
        const info = /** @type {import("./types").Info} */ (await api.get("info"));
        const former = this.info;
        this.info = info;
        this.#wait = AGAIN[0] ?? 0;
        const isReplaced = former !== null && (info.head < known ||
            former.stores.map(({ path }) => path).join() !==
                info.stores.map(({ path }) => path).join());
        if (isReplaced) this.#replace(info);
        this.head = {
            ...this.head,
            head: Math.max(info.head, this.head.head),
            count: Math.max(info.count, this.head.count),
        };
        this.refused = this.expired = false;
        this.setConnected(true);
        this.emit("info");
    }

    /**
     * Another store has taken the place of the one that is shown.
     * @param {{head: number, count: number}} value
     */
    #replace({ head, count }) {
        this.#seen = head;
        this.head = { head, count };
        if (this.info) this.info = { ...this.info, head, count };
        this.first = "";
        this.means.clear();
        this.emit("replaced");
    }

    /**
     * Follows the server's events. Browsers open six connections to a server and keep those of
     * pages that were left: a page that nobody sees gives its own back.
     */
    follow() {
        let timer = 0;
        addEventListener("pagehide", () => this.#events?.close());
        addEventListener("pageshow", (event) => {
            if (event.persisted) this.listen();
        });
        document.addEventListener("visibilitychange", () => {
            clearTimeout(timer);
            if (document.hidden) timer = setTimeout(() => this.#events?.close(), HIDDEN);
            else if (this.#events?.readyState === EventSource.CLOSED) this.reconnect();
        });
        api.refusals.addEventListener("refused", () => this.#refuse());
        if (this.info) this.listen();
        else this.reconnect();
    }

    /** The browser reconnects by itself, and resumes after the last event. */
    listen() {
        this.#events?.close();
        const source = this.#events = new EventSource(api.link("events"));
        source.onerror = () => {
            if (source !== this.#events) return;
            this.setConnected(false);
            // The browser waits long, and gives up after a refusal.
            source.close();
            this.#later();
        };
        for (const name of ["head", "view", "rules", "paused", "state"]) {
            source.addEventListener(name, (event) => {
                let value;
                try {
                    value = JSON.parse(/** @type {MessageEvent} */ (event).data);
                } catch {
                    return;
                }
                if (name === "head") this.#moved(value);
                // `info` tells the rest of the page.
                if (name === "state") this.loadInfo().catch(() => {});
                else this.emit(name, value);
            });
        }
    }

    /** @param {import("./types").Head} value */
    #moved(value) {
        if (value.head < this.#seen) {
            this.#replace(value);
            this.loadInfo().catch(() => {});
        }
        this.#seen = value.head;
        this.head = { ...this.head, unfinished: [], changed: [], ...value };
        // An event may come later than an answer that was made after it.
        this.head.head = Math.max(value.head, this.info?.head ?? 0);
    }

    #refuse() {
        if (this.refused) return;
        this.refused = true;
        this.emit("refused");
        this.#later();
    }

    #later() {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.reconnect(), this.#wait);
        this.#wait = Math.min(this.#wait * 2, AGAIN[1] ?? 0);
    }

    /** Loads the state of the server; changes that were missed meanwhile have to be loaded again. */
    async #resume() {
        await this.loadInfo();
        this.emit("resumed");
    }

    /** Tries until the server answers. */
    async reconnect() {
        clearTimeout(this.#timer);
        try {
            await this.#resume();
            this.listen();
        } catch (error) {
            if (api.isGone(error)) this.setConnected(false);
            // Another tab may sign in to the new server; then this one goes on, too.
            this.#later();
        }
    }
}

export const app = new App();
