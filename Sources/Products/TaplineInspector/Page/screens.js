// SPDX-License-Identifier: MIT
// @ts-check
// The screens beside the list. Each is loaded when it is opened.

/** @type {Record<string, () => Node | Promise<Node>>} */
export const screens = {
    apis: async () => (await import("./tl-apis.js")).apisScreen(),
    timeline: async () => (await import("./tl-timeline.js")).timelineScreen(),
    differs: async () => (await import("./tl-differs.js")).differsScreen(),
    summary: async () => (await import("./tl-summary.js")).summaryScreen(),
    compare: async () => (await import("./tl-compare.js")).compareScreen(),
    rules: async () => (await import("./rules-screen.js")).rulesScreen(),
    runs: async () => (await import("./runs-screen.js")).runsScreen(),
    paused: async () => (await import("./paused-screen.js")).pausedScreen(),
};

/**
 * The screen for a name of an address: the list if this page has no such screen.
 * @param {string} name
 */
export const existing = (name) => Object.hasOwn(screens, name) ? name : "list";
