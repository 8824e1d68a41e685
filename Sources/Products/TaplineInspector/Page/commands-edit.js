// SPDX-License-Identifier: MIT
// @ts-check
// The rows of the table of commands that change something: rules, requests, what is paused.

import { app } from "./app.js";
import { announce } from "./dom.js";
import { reasons } from "./states.js";

/** @typedef {import("./commands.js").Command} Command @typedef {import("./page.js").Page} Page */

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
 * @param {string} screen @param {string} id @param {string} name @param {string[]} keys
 * @returns {Command}
 */
const on = (screen, id, name, ...keys) => ({
    id,
    name,
    keys,
    group: screen === "rules" ? "Rules" : "Paused",
    can: () => app.state.screen === screen,
    run: () => app.emit(id),
});

/**
 * What is done with an exchange; where it cannot be, the reason is said.
 * @param {string} id @param {string} name @param {string} key
 * @param {(id: string, page: Page) => Promise<void>} run @param {() => string} [why] @returns {Command}
 */
const withRow = (id, name, key, run, why) => ({
    id,
    name,
    keys: [key],
    group: "Rules and requests",
    menu: true,
    why,
    can: (page) => Boolean(page.row) && app.state.screen === "list",
    run: (page) => {
        const reason = why?.();
        if (reason) announce(`${name}: ${reason}`);
        else if (page.row) {
            run(page.row.id, page).catch((error) => announce(`${name}: ${error.message}`));
        }
    },
});

/**
 * What is done with the selection, or with all that the list shows.
 * @param {string} id @param {string} name @param {string[]} keys
 * @param {(page: Page) => Promise<void>} run @returns {Command}
 */
const ofList = (id, name, keys, run) => ({
    id,
    name,
    keys,
    group: "Rules and requests",
    menu: keys.length > 0,
    can: () => app.info?.mode !== "share",
    run: (page) => {
        run(page).catch((error) => announce(`${name}: ${error.message}`));
    },
});

/** @type {Command[]} */
export const EDITING = [
    screen("runs", "Replays and mocks", "y"),
    screen("rules", "Rules", "r"),
    screen("paused", "Paused", "p"),
    withRow(
        "resend",
        "Resend",
        "r",
        async (id, page) => (await import("./resend-dialog.js")).resend(id, page),
        reasons.resend,
    ),
    withRow(
        "edit-resend",
        "Edit and resend",
        "R",
        async (id, page) => (await import("./resend-dialog.js")).editAndResend(id, page),
        reasons.resend,
    ),
    withRow(
        "make-rule",
        "Make a rule from this",
        "a",
        async (id) => (await import("./rules-from.js")).makeRule(id),
        reasons.rules,
    ),
    withRow(
        "lua-recipe",
        "Lua hook for this",
        "l",
        async (id) => (await import("./rules-from.js")).showRecipe(id),
    ),
    ofList("replay", "Replay …", ["y"], async (page) =>
        (await import("./runs-dialog.js")).startDialog("replay", page)),
    ofList("mock", "Mock …", ["Y"], async (page) =>
        (await import("./runs-dialog.js")).startDialog("mock", page)),
    ofList("copy-diff", "Copy the command of a comparison", [], async (page) =>
        (await import("./runs-dialog.js")).copyDiff(page)),
    on("rules", "save-rules", "Save the rules", "Ctrl-s"),
    on("rules", "rule-up", "Move the rule up", "Alt-ArrowUp"),
    on("rules", "rule-down", "Move the rule down", "Alt-ArrowDown"),
    on("paused", "paused-go", "Go on, or send the answer", "f", "Ctrl-enter"),
    on("paused", "paused-answer", "Answer instead", "v"),
    on("paused", "paused-abort", "Abort", "X"),
];
