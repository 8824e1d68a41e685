// SPDX-License-Identifier: MIT
// What modules of the page need of a browser when they are imported.

const kept = new Map();
globalThis.localStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, String(value)),
};
globalThis.HTMLElement ??= class {};
globalThis.customElements ??= { define() {} };

const folder = new URL("../../../Sources/Products/TaplineInspector/Page/", import.meta.url);

/** Imports a module of the page by its name. */
export const load = (name) => import(new URL(name, folder));
export { folder };
