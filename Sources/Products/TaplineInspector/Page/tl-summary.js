// SPDX-License-Identifier: MIT
// @ts-check
// A run at a glance: totals, rate, errors, the busiest hosts, and the routes that stand out.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, h, replace, sideways } from "./dom.js";
import { count, counted, duration, moment, perSecond, share, size } from "./formats.js";
import { failureNotice, nothingCounted, notice } from "./states.js";
import { byHost, filterOf, spark } from "./tl-apis.js";

/**
 * @typedef {import("./types").Api} Api
 * @typedef {import("./types").Timeline} Timeline
 */

const SHOWN = 6;
const BUCKETS = 120;

/**
 * What is said of all exchanges together.
 * @param {Timeline} timeline @param {Api[]} apis
 */
export function totals(timeline, apis) {
    const sum = (/** @type {number} */ place) =>
        timeline.buckets.reduce((total, bucket) => total + (bucket[place] ?? 0), 0);
    const used = timeline.buckets.flatMap(([hits], at) => hits ? [at] : []);
    const steps = used.length ? (used.at(-1) ?? 0) - (used[0] ?? 0) + 1 : 0;
    const step = timeline.step / 1e6;
    return {
        count: sum(0),
        errors: sum(1),
        seconds: steps * step,
        peak: Math.max(0, ...timeline.buckets.map(([hits]) => hits)),
        step,
        up: apis.reduce((total, one) => total + one.up, 0),
        down: apis.reduce((total, one) => total + one.down, 0),
        hosts: new Set(apis.map(({ host }) => host)).size,
        routes: apis.length,
    };
}

/**
 * The first ones by a value, without those that have none.
 * @param {Api[]} all @param {(one: Api) => number} value
 */
export function first(all, value) {
    return all.filter((one) => value(one) > 0).sort((a, b) => value(b) - value(a)).slice(0, SHOWN);
}

/** @param {string} name @param {string} value @param {string} [more] @param {string} [state] */
const fact = (name, value, more = "", state = "") =>
    h(
        "div",
        {},
        h("dt", {}, name),
        h("dd", { class: state || null }, value),
        more ? h("dd", { class: "soft" }, more) : null,
    );

/** @param {ReturnType<typeof totals>} sums */
function facts(sums) {
    const active = app.head.unfinished?.length ?? 0;
    return h(
        "dl",
        { class: "figures" },
        fact("Exchanges", count(sums.count), active ? `${count(active)} in progress` : ""),
        fact(
            "Errors",
            sums.errors ? share(sums.errors / Math.max(1, sums.count)) : "none",
            sums.errors ? count(sums.errors) : "",
            sums.errors ? "failed" : "s2",
        ),
        fact("Time", duration(sums.seconds * 1e6)),
        fact(
            "A second",
            perSecond(sums.count, sums.seconds),
            sums.step < 1 ? "" : `at most ${perSecond(sums.peak, sums.step)}`,
        ),
        fact("Sent", size(sums.up)),
        fact("Received", size(sums.down)),
        fact("Hosts", count(sums.hosts), counted(sums.routes, "route")),
    );
}

/**
 * @param {string} title @param {Api[]} all @param {string} head
 * @param {(one: Api) => string} value @param {(one: Api) => string} name
 */
function part(title, all, head, value, name) {
    return h(
        "section",
        {},
        h("h3", {}, title),
        all.length
            ? sideways(
                title,
                h(
                    "table",
                    { class: "sums" },
                    h(
                        "thead",
                        { class: "hidden" },
                        h(
                            "tr",
                            {},
                            ["Where", "Over time", head].map((text) =>
                                h("th", { scope: "col" }, text)
                            ),
                        ),
                    ),
                    h(
                        "tbody",
                        {},
                        all.map((one) =>
                            h(
                                "tr",
                                {},
                                h(
                                    "th",
                                    { scope: "row" },
                                    button(
                                        name(one),
                                        () => app.go({ screen: "list", filter: filterOf(one) }),
                                        { title: "show its exchanges" },
                                    ),
                                ),
                                h("td", {}, one.spark ? spark(one.spark) : null),
                                h("td", { class: "right" }, value(one)),
                            )
                        ),
                    ),
                ),
            )
            : h("p", { class: "soft" }, "None."),
    );
}

/** @param {HTMLElement} box @param {Timeline} timeline @param {Api[]} apis */
function draw(box, timeline, apis) {
    const sums = totals(timeline, apis);
    if (!sums.count) {
        replace(box, notice("Nothing to sum up", nothingCounted()));
        return;
    }
    const second = (/** @type {number} */ us) => moment(us, app.utc).slice(0, 19);
    const route = (/** @type {Api} */ one) => one.host + one.route;
    replace(
        box,
        h(
            "p",
            { class: "soft" },
            `${second(timeline.from)} – ${
                second(timeline.from + timeline.step * timeline.buckets.length)
            }${app.filter ? `; filter: ${app.filter}` : ""}`,
        ),
        facts(sums),
        h(
            "div",
            { class: "parts" },
            part(
                "Busiest hosts",
                first(byHost(apis), (one) => one.count),
                "Exchanges",
                (one) => count(one.count),
                (one) => one.host,
            ),
            part(
                "Most errors",
                first(apis, (one) => one.errors),
                "Errors",
                (one) => `${count(one.errors)}, ${share(one.errors / one.count)}`,
                route,
            ),
            part(
                "Slowest routes",
                first(apis, (one) => one.p95 ?? 0),
                "p95",
                (one) => `p95 ${duration(one.p95)}`,
                route,
            ),
            part(
                "Most received",
                first(apis, (one) => one.down),
                "Received",
                (one) => `${size(one.down)}, ${size(Math.round(one.down / one.count))} each`,
                route,
            ),
        ),
    );
}

export function summaryScreen() {
    const box = h("div", {}, h("p", { class: "soft" }, "Counting…"));
    const load = async () => {
        const { filter } = app;
        try {
            const [timeline, answer] = await Promise.all([
                /** @type {Promise<Timeline>} */ (api.get("timeline", {
                    filter,
                    buckets: BUCKETS,
                    from: app.state.from,
                    to: app.state.to,
                })),
                /** @type {Promise<{apis: Api[], complete?: boolean}>} */ (api.get("apis", {
                    filter,
                })),
            ]);
            draw(box, timeline, answer.apis);
            const isDone = timeline.complete !== false && answer.complete !== false;
            if (!isDone && box.isConnected) setTimeout(load, 500);
        } catch (error) {
            replace(box, failureNotice(error));
        }
    };
    load();
    return h(
        "div",
        { class: "page" },
        h("header", {}, h("h2", {}, "Summary"), button("Count again", load)),
        box,
    );
}
