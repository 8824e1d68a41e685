// SPDX-License-Identifier: MIT
// @ts-check
// Changes of the store: notes, marks, tags and saved filters.

import * as api from "./api.js";
import { announce } from "./dom.js";

/**
 * Writes to the store, and says what was done or why not.
 * @param {string} path @param {unknown} value @param {string} done
 */
export async function annotate(path, value, done) {
    try {
        await api.post(path, value);
        announce(done);
        return true;
    } catch (error) {
        announce(error instanceof Error ? error.message : String(error));
        return false;
    }
}
