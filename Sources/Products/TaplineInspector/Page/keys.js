// SPDX-License-Identifier: MIT
// @ts-check
// From key strokes to commands, with two-key sequences such as `g l`.

import { COMMANDS } from "./commands.js";

const SEQUENCE = 1200;

/** @param {KeyboardEvent} event */
export function stroke(event) {
    if (event.altKey) return `Alt-${event.key}`;
    if (event.ctrlKey || event.metaKey) return `Ctrl-${event.key.toLowerCase()}`;
    return event.shiftKey && event.key.length > 1 ? `Shift-${event.key}` : event.key;
}

/** @param {EventTarget | null} target */
const isTyping = (target) =>
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/**
 * Whether keys such as arrows belong to what has the focus.
 * @param {EventTarget | null} target
 */
const isOwnControl = (target) =>
    target instanceof HTMLElement &&
    target.closest(
            "button, a, summary, select, dialog, .screen, [role=tab], [role=treeitem], " +
                "[role=tabpanel], [role=separator]",
        ) !== null;

/** @param {import("./page.js").Page} page */
export function listen(page) {
    let first = "";
    let timer = 0;
    document.addEventListener("keydown", (event) => {
        if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
        const key = stroke(event);
        if (isTyping(event.target) && key !== "Escape" && !key.startsWith("Ctrl-")) return;
        const keys = first ? `${first} ${key}` : key;
        first = "";
        clearTimeout(timer);
        const command = COMMANDS.find((one) =>
            one.keys.includes(keys) && !(key.length > 1 && one.list && isOwnControl(event.target))
        );
        if (command) {
            event.preventDefault();
            if (command.can && !command.can(page)) return;
            command.run(page);
        } else if (
            !keys.includes(" ") && key.length === 1 &&
            COMMANDS.some((one) => one.keys.some((other) => other.startsWith(`${keys} `)))
        ) {
            event.preventDefault();
            first = keys;
            timer = setTimeout(() => {
                first = "";
                if (keys === "c") page.run("copy");
            }, SEQUENCE);
        }
    });
}
