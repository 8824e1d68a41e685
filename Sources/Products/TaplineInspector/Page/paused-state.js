// SPDX-License-Identifier: MIT
// @ts-check
// The exchanges that wait for a decision. The badge at the upper edge counts them on all screens.

import * as api from "./api.js";
import { app } from "./app.js";

/** @typedef {import("./types").Waiting} Waiting */

class WaitingList {
    /** @type {Waiting[]} */
    all = [];
    /** @type {unknown} */
    error = null;
    #loads = 0;

    constructor() {
        app.on("paused", () => this.load());
        app.on("info", () => this.load());
    }

    async load() {
        if (!app.info?.can.pause) return;
        const load = ++this.#loads;
        try {
            const { paused } = /** @type {{paused: Waiting[]}} */ (await api.get("paused"));
            if (load !== this.#loads) return;
            this.all = paused.sort((a, b) => a.until - b.until);
            this.error = null;
        } catch (error) {
            this.error = error;
        }
        app.emit("waiting");
    }
}

export const waiting = new WaitingList();
