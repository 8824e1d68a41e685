// SPDX-License-Identifier: MIT
// @ts-check
// The columns of the list: how each is filled, sorted and sized.

import { clock, duration, methodClass, moment, outcome, shortType, size } from "./formats.js";
import { app } from "./app.js";

/** @typedef {import("./types").Row} Row */
/** @typedef {{from: number, to: number}} Window the time that the shown rows take */
/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} name
 * @property {string} sort a field, or empty
 * @property {number} width
 * @property {number} order which goes first if there is no room: the highest
 * @property {boolean} [right]
 * @property {(cell: HTMLElement, row: Row, window: Window) => void} fill
 * @property {(row: Row) => string} [title] what the pointer shows; else the text of the cell
 */

/** @param {HTMLElement} cell @param {string} text @param {string} [className] */
function put(cell, text, className = "") {
    if (cell.textContent !== text) cell.textContent = text;
    const classes = `cell ${cell.dataset.column}${className ? " " + className : ""}`;
    if (cell.className !== classes) cell.className = classes;
}

/**
 * What stands in the status column: always a word or number, never only a colour.
 * @param {Row} row
 */
export function statusWord(row) {
    if (row.live) return "…";
    if (row.state === "failed") return row.status ? `${row.status} failed` : row.error ?? "failed";
    if (row.state === "cancelled") return row.error ?? "cancelled";
    return row.status ? String(row.status) : "none";
}

/** @param {Row} row */
export function markWord(row) {
    const star = row.star || row.mark === "star" ? "★" : "";
    return star + (row.mark && row.mark !== "star" ? "●" : "") + (row.notes ? "✎" : "");
}

/**
 * `in progress, 12 s`.
 * @param {Row} row
 */
function running({ live, us }) {
    if (us === undefined) return live ?? "";
    return `${live}, ${us < 6e7 ? `${Math.floor(us / 1e6)} s` : duration(us)}`;
}

const PARTS = ["dns", "connect", "tls", "send", "wait", "receive"];

/** @param {HTMLElement} cell @param {Row} row @param {Window} window */
function waterfall(cell, row, window) {
    if (row.live) {
        cell.replaceChildren();
        return;
    }
    let bar = /** @type {HTMLElement | null} */ (cell.firstElementChild);
    if (!bar) {
        put(cell, "");
        bar = document.createElement("i");
        bar.append(document.createElement("b"));
        cell.append(bar);
    }
    const span = Math.max(1, window.to - window.from);
    const us = row.us ?? 0;
    const start = Math.min(1, Math.max(0, (row.at - window.from) / span));
    bar.style.left = `${(start * 100).toFixed(2)}%`;
    bar.style.width = `max(2px, ${(Math.min(1 - start, us / span) * 100).toFixed(2)}%)`;
    bar.className = outcome(row);
    const wait = /** @type {HTMLElement} */ (bar.firstElementChild);
    wait.style.width = `${us ? Math.min(100, (row.timing?.[4] ?? 0) / us * 100) : 0}%`;
}

/** @param {Row} row */
const origin = (row) =>
    (row.host ?? "") + (row.port && row.port !== 443 && row.port !== 80 ? `:${row.port}` : "");

/** @type {Column[]} */
export const COLUMNS = [
    {
        id: "mark",
        name: "Mark",
        sort: "",
        width: 28,
        order: 6,
        fill: (cell, row) => put(cell, markWord(row), row.mark ? `mark-${row.mark}` : ""),
        title: (row) =>
            [row.mark && `marked: ${row.mark}`, row.notes && `${row.notes} notes`].filter(Boolean)
                .join(", "),
    },
    {
        id: "time",
        name: "Time",
        sort: "started",
        width: 104,
        order: 3,
        fill: (cell, row) => put(cell, clock(row.at, app.utc, 3)),
        title: (row) => moment(row.at, app.utc),
    },
    {
        id: "method",
        name: "Method",
        sort: "method",
        width: 64,
        order: 1,
        fill: (cell, row) => put(cell, row.method, methodClass(row.method)),
    },
    {
        id: "status",
        name: "Status",
        sort: "status",
        width: 64,
        order: 0,
        fill: (cell, row) => put(cell, statusWord(row), outcome(row)),
    },
    {
        id: "host",
        name: "Host",
        sort: "host",
        width: 160,
        order: 5,
        fill: (cell, row) => put(cell, origin(row)),
        title: (row) => `${row.scheme ?? ""}://${origin(row)}`,
    },
    {
        id: "path",
        name: "Path",
        sort: "path",
        width: 0,
        order: -1,
        fill: (cell, row) => put(cell, row.live ? running(row) : row.path ?? ""),
    },
    {
        id: "type",
        name: "Type",
        sort: "content_type",
        width: 72,
        order: 8,
        fill: (cell, row) => put(cell, shortType(row.type)),
        title: (row) => row.type ?? "",
    },
    {
        id: "size",
        name: "Size",
        sort: "response.size",
        width: 82,
        order: 7,
        right: true,
        fill: (cell, row) => put(cell, row.live ? "" : size(row.down)),
        title: (row) => row.down === undefined ? "size unknown" : `${row.down} bytes`,
    },
    {
        id: "duration",
        name: "Duration",
        sort: "duration",
        width: 82,
        order: 2,
        right: true,
        fill: (cell, row) =>
            row.live
                ? put(cell, "")
                : put(cell, duration(row.us), (row.us ?? 0) > 1e6 ? "slow" : ""),
    },
    {
        id: "waterfall",
        name: "Waterfall",
        sort: "",
        width: 120,
        order: 9,
        fill: waterfall,
        title: (row) =>
            (row.timing ?? []).map((part, at) =>
                part === null ? "" : `${PARTS[at]} ${duration(part)}`
            )
                .filter(Boolean).join(", ") || duration(row.us),
    },
    {
        id: "up",
        name: "Sent",
        sort: "request.size",
        width: 82,
        order: 10,
        right: true,
        fill: (cell, row) => put(cell, row.live ? "" : size(row.up)),
    },
    {
        id: "client",
        name: "Client",
        sort: "client",
        width: 140,
        order: 11,
        fill: (cell, row) => put(cell, row.client ?? ""),
    },
    {
        id: "source",
        name: "Source",
        sort: "",
        width: 80,
        order: 12,
        fill: (cell, row) => put(cell, row.source ?? ""),
    },
    {
        id: "tags",
        name: "Tags",
        sort: "",
        width: 140,
        order: 13,
        fill: (cell, row) =>
            put(cell, Object.entries(row.tags ?? {}).map(([k, v]) => `${k}=${v}`).join(" ")),
    },
];

export const DEFAULT = [
    "mark",
    "time",
    "method",
    "status",
    "host",
    "path",
    "type",
    "size",
    "duration",
    "waterfall",
];
/** @type {Record<string, number>} */
const LEAST = { path: 140, host: 96 };

/** @type {Record<string, number>} */
let widths = {};
try {
    widths = JSON.parse(localStorage.getItem("tapline.widths") ?? "{}");
} catch { /* Defaults. */ }

/** @param {Column} column */
export const widthOf = (column) => Number(widths[column.id]) || column.width;

/** @param {string} id @param {number} width */
export function setWidth(id, width) {
    widths[id] = Math.max(28, Math.min(800, Math.round(width)));
    localStorage.setItem("tapline.widths", JSON.stringify(widths));
}

/** @param {string} text names, separated by commas; empty: those chosen last, or the default */
export function chosen(text) {
    const names = (text || localStorage.getItem("tapline.columns") || DEFAULT.join(",")).split(",");
    const found = names.flatMap((name) => COLUMNS.find((column) => column.id === name) ?? []);
    return found.some((column) => column.id === "path")
        ? found
        : COLUMNS.filter((c) => DEFAULT.includes(c.id));
}

/**
 * The names with one of them at another place.
 * @param {string[]} names @param {string} id @param {number} place
 */
export function moved(names, id, place) {
    const others = names.filter((name) => name !== id);
    others.splice(Math.max(0, Math.min(others.length, place)), 0, id);
    return others;
}

/**
 * Shows these columns, now and the next time; none: the default.
 * @param {string[]} names
 */
export function choose(names) {
    const text = names.join(",");
    localStorage.setItem("tapline.columns", text);
    // The address has them, so that a link shows the same.
    app.go({ columns: text }, true);
}

/**
 * The columns for which there is room.
 * @param {Column[]} columns @param {number} room
 */
export function fitting(columns, room) {
    const shown = [...columns];
    const used = () =>
        shown.reduce((sum, column) => sum + (LEAST[column.id] ?? widthOf(column)), 0);
    while (used() > room && shown.length > 3) {
        const last = shown.reduce((a, b) => (b.order > a.order ? b : a));
        shown.splice(shown.indexOf(last), 1);
    }
    return shown;
}

/**
 * The value of `grid-template-columns`: the host's column gives way to the path's.
 * @param {Column[]} columns
 * @param {number} room
 */
export function template(columns, room) {
    const spare = room -
        columns.reduce((sum, column) => sum + (LEAST[column.id] ?? widthOf(column)), 0);
    return columns.map((column) => {
        const width = column.id === "host"
            ? Math.min(widthOf(column), 96 + Math.max(0, spare) / 3)
            : widthOf(column);
        return width ? `${Math.round(width)}px` : "minmax(0,1fr)";
    }).join(" ");
}
