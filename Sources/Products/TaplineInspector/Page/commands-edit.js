// SPDX-License-Identifier: MIT
// @ts-check
// The rows of the table of commands that change something: rules, requests, what is paused.

import { app } from "./app.js";

/** @typedef {import("./commands.js").Command} Command */

/** @param {string} screen @param {string} name @param {string} key @returns {Command} */
const screen = (screen, name, key) => ({
    id: `screen-${screen}`,
    name,
    keys: [`g ${key}`],
    group: "Screens",
    run: () => app.go({ screen }),
});

/**
 * What is done on one screen, by an event that the screen hears.
 * @param {string} screen @param {string} id @param {string} name @param {string} key
 * @param {unknown} [detail] @returns {Command}
 */
const on = (screen, id, name, key, detail) => ({
    id,
    name,
    keys: [key],
    group: screen === "rules" ? "Rules" : "Paused",
    can: () => app.state.screen === screen,
    run: () => app.emit(id, detail),
});

/** @type {Command[]} */
export const EDITING = [
    screen("rules", "Rules", "r"),
    on("rules", "save-rules", "Save the rules", "Ctrl-s"),
    on("rules", "rule-up", "Move the rule up", "Alt-ArrowUp"),
    on("rules", "rule-down", "Move the rule down", "Alt-ArrowDown"),
];
