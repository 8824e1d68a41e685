// SPDX-License-Identifier: MIT
// @ts-check
// Counts over the rows of a shared file, as the inspector's server answers them.

import { FIELDS, known } from "./fields.js";

/**
 * @typedef {import("./data.js").Item} Item @typedef {import("./data.js").Head} Head
 * @typedef {import("./fields.js").Value} Value
 */

/** The fields of which "what differs" compares the values. */
const COMPARED = ["host", "method", "route", "status", "error", "state", "source", "port"];
const MOST_VALUES = 200;
const MOST_BUCKETS = 1000;

/** @param {Item} item */
const failed = ({ row }) =>
    (row.status ?? 0) >= 400 || row.state !== undefined && row.state !== "completed";

const noDetail = () => {
    throw new Error("not a field of rows");
};

/**
 * How many exchanges have each value; null: the field is absent.
 * @param {Iterable<Item>} items @param {string} name @returns {Map<Value | null, number>}
 */
function counts(items, name) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    /** @type {Map<Value | null, number>} */
    const found = new Map();
    if (!field || field.detail) return found;
    for (const item of items) {
        const value = known(field, item, noDetail, "")[0] ?? null;
        found.set(value, (found.get(value) ?? 0) + 1);
    }
    return found;
}

/** @param {Item[]} items @param {string[]} names @param {number} limit */
export function facets(items, names, limit) {
    return names.map((field) => {
        const all = [...counts(items, field)].sort((a, b) => b[1] - a[1]);
        return {
            field,
            values: all.slice(0, limit).map(([value, count]) => ({ value, count })),
            distinct: all.length,
        };
    });
}

/**
 * Counts, errors and bytes over time; a bucket begins at a multiple of its width.
 * @param {Item[]} items @param {Head} head @param {URLSearchParams} values
 */
export function timeline(items, head, values) {
    const wanted = Math.min(Math.max(1, Number(values.get("buckets") ?? 200)), MOST_BUCKETS);
    const [from, to] = [values.get("from"), values.get("to")];
    const start = Math.max(0, Number(from ?? head.first ?? 0));
    const end = Math.max(start, Number(to ?? head.last ?? start));
    const step = Math.max(1, Math.floor((end - start) / wanted) + 1);
    const first = Math.floor(start / step);
    const buckets = Array.from(
        { length: Math.floor(end / step) - first + 1 },
        () => /** @type {[number, number, number]} */ ([0, 0, 0]),
    );
    for (const item of items) {
        const { at, up = 0, down = 0 } = item.row;
        if (from !== null && at < start || to !== null && at > end) continue;
        const index = Math.floor(at / step) - first;
        const bucket = buckets[Math.min(Math.max(index, 0), buckets.length - 1)];
        if (!bucket) continue;
        bucket[0] += 1;
        bucket[1] += failed(item) ? 1 : 0;
        bucket[2] += up + down;
    }
    return {
        from: first * step,
        to: (first + buckets.length) * step,
        step,
        complete: true,
        buckets,
    };
}

/** @param {Item[]} items */
export function apis(items) {
    /** @type {Map<string, Item[]>} */
    const groups = new Map();
    for (const item of items) {
        const { host, port, scheme } = item.row;
        const usual = scheme === "https" ? 443 : 80;
        const authority = port === undefined || port === usual ? host ?? "" : `${host}:${port}`;
        const key = JSON.stringify([authority, item.route ?? null]);
        const group = groups.get(key);
        if (group) group.push(item);
        else groups.set(key, [item]);
    }
    return [...groups].map(([key, group]) => api(key, group)).sort((a, b) => b.count - a.count);
}

/** @param {string} key @param {Item[]} group */
function api(key, group) {
    const [host, route] = JSON.parse(key);
    const times = group.flatMap(({ row }) => row.us ?? []).sort((a, b) => a - b);
    const at = (/** @type {number} */ share) =>
        times[Math.min(times.length - 1, Math.floor(times.length * share))];
    const sums = (/** @type {string} */ name) =>
        Object.fromEntries([...counts(group, name)].filter(([value]) => value !== null));
    return {
        host,
        route,
        methods: sums("method"),
        statuses: sums("status_class"),
        count: group.length,
        errors: group.filter(failed).length,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        up: group.reduce((sum, { row }) => sum + (row.up ?? 0), 0),
        down: group.reduce((sum, { row }) => sum + (row.down ?? 0), 0),
        last: group.reduce((last, { row }) => Math.max(last, row.at), 0),
    };
}

/**
 * Which values are more frequent among the chosen exchanges than among the rest.
 * @param {Item[]} items @param {Set<Item>} chosen
 */
export function separates(items, chosen) {
    const some = items.filter((item) => chosen.has(item));
    const others = items.length - some.length;
    const values = COMPARED.flatMap((field) => {
        const all = counts(items, field);
        return [...counts(some, field)].map(([value, count]) => {
            const rest = (all.get(value) ?? count) - count;
            return {
                field,
                value,
                chosen: count,
                rest,
                share_chosen: count / Math.max(some.length, 1),
                share_rest: rest / Math.max(others, 1),
            };
        });
    });
    const differs = (/** @type {(typeof values)[0]} */ one) =>
        Math.abs(one.share_chosen - one.share_rest);
    values.sort((a, b) => differs(b) - differs(a));
    return { chosen: some.length, rest: others, values: values.slice(0, MOST_VALUES) };
}
