// SPDX-License-Identifier: MIT
// @ts-check
// Routes with their counts, errors, times and bytes.

import * as api from "./api.js";
import { app } from "./app.js";
import { button, h, refresh, replace, sideways } from "./dom.js";
import { equals } from "./filters.js";
import { count, counted, duration, methodClass, moment, share, size } from "./formats.js";
import { failureNotice, nothingCounted } from "./states.js";

/** @typedef {import("./types").Api} Api */

/** @type {{name: string, value: (api: Api) => number | string, right?: boolean}[]} */
const COLUMNS = [
    { name: "Host", value: (one) => one.host },
    { name: "Route", value: (one) => one.route },
    { name: "Methods", value: (one) => Object.keys(one.methods).sort().join() },
    { name: "Count", value: (one) => one.count, right: true },
    { name: "Errors", value: (one) => one.errors / one.count, right: true },
    { name: "p50", value: (one) => one.p50 ?? -1, right: true },
    { name: "p95", value: (one) => one.p95 ?? -1, right: true },
    { name: "p99", value: (one) => one.p99 ?? -1, right: true },
    { name: "Sent", value: (one) => one.up, right: true },
    { name: "Received", value: (one) => one.down, right: true },
    { name: "Last", value: (one) => one.last, right: true },
];
const SHOWN = 300;

/**
 * A line of counts.
 * @param {number[]} values
 */
export function spark(values) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    const most = Math.max(1, ...values);
    svg.setAttribute("viewBox", `0 0 ${Math.max(1, values.length - 1)} 16`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("class", "spark");
    svg.setAttribute("role", "img");
    svg.setAttribute(
        "aria-label",
        `from ${count(values[0] ?? 0)} to ${count(values.at(-1) ?? 0)}, at most ${count(most)}`,
    );
    line.setAttribute(
        "points",
        values.map((value, at) => `${at},${15 - value / most * 14}`).join(" "),
    );
    svg.append(line);
    return svg;
}

/** @param {Api} one */
const isHost = (one) => !one.route.startsWith("/") && / routes?$/.test(one.route);

/**
 * Sums of all routes of a host. Percentiles cannot be added.
 * @param {Api[]} all
 */
export function byHost(all) {
    /** @type {Map<string, {sum: Api, routes: number}>} */
    const hosts = new Map();
    for (const one of all) {
        const found = hosts.get(one.host);
        const sum = found?.sum ??
            {
                ...one,
                methods: {},
                statuses: {},
                count: 0,
                errors: 0,
                up: 0,
                down: 0,
                last: 0,
                p50: undefined,
                p95: undefined,
                p99: undefined,
                spark: one.spark?.map(() => 0),
            };
        sum.spark = sum.spark?.map((hits, at) => hits + (one.spark?.[at] ?? 0));
        for (const kind of /** @type {const} */ (["methods", "statuses"])) {
            for (const [name, hits] of Object.entries(one[kind])) {
                sum[kind][name] = (sum[kind][name] ?? 0) + hits;
            }
        }
        for (const kind of /** @type {const} */ (["count", "errors", "up", "down"])) {
            sum[kind] += one[kind];
        }
        sum.last = Math.max(sum.last, one.last);
        hosts.set(one.host, { sum, routes: (found?.routes ?? 0) + 1 });
    }
    return [...hosts.values()].map(({ sum, routes }) => ({
        ...sum,
        route: counted(routes, "route"),
    }));
}

/**
 * The filter for the exchanges of a route, or of a host.
 * @param {Api} one
 */
export function filterOf(one) {
    const [, host = one.host, port] = /^(.*?)(?::(\d+))?$/.exec(one.host) ?? [];
    const parts = [
        equals("host", host),
        port ? equals("port", port) : "",
        isHost(one) ? "" : equals("route", one.route),
    ].filter(Boolean);
    return parts.join(" and ");
}

/** @param {Api} one */
function row(one) {
    const open = () => app.go({ screen: "list", filter: filterOf(one) });
    return h(
        "tr",
        {},
        h("td", { class: "soft" }, one.host),
        h("th", { scope: "row" }, button(one.route, open, { title: "show its exchanges" })),
        h(
            "td",
            {},
            Object.keys(one.methods).sort().map((method) =>
                h("span", {
                    class: `method ${methodClass(method)}`,
                    title: count(one.methods[method] ?? 0),
                }, method)
            ),
        ),
        h("td", { class: "right" }, count(one.count), one.spark ? spark(one.spark) : null),
        h(
            "td",
            { class: one.errors ? "right failed" : "right soft" },
            one.errors ? share(one.errors / one.count) : "none",
        ),
        [one.p50, one.p95, one.p99].map((value) =>
            h("td", { class: (value ?? 0) > 1e6 ? "right slow" : "right" }, duration(value))
        ),
        h("td", { class: "right" }, size(one.up)),
        h("td", { class: "right" }, size(one.down)),
        h(
            "td",
            { class: "right soft", title: moment(one.last, app.utc) },
            moment(one.last, app.utc).slice(5, 19),
        ),
    );
}

/**
 * @typedef {{hosts: boolean, order: number, down: boolean, find: string}} View
 * @type {View}
 */
const FIRST = { hosts: false, order: 3, down: true, find: "" };

/**
 * Reads how the table is shown from the address: `hosts,-p95,text`.
 * @param {string} text @returns {View}
 */
export function readView(text) {
    if (!text) return { ...FIRST };
    const [rows, sort = "", ...find] = text.split(",");
    const order = COLUMNS.findIndex(({ name }) => name === sort.replace(/^-/, ""));
    return {
        hosts: rows === "hosts",
        order: order < 0 ? FIRST.order : order,
        down: order < 0 || sort.startsWith("-"),
        find: find.join(","),
    };
}

/** @param {View} view */
export function writeView({ hosts, order, down, find }) {
    const isFirst = !hosts && order === FIRST.order && down && !find;
    if (isFirst) return "";
    return `${hosts ? "hosts" : "routes"},${down ? "-" : ""}${COLUMNS[order]?.name ?? ""},${find}`;
}

export function apisScreen() {
    let { hosts, order, down, find: wanted } = readView(app.state.view);
    /** @type {Api[]} */
    let all = [];
    let hidden = 0;
    const note = h("p", { class: "soft" }, "Counting…");
    const heads = h("tr", {});
    const body = h("tbody", {});
    const find = h("input", {
        type: "search",
        placeholder: "Host or route",
        "aria-label": "Host or route",
        value: wanted,
    });
    const choice = h("div", { class: "choice", role: "group", "aria-label": "Rows" });
    const draw = () => {
        if (app.state.screen === "apis") {
            app.go({ view: writeView({ hosts, order, down, find: wanted }) }, true);
        }
        refresh(
            choice,
            [["Routes", false], ["Hosts", true]].map(([name, value]) =>
                button(String(name), () => {
                    hosts = Boolean(value);
                    draw();
                }, { "aria-pressed": String(hosts === value) })
            ),
        );
        const by = COLUMNS[order] ?? COLUMNS[0];
        const text = wanted.toLowerCase();
        const shown = (hosts ? byHost(all) : all).filter((one) =>
            `${one.host}${one.route}`.toLowerCase().includes(text)
        ).sort((a, b) => {
            const [x, y] = [by?.value(a) ?? 0, by?.value(b) ?? 0];
            return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
        refresh(
            heads,
            COLUMNS.map((column, at) =>
                h(
                    "th",
                    {
                        scope: "col",
                        class: column.right ? "right" : null,
                        "aria-sort": at === order ? (down ? "descending" : "ascending") : "none",
                    },
                    button(column.name + (at === order ? (down ? " ↓" : " ↑") : ""), () => {
                        down = at === order ? !down : Boolean(column.right);
                        order = at;
                        draw();
                    }),
                )
            ),
        );
        replace(
            body,
            all.length
                ? shown.slice(0, SHOWN).map(row)
                : h(
                    "tr",
                    {},
                    h("td", { colspan: COLUMNS.length, class: "soft" }, nothingCounted()),
                ),
        );
        const names = new Set(shown.map((one) => one.host)).size;
        const sum = shown.reduce((total, one) => total + one.count, 0);
        replace(
            note,
            `${hosts ? "" : `${counted(shown.length, "route")} of `}${counted(names, "host")}, ${
                counted(sum, "exchange")
            }` +
                `${shown.length > SHOWN ? `; the first ${SHOWN} are shown` : ""}${
                    hidden ? `; ${count(hidden)} rare routes are left out` : ""
                }${app.filter ? `; filter: ${app.filter}` : ""}`,
        );
    };
    find.addEventListener("input", () => {
        wanted = find.value;
        draw();
    });
    const load = async () => {
        try {
            const answer =
                /** @type {{apis: Api[], complete?: boolean, hidden?: number}} */ (await api.get(
                    "apis",
                    { filter: app.filter },
                ));
            all = answer.apis;
            hidden = answer.hidden ?? 0;
            draw();
            if (answer.complete === false && note.isConnected) setTimeout(load, 500);
        } catch (error) {
            replace(note, failureNotice(error));
        }
    };
    load();
    return h(
        "div",
        { class: "page" },
        h("header", {}, h("h2", {}, "APIs"), choice, find),
        note,
        sideways("Routes", h("table", { class: "sums" }, h("thead", {}, heads), body)),
    );
}
