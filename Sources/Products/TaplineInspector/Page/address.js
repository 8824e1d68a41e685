// SPDX-License-Identifier: MIT
// @ts-check
// The state of the page and its address. The address is in the fragment, which no server sees.

/**
 * @typedef {object} State
 * @property {string} screen one of `SCREENS`
 * @property {string} filter
 * @property {string} sort empty: newest first
 * @property {number | null} from start of the time range, in microseconds
 * @property {number | null} to
 * @property {string} id the open exchange
 * @property {string} tab of the detail
 * @property {string} columns empty: the default
 * @property {string} a first exchange of a comparison
 * @property {string} b
 * @property {string} chosen the filter of 'what differs'
 * @property {string} view how a screen shows what it has; empty: as at first
 */

/** @type {State} */
export const START = {
    screen: "list",
    filter: "",
    sort: "",
    from: null,
    to: null,
    id: "",
    tab: "response",
    columns: "",
    a: "",
    b: "",
    chosen: "",
    view: "",
};

export const SCREENS = [
    "list",
    "apis",
    "timeline",
    "differs",
    "compare",
    "summary",
    "runs",
    "rules",
    "paused",
    "differences",
];

/**
 * Reads a fragment such as `#/list?filter=status%20%3E%3D%20500`.
 * @param {string} fragment @returns {State}
 */
export function parse(fragment) {
    const [path = "", query = ""] = fragment.replace(/^#\/?/, "").split("?", 2);
    const values = new URLSearchParams(query);
    const state = { ...START };
    if (SCREENS.includes(path)) state.screen = path;
    for (
        const name of /** @type {const} */ ([
            "filter",
            "sort",
            "id",
            "tab",
            "columns",
            "a",
            "b",
            "chosen",
            "view",
        ])
    ) {
        state[name] = values.get(name) ?? START[name];
    }
    for (const name of /** @type {const} */ (["from", "to"])) {
        const number = Number(values.get(name) || NaN);
        state[name] = Number.isSafeInteger(number) ? number : null;
    }
    return state;
}

/**
 * Writes what differs from the start.
 * @param {State} state
 */
export function format(state) {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(state)) {
        if (name !== "screen" && value !== null && value !== /** @type {any} */ (START)[name]) {
            values.set(name, String(value));
        }
    }
    const query = values.toString().replace(/\+/g, "%20");
    return `#/${state.screen}${query ? "?" + query : ""}`;
}

/**
 * Takes the token out of the fragment that the command printed: `#token=T`, then `&` and an
 * address.
 * @param {string} fragment @returns {{token: string, rest: string} | null}
 */
export function token(fragment) {
    const found = /^#token=([^&]*)(?:&(.*))?$/.exec(fragment);
    return found
        ? { token: decodeURIComponent(found[1] ?? ""), rest: found[2] ? "#" + found[2] : "" }
        : null;
}
