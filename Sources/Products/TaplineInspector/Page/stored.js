// SPDX-License-Identifier: MIT
// @ts-check
// Reads exchanges that were announced before the store has them.

import * as api from "./api.js";
import { app } from "./app.js";

/**
 * Whether no exchange of the store has the id, which may be one that the store does not have yet.
 * @param {unknown} error
 */
export const isUnknown = (error) => error instanceof api.Failure && error.status === 404;

/**
 * Reads an exchange; while the store does not have it, tries again at each change of the store.
 * The last failure is thrown if that takes longer than `wait` milliseconds.
 * @param {string} id @param {number} wait @returns {Promise<import("./types").Detail>}
 */
export async function whenStored(id, wait) {
    const end = Date.now() + wait;
    for (;;) {
        try {
            return await api.get(api.exchangePath(id));
        } catch (error) {
            if (!isUnknown(error) || Date.now() > end) throw error;
        }
        await new Promise((resolve) => {
            app.addEventListener("head", resolve, { once: true });
            setTimeout(resolve, 500);
        });
    }
}
