// SPDX-License-Identifier: MIT
// @ts-check
// Timing, connection, certificates and bytes of an exchange.

import { app } from "./app.js";
import { h } from "./dom.js";
import { count, duration, moment, size } from "./formats.js";
import { plain } from "./messages.js";
import { pairTable } from "./viewers.js";

/** @typedef {import("./types").Detail} Detail */

const PHASES = [
    ["dns", "Name resolution"],
    ["connect", "Connect"],
    ["tls", "TLS"],
    ["send", "Send"],
    ["wait", "Wait"],
    ["receive", "Receive"],
];

/** @param {Detail} detail */
function bars(detail) {
    const timing = detail.record.timing ?? {};
    const total = Math.max(
        timing.total_ms ?? 0,
        PHASES.reduce((sum, [name]) => sum + (timing[`${name}_ms`] ?? 0), 0),
    );
    let at = 0;
    const rows = PHASES.map(([name, label]) => {
        const ms = timing[`${name}_ms`];
        const bar = h("i", { class: `phase-${name}` });
        if (ms !== undefined && total) {
            bar.style.left = `${at / total * 100}%`;
            bar.style.width = `max(2px, ${ms / total * 100}%)`;
            at += ms;
        }
        return h(
            "tr",
            {},
            h("th", { scope: "row" }, label),
            h("td", { class: "track" }, ms === undefined ? null : bar),
            h(
                "td",
                { class: ms === undefined ? "right soft" : "right" },
                ms === undefined ? "not known" : duration(ms * 1000),
            ),
        );
    });
    return h(
        "table",
        { class: "timing" },
        h("caption", {}, "Timing"),
        h(
            "tbody",
            {},
            rows,
            h(
                "tr",
                { class: "total" },
                h("th", { scope: "row" }, "Total"),
                h("td", {}),
                h(
                    "td",
                    { class: "right" },
                    timing.total_ms === undefined ? "not known" : duration(timing.total_ms * 1000),
                ),
            ),
        ),
    );
}

/** @param {unknown} value */
const words = (value) =>
    typeof value === "object"
        ? JSON.stringify(value)
        : value === true
        ? "yes"
        : value === false
        ? "no"
        : String(value);

/** @param {string} title @param {Record<string, unknown> | undefined} values */
function table(title, values) {
    const rows = Object.entries(values ?? {}).filter(([, value]) =>
        value !== undefined && value !== null
    );
    return rows.length
        ? h(
            "section",
            {},
            h("h3", {}, title),
            pairTable(rows.map(([name, value]) => [name, words(value)]), null),
        )
        : null;
}

/** @param {Detail} detail */
function bytes(detail) {
    const { bytes: sums, request, response } = detail.record;
    const row = (/** @type {string} */ name, /** @type {(number | undefined)[]} */ values) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            values.map((value) =>
                h("td", {
                    class: "right",
                    title: value === undefined ? "not known" : `${count(value)} bytes`,
                }, value === undefined ? "not known" : size(value))
            ),
        );
    const sum = (/** @type {import("./types").Bytes | undefined} */ side) =>
        side && (side.line ?? 0) + (side.headers ?? 0) + (side.body ?? 0);
    return h(
        "section",
        {},
        h(
            "h3",
            {},
            "Bytes",
            h(
                "span",
                { class: "soft" },
                sums ? (sums.exact ? " exact: counted on the wire" : " estimated") : " not counted",
            ),
        ),
        h(
            "table",
            { class: "pairs bytes" },
            h(
                "thead",
                {},
                h(
                    "tr",
                    {},
                    h("td"),
                    ["Line", "Headers", "Body", "Sum"].map((head) =>
                        h("th", { scope: "col" }, head)
                    ),
                ),
            ),
            h(
                "tbody",
                {},
                row("Sent", [
                    sums?.up?.line,
                    sums?.up?.headers,
                    sums?.up?.body ?? request.body?.size ?? detail.row.up,
                    sum(sums?.up),
                ]),
                row("Received", [
                    sums?.down?.line,
                    sums?.down?.headers,
                    sums?.down?.body ?? response?.body?.size ?? detail.row.down,
                    sum(sums?.down),
                ]),
            ),
        ),
    );
}

/**
 * What became of a body: as it came, decoded, kept.
 * @param {Detail} detail
 */
function bodies(detail) {
    const rows = /** @type {const} */ (["request", "response"]).flatMap((side) => {
        const sizes = detail.sizes?.[side];
        const parts = sizes?.wire || sizes?.kept
            ? [["on the wire", sizes.wire], ["decoded", sizes.decoded], ["kept", sizes.kept]]
                .flatMap(([name, value]) =>
                    typeof value === "number" ? [`${size(value)} ${name}`] : []
                )
            : [];
        if (sizes?.truncated) parts.push("cut");
        return parts.length
            ? [/** @type {[string, string]} */ ([`Body of the ${side}`, parts.join(", ")])]
            : [];
    });
    return rows.length ? pairTable(rows, null) : null;
}

/** @param {Detail} detail */
export function timingView(detail) {
    const { record, row } = detail;
    const us = record.timing?.total_ms === undefined ? undefined : record.timing.total_ms * 1000;
    return h(
        "div",
        { class: "timings" },
        bars(detail),
        h(
            "section",
            {},
            h("h3", {}, "Times"),
            pairTable([
                /** @type {[string, string]} */ (["Started", moment(row.at, app.utc)]),
                ...(us === undefined ? [] : [
                    /** @type {[string, string]} */ ([
                        "Ended",
                        moment(row.at + Math.round(us), app.utc),
                    ]),
                ]),
            ], null),
        ),
        bytes(detail),
        bodies(detail),
        table("Connection", {
            client: record.client,
            server: record.server,
            ...record.connection,
            source: record.source,
        }),
        table("TLS with the client", record.tls),
        table("TLS with the server", record.server_tls),
    );
}

/**
 * What stages changed on the way: the value as it came and as it went on.
 * @param {Detail} detail
 */
export function changesView(detail) {
    const { original = {}, request, response } = detail.record;
    const now = /** @type {Record<string, unknown>} */ ({
        method: request.method,
        url: plain(request.url),
        target: plain(request.target),
        status: response?.status,
    });
    const rows = Object.entries(original).map(([name, value]) =>
        h(
            "tr",
            {},
            h("th", { scope: "row" }, name),
            h("td", {}, h("del", {}, words(value))),
            h("td", {}, h("ins", {}, words(now[name] ?? "not known"))),
        )
    );
    return h(
        "div",
        {},
        h("p", { class: "soft" }, "A stage of the pipeline changed this on the wire."),
        h(
            "table",
            { class: "pairs" },
            h(
                "thead",
                {},
                h(
                    "tr",
                    {},
                    ["What", "Original", "Changed to"].map((head) =>
                        h("th", { scope: "col" }, head)
                    ),
                ),
            ),
            h("tbody", {}, rows),
        ),
    );
}
