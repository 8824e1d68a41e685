// SPDX-License-Identifier: MIT
// @ts-check
// Replays and mocks: how far they are, what they found, and how to end them.

import * as api from "./api.js";
import { app } from "./app.js";
import { announce, append, button, copy, h, refresh, replace, sideways, whileShown } from "./dom.js";
import { clock, count, counted, day } from "./formats.js";
import { failureNotice, notice } from "./states.js";

/**
 * @typedef {import("./types").Run} Run @typedef {import("./types").Differences} Differences
 * @typedef {{
 *     top: HTMLElement, below: HTMLElement, wasRunning: boolean, isStopping: boolean,
 *     isDone: boolean
 * }} Shown a run on the screen: its figures, and below its differences
 */

const LOOK = 700;
/** While nothing runs, one look of so many: other pages start runs, too. */
const IDLE = 8;
/** The most parts of a route that are shown, and about how many are drawn at once. */
const [ROUTE_PARTS, PARTS] = [50, 300];

/** @param {string} text @param {() => void} go @param {string} title */
const link = (text, go, title) => button(text, go, { class: "link", title });

/** @param {import("./types").DifferingPart} part */
function rows(part) {
    return part.examples.map((one, at) =>
        h(
            "tr",
            {},
            at ? null : h(
                "th",
                { scope: "rowgroup", rowspan: part.examples.length },
                h("code", {}, part.path),
                h("small", { class: "soft" }, ` ${part.kind}, ${counted(part.count, "time")}`),
            ),
            h("td", {}, h("code", {}, one.recorded)),
            h("td", {}, h("code", {}, one.found)),
            h(
                "td",
                { class: "run-links" },
                link(
                    "compare",
                    () => app.go({ screen: "compare", a: one.recorded_id, b: one.id }),
                    one.target,
                ),
                link("recorded", () => app.go({ screen: "list", id: one.recorded_id }), one.target),
                link("new", () => app.go({ screen: "list", id: one.id }), one.target),
            ),
        )
    );
}

/**
 * The first of the routes, as many as may be drawn at once; a server decides how many differ.
 * @param {import("./types").DifferingRoute[]} routes
 */
function firstOf(routes) {
    let [parts, end] = [0, 0];
    for (; end < routes.length && parts < PARTS; end += 1) {
        parts += Math.min(Math.max(routes[end]?.parts.length ?? 0, 1), ROUTE_PARTS);
    }
    return routes.slice(0, end);
}

/**
 * Shows routes, and a button for those that are left.
 * @param {import("./types").DifferingRoute[]} routes @param {number} id @param {HTMLElement} place
 */
function showRoutes(routes, id, place) {
    const first = firstOf(routes).map((route) => routeSection(route, id));
    append(place, first);
    const left = routes.slice(first.length);
    if (!left.length) return first[0];
    const more = h("p", {}, button(`Show more: ${counted(left.length, "route")} left`, () => {
        more.remove();
        const next = showRoutes(left, id, place);
        if (!next) return;
        next.tabIndex = -1;
        next.focus();
    }, { class: "framed" }));
    place.append(more);
    return first[0];
}

/** @param {import("./types").DifferingRoute} route @param {number} id */
function routeSection(route, id) {
    const left = Math.max(route.parts.length - ROUTE_PARTS, 0) + (route.more_parts ?? 0);
    return h(
        "section",
        {},
        h(
            "h3",
            {},
            `${route.method} ${route.route}`,
            h(
                "span",
                { class: "s4" },
                ` ${count(route.differing)} of ${count(route.pairs)} differ`,
            ),
        ),
        sideways(
            `Differences of ${route.method} ${route.route} in run ${id}`,
            h(
                "table",
                { class: "sums run-differences" },
                h(
                    "thead",
                    {},
                    h(
                        "tr",
                        {},
                        ["Part", "Recorded", "New", "Show"].map((name) =>
                            h("th", { scope: "col" }, name)
                        ),
                    ),
                ),
                route.parts.slice(0, ROUTE_PARTS).map((part) => h("tbody", {}, rows(part))),
            ),
        ),
        left > 0 && h("p", { class: "soft" }, `and ${counted(left, "more part")}`),
    );
}

/** @param {number} id @param {HTMLElement} place */
async function showDifferences(id, place) {
    try {
        const found = /** @type {Differences} */ (await api.get(`runs/${id}/differences`));
        const routes = found.routes.filter(({ differing }) => differing);
        replace(place);
        showRoutes(routes, id, place);
    } catch (error) {
        const again = async () => {
            await showDifferences(id, place);
            place.tabIndex = -1;
            place.focus();
        };
        const text = error instanceof Error ? error.message : String(error);
        replace(
            place,
            h("p", { class: "failed", role: "alert" }, `The differences cannot be shown: ${text}`),
            button("Try again", again, { class: "framed" }),
        );
    }
}

/** @param {Run} run */
function outcome({ pairs, differing }) {
    if (pairs === undefined) return null;
    if (!pairs) return h("p", { class: "warn" }, "Nothing could be compared.");
    return differing
        ? h("p", { class: "s4" }, `${count(differing)} of ${counted(pairs, "answer")} differ.`)
        : h("p", { class: "s2" }, `${counted(pairs, "answer")} compared: all are the same.`);
}

/**
 * Tells how a run has ended.
 * @param {Run} run
 */
function announceEnd(run) {
    const end = `${run.kind} ${run.failure ? "failed" : "ended"}`;
    announce([end, outcome(run)?.textContent].filter(Boolean).join(": "));
}

/** @param {Run} run @param {Shown} part */
function head(run, part) {
    const name = run.kind === "replay" ? `Replay to ${run.to}` : "Mock";
    return [
        h(
            "header",
            {},
            h("h3", {}, name),
            h("span", { class: run.failure ? "failed" : run.running ? "s2" : "soft" }, [
                run.failure ? "failed" : run.running ? "running" : "ended",
            ]),
            h("span", { class: "soft" }, `${day(run.at, app.utc)} ${clock(run.at, app.utc)}`),
            h("span", { class: "gap" }),
            run.running && button(part.isStopping ? "Stopping …" : "Stop", () => stop(run, part), {
                class: "framed",
                "aria-disabled": part.isStopping ? "true" : null,
                "data-key": `stop-${run.id}`,
            }),
        ),
        run.url && run.running && h(
            "p",
            { class: "command" },
            h("code", {}, run.url),
            button("Copy", () => copy(run.url ?? "", "address copied"), {
                "data-key": `copy-${run.id}`,
            }),
        ),
        run.filter && h("p", { class: "soft run-filter" }, h("code", {}, run.filter)),
        run.failure && h("p", { class: "failed" }, run.failure),
        run.lines.length > 0 &&
        sideways(
            `Figures of run ${run.id}`,
            h("pre", { class: "run-lines" }, run.lines.join("\n")),
        ),
        outcome(run),
    ];
}

/**
 * Requests in progress may take long to end.
 * @param {Run} run @param {Shown} part
 */
async function stop(run, part) {
    if (part.isStopping) return;
    const draw = (/** @type {boolean} */ isStopping) => {
        part.isStopping = isStopping;
        if (!part.isDone) refresh(part.top, ...head(run, part));
    };
    draw(true);
    announce("stopping");
    try {
        await api.post(`runs/${run.id}/stop`, {});
    } catch (error) {
        draw(false);
        announce(error instanceof Error ? error.message : String(error));
    }
}

/**
 * Draws the figures of a run; the focus stays in its part when its buttons go.
 * @param {Run} run @param {Shown} part
 */
function update(run, part) {
    const hadFocus = part.top.contains(document.activeElement);
    refresh(part.top, ...head(run, part));
    if (hadFocus && !part.top.contains(document.activeElement)) {
        part.top.tabIndex = -1;
        part.top.focus();
    }
    if (run.running) {
        part.wasRunning = true;
        return;
    }
    part.isDone = true;
    if (part.wasRunning) announceEnd(run);
    if (run.differing) showDifferences(run.id, part.below);
}

export function runsScreen() {
    const list = h("div", { class: "runs" });
    /** @type {Map<number, Shown>} */
    const shown = new Map();
    let [isIdle, isLoading, looks] = [false, false, 0];
    let state = "";
    /**
     * Shows what stands in the place of runs, once.
     * @param {string} name @param {() => Node | null} make
     */
    const instead = (name, make) => {
        if (state !== name) replace(list, make());
        state = name;
    };

    const draw = (/** @type {Run[]} */ runs) => {
        isIdle = runs.every(({ running }) => !running);
        if (!runs.length) {
            const { actions } = app.info?.can ?? {};
            instead(actions ? "none" : "off", () =>
                actions
                    ? notice(
                        "No replays or mocks yet",
                        "Replay what the list shows to another server, or let a mock answer.",
                        button("Replay …", () => app.emit("command", "replay")),
                        button("Mock …", () => app.emit("command", "mock")),
                    )
                    : notice(
                        "Replays and mocks are turned off",
                        "Start the page with a pipeline, or with: tapline inspect --actions",
                    ));
            return;
        }
        if (!shown.size) replace(list);
        state = "runs";
        for (const run of [...runs].reverse()) {
            let part = shown.get(run.id);
            if (!part) {
                const [top, below] = [h("div", {}), h("div", {})];
                part = { top, below, wasRunning: false, isStopping: false, isDone: false };
                shown.set(run.id, part);
                list.prepend(h("article", { class: "run" }, top, below));
            }
            if (!part.isDone) update(run, part);
        }
    };
    const load = async () => {
        isLoading = true;
        try {
            draw(/** @type {{runs: Run[]}} */ (await api.get("runs")).runs);
        } catch (error) {
            if (!shown.size) instead(`failed ${error}`, () => failureNotice(error));
        } finally {
            isLoading = false;
        }
    };
    whileShown(list, [[app, "runs", load], [app, "resumed", load]], LOOK, () => {
        looks += 1;
        if (document.hidden || isLoading) return;
        if (!isIdle || looks % IDLE === 0) load();
    });
    load();
    return h(
        "div",
        { class: "page" },
        h(
            "header",
            {},
            h("h2", {}, "Replays and mocks"),
            h(
                "div",
                { class: "choice" },
                button("Replay …", () => app.emit("command", "replay")),
                button("Mock …", () => app.emit("command", "mock")),
            ),
        ),
        list,
    );
}
