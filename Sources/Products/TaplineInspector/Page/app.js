// SPDX-License-Identifier: MIT
// @ts-check
// What all parts of the page share: the address, what is open, the events of the server.

import * as api from "./api.js";
import { format, parse, START } from "./address.js";
import { effective } from "./filters.js";

/** @typedef {import("./address.js").State} State */

/** A page that is hidden for so long stops listening, in milliseconds. */
const HIDDEN = 30_000;

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
        this.info = /** @type {import("./types").Info} */ (await api.get("info"));
        this.head = { ...this.head, head: this.info.head, count: this.info.count };
        this.setConnected(true);
        this.emit("info");
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
            else if (this.#events?.readyState === EventSource.CLOSED) this.listen();
        });
        this.listen();
    }

    /** The browser reconnects by itself, and resumes after the last event. */
    listen() {
        this.#events?.close();
        const source = this.#events = new EventSource(api.link("events"));
        source.onopen = () => {
            if (!this.connected) this.loadInfo().catch(() => {});
        };
        source.onerror = () => {
            this.setConnected(false);
            // After a refusal the browser gives up: a server that was started again has other
            // cookies.
            if (source.readyState === EventSource.CLOSED) setTimeout(() => this.reconnect(), 2000);
        };
        for (const name of ["head", "view", "rules", "paused"]) {
            source.addEventListener(name, (event) => {
                let value;
                try {
                    value = JSON.parse(/** @type {MessageEvent} */ (event).data);
                } catch {
                    return;
                }
                if (name === "head") {
                    this.head = { ...this.head, unfinished: [], changed: [], ...value };
                }
                this.emit(name, value);
            });
        }
    }

    async reconnect() {
        try {
            await this.loadInfo();
            this.listen();
        } catch (error) {
            // Another tab may sign in to the new server; then this one goes on, too.
            setTimeout(() => this.reconnect(), 2000);
            const refused = error instanceof api.Failure && error.status === 401;
            if (refused === this.refused) return;
            this.refused = refused;
            this.emit("refused");
        }
    }
}

export const app = new App();
