// SPDX-License-Identifier: MIT
// @ts-check
// What differs between two recordings or servers: the screen of files that 'tapline diff' writes.

import { app } from "../app.js";
import { button, h, sideways } from "../dom.js";
import { count, counted } from "../formats.js";

/**
 * @typedef {{
 *     target: string, place?: string, recorded: string, found: string, a?: string, b?: string
 * }} Example the ids of its exchanges are absent if the file does not have them
 * @typedef {{target: string, id?: string}} Single an exchange without a partner
 * @typedef {{path: string, change: string, count: number, examples: Example[]}} Part
 * @typedef {{
 *     name: string, counts: string, shift?: string, pairs: number, differing: number,
 *     missing: number, extra: number, noise: number, parts: Part[], more_parts?: number,
 *     missing_examples: Single[], extra_examples: Single[]
 * }} Route
 * @typedef {{
 *     recorded: string, found: string, summary: string, pairs: number, shown: number,
 *     routes: Route[], more_routes?: number
 * }} Differences
 */

const HEADS = ["Route", "Pairs", "Differ", "Missing", "Extra", "Ignored"];

/**
 * Opens an exchange in the list; a step back returns to what differs.
 * @param {string} id
 */
const open = (id) => app.go({ screen: "list", filter: "", from: null, to: null, id });

/** @param {string} text @param {boolean} isNumber */
const head = (text, isNumber) => h("th", { scope: "col", class: isNumber ? "right" : null }, text);

/** @param {number | undefined} count @param {string} what */
const more = (count, what) =>
    count ? h("p", { class: "soft" }, `and ${counted(count, `more ${what}`)}`) : null;

/**
 * The text as a button that opens an exchange, if the file has it.
 * @param {string} text @param {string | undefined} id
 */
function opening(text, id) {
    if (!id) return h("code", {}, text);
    return button(text, () => open(id), { title: "open the exchange" });
}

/** @param {Example} example @param {Part} part @param {boolean} isFirst */
function row({ target, place, recorded, found, a, b }, part, isFirst) {
    const both = a && b
        ? button("Compare", () => app.go({ screen: "compare", a, b }), {
            title: "both exchanges beside each other",
        })
        : null;
    const rowspan = part.examples.length;
    return h(
        "tr",
        {},
        isFirst && [
            h("th", { scope: "rowgroup", rowspan }, h("code", {}, part.path), ` ${part.change}`),
            h("td", { class: "right", rowspan }, count(part.count)),
        ],
        h(
            "th",
            { scope: "row" },
            opening(target, b ?? a),
            place ? h("code", { class: "soft" }, ` ${place}`) : null,
        ),
        h("td", { class: "value" }, h("code", {}, recorded)),
        h("td", { class: "value" }, h("code", {}, found)),
        h("td", {}, both),
    );
}

/** @param {string} word @param {number} all @param {Single[]} examples */
function alone(word, all, examples) {
    if (!all) return null;
    const more = all - examples.length;
    return h(
        "p",
        {},
        `${word}: `,
        examples.flatMap(({ target, id }, at) => [at ? ", " : "", opening(target, id)]),
        more > 0 ? ` and ${count(more)} more` : "",
    );
}

/** @param {Route} route @param {number} number @param {Differences} all */
function section(route, number, all) {
    return h(
        "section",
        { id: `route-${number}`, "aria-label": route.name },
        h("h3", {}, h("code", {}, route.name), h("small", { class: "soft" }, ` ${route.counts}`)),
        route.shift ? h("p", {}, route.shift) : null,
        route.parts.length
            ? sideways(
                `Differences of ${route.name}`,
                h(
                    "table",
                    { class: "sums differences" },
                    h(
                        "thead",
                        {},
                        h(
                            "tr",
                            {},
                            ["Part", "Times", "Exchange", all.recorded, all.found, "Show"].map(
                                (text, at) => head(text, at === 1),
                            ),
                        ),
                    ),
                    route.parts.map((part) =>
                        h(
                            "tbody",
                            {},
                            part.examples.map((example, at) => row(example, part, at === 0)),
                        )
                    ),
                ),
            )
            : null,
        more(route.more_parts, "part"),
        alone("Missing", route.missing, route.missing_examples),
        alone("Extra", route.extra, route.extra_examples),
    );
}

/**
 * Whether a route has more to show than its counts.
 * @param {Route} route
 */
const isShown = (route) =>
    route.differing + route.missing + route.extra > 0 || route.shift !== undefined;

/**
 * Scrolls to the section of a route, and moves the focus there.
 * @param {number} number
 */
function jump(number) {
    const place = document.getElementById(`route-${number}`);
    if (!place) return;
    place.tabIndex = -1;
    place.focus();
    place.scrollIntoView();
}

/** @param {Differences} all */
function overview(all) {
    const body = all.routes.map((route, number) => {
        const counts = [route.pairs, route.differing, route.missing, route.extra, route.noise];
        return h(
            "tr",
            {},
            h(
                "th",
                { scope: "row" },
                isShown(route)
                    ? button(route.name, () => jump(number))
                    : h("code", {}, route.name),
            ),
            counts.map((value, at) =>
                h(
                    "td",
                    { class: value && at > 0 && at < 4 ? "right failed" : "right" },
                    count(value),
                )
            ),
        );
    });
    return sideways(
        "Routes",
        h(
            "table",
            { class: "sums" },
            h(
                "thead",
                {},
                h("tr", {}, HEADS.map((text, at) => head(text, at > 0))),
            ),
            h("tbody", {}, body),
        ),
    );
}

/** @param {Differences} all */
export function note(all) {
    if (!all.shown) return "The file has none of the exchanges.";
    const left = all.pairs - all.shown;
    return `The file has the exchanges of ${counted(all.shown, "pair")} that ${
        all.shown === 1 ? "differs" : "differ"
    }${left > 0 ? `; ${count(left)} more are left out` : ""}.`;
}

/** @param {Differences} all */
export function differencesScreen(all) {
    return h(
        "div",
        { class: "page" },
        h("header", {}, h("h2", {}, `Differences of ${all.recorded} and ${all.found}`)),
        h("p", {}, `${all.summary}.`),
        h("p", { class: "soft" }, note(all)),
        overview(all),
        more(all.more_routes, "route"),
        all.routes.map((route, number) => isShown(route) ? section(route, number, all) : null),
    );
}
