// SPDX-License-Identifier: MIT
// @ts-check
// Settings that end with the page: what is shared leaves nothing in the browser.

const kept = new Map();

/** @type {Partial<Storage>} */
const storage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => {
        kept.set(name, String(value));
    },
    removeItem: (name) => {
        kept.delete(name);
    },
};

// Some browsers refuse to store anything for files.
Object.defineProperty(globalThis, "localStorage", { value: storage, configurable: true });
