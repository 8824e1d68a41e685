// SPDX-License-Identifier: MIT
// @ts-check
// What is shown in place of rows: the state of the list, and what to do.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, copy, h, replace } from "./dom.js";
import { conditions } from "./filters.js";
import { count } from "./formats.js";

/** @typedef {import("./dom.js").Child} Child */

/** @param {string} title @param {string} text @param {(Child | Child[])[]} actions */
export function notice(title, text, ...actions) {
    return h(
        "div",
        { class: "notice" },
        h("h2", {}, title),
        text ? h("p", {}, text) : null,
        h("div", { class: "actions" }, ...actions),
    );
}

/** Why something cannot be done here, or nothing. */
export const reasons = {
    rules: () => app.info?.can.rules ? "" : "only with a pipeline that has the stage rules",
    runs: () =>
        app.info?.can.actions ? "" : "only with inspect --actions, run --inspect or exec --inspect",
    resend: () => app.info?.can.resend ? "" : "only with run --inspect or exec --inspect",
};

/**
 * A command to run, with a button that copies it.
 * @param {string} text
 */
export function command(text) {
    return h(
        "p",
        { class: "command" },
        h("code", {}, text),
        button("Copy", () => copy(text, "command copied")),
    );
}

/**
 * The notice for a store that shows no rows, or null.
 * @param {(import("./types").StoreState & {stores: {path: string}[]}) | null} info
 */
export function storeNotice(info) {
    if (!info || info.state === "ok") return null;
    const store = info.stores[0]?.path ?? "the store";
    const help = info.help ?? "";
    const text = info.message ?? "";
    switch (info.state) {
        case "empty":
            return notice(
                "No exchanges yet",
                `${store} is open, and empty. What a pipeline writes to it appears here at once.`,
                command("tapline exec -- curl https://example.org"),
            );
        case "newer":
            return notice(
                "The store is newer than this program",
                sentence(text),
                help ? h("p", {}, sentence(help)) : null,
            );
        case "damaged":
            return notice(
                "The store is damaged",
                sentence(text),
                command(`tapline store verify ${store}`),
                lookAgain(),
            );
        case "missing":
            return notice(
                "There is no store",
                sentence(text),
                help ? h("p", {}, sentence(help)) : null,
                lookAgain(),
            );
        case "busy":
        case "locked":
            return notice(
                "The store is busy",
                sentence(text || "another process holds it"),
                help ? h("p", {}, sentence(help)) : null,
                lookAgain(),
            );
        default:
            return notice(
                "The store cannot be shown",
                sentence(text),
                help ? h("p", {}, sentence(help)) : null,
                lookAgain(),
            );
    }
}

/** The page tries by itself; who cannot wait presses the button. */
const lookAgain = () => [
    h("p", {}, "The page looks again by itself."),
    button("Look again now", () => app.emit("retry")),
];

/** @param {string} text */
const sentence = (text) =>
    text ? `${text[0]?.toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}` : "";

/** The server does not know this browser. */
export function refusedNotice() {
    if (api.takesPassword()) {
        return notice(
            "Logged out",
            "The command was started again, or other browsers have logged in since.",
            button("Log in", api.logIn),
        );
    }
    return app.info || app.expired
        ? notice(
            "This link has expired",
            "The command was started again, or has ended. Open the address that it printed last: " +
                "it ends in #token=…",
        )
        : notice(
            "Not signed in",
            "Open the address that the command printed: it ends in #token=… " +
                "After a restart of the command the address is another one.",
        );
}

/** @param {unknown} error */
export function failureNotice(error) {
    if (!(error instanceof api.Failure)) {
        return notice(
            "Something went wrong in the page",
            String(error),
            button("Load the page again", () => location.reload()),
        );
    }
    if (api.isRefused(error)) return refusedNotice();
    if (api.isGone(error)) {
        return notice(
            "The server does not answer",
            "It may have been stopped. The page tries again by itself, and goes on where it was.",
            button("Try now", () => app.emit("retry")),
        );
    }
    if (api.isPassing(error)) {
        const { code: state, message, help } = error;
        return storeNotice({ stores: app.info?.stores ?? [], state, message, help });
    }
    return notice(
        "This cannot be shown",
        sentence(error.message),
        error.help ? h("p", {}, sentence(error.help)) : null,
        button("Clear the filter", () => app.go({ filter: "", from: null, to: null })),
    );
}

/** Why a screen that counts has nothing to show. */
export const nothingCounted = () =>
    app.filter ? "Nothing matches the filter." : "No exchanges yet. What is written appears here.";

/** Nothing matches: says how many would without each condition. */
export function nothingNotice() {
    const box = notice(
        "Nothing matches",
        "",
        button("Clear the filter", () => app.go({ filter: "", from: null, to: null })),
    );
    offers(box.querySelector(".actions") ?? box);
    return box;
}

/** @param {Element} place */
async function offers(place) {
    const { filter, from, to } = app.state;
    const parts = conditions(filter) ?? [];
    const tries = parts.length > 1 || from !== null
        ? parts.map((part) => ({
            without: part,
            patch: { filter: parts.filter((other) => other !== part).join(" and ") },
        }))
        : [];
    /** @type {{without: string, patch: Partial<import("./address.js").State>}[]} */
    const all = from !== null || to !== null
        ? [{ without: "the time range", patch: { from: null, to: null } }, ...tries]
        : tries;
    for (const { without, patch } of all.slice(0, 5)) {
        const other = "from" in patch ? filter : patch.filter ?? "";
        try {
            const answer = /** @type {import("./types").Rows} */ (await api.get("rows", {
                filter: other,
                count: 1,
            }));
            if (!answer.total) continue;
            const more = answer.complete ? "" : " or more";
            place.append(
                button(`Without ${without}: ${count(answer.total)}${more}`, () => app.go(patch)),
            );
        } catch {
            return;
        }
    }
}

/**
 * Replaces what a place shows.
 * @param {HTMLElement} place @param {Child} content
 */
export function show(place, content) {
    place.hidden = !content;
    replace(place, content);
}
