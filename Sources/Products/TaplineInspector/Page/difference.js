// SPDX-License-Identifier: MIT
// @ts-check
// What differs between two texts, line by line, or between two JSON values, member by member.

import { children, scalar, write } from "./json.js";

/** @typedef {import("./json.js").Json} Json */
/** @typedef {{kind: "same" | "changed" | "removed" | "added", a: string, b: string}} Line */

const LINES = 2000;

/** @param {string[]} a @param {string[]} b @returns {Line[]} */
export function lines(a, b) {
    let start = 0;
    while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
    let end = 0;
    while (
        end < a.length - start && end < b.length - start &&
        a[a.length - 1 - end] === b[b.length - 1 - end]
    ) end += 1;
    const same = (/** @type {string} */ text) => /** @type {Line} */ ({
        kind: "same",
        a: text,
        b: text,
    });
    return [
        ...a.slice(0, start).map(same),
        ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
        ...a.slice(a.length - end).map(same),
    ];
}

/**
 * The longest common subsequence; without it where that would take too long.
 * @param {string[]} a @param {string[]} b @returns {Line[]}
 */
function middle(a, b) {
    if (!a.length || !b.length || a.length > LINES || b.length > LINES) return paired(a, b);
    const width = b.length + 1;
    const table = new Uint16Array((a.length + 1) * width);
    const at = (/** @type {number} */ i, /** @type {number} */ j) => table[i * width + j] ?? 0;
    for (let i = a.length - 1; i >= 0; i -= 1) {
        for (let j = b.length - 1; j >= 0; j -= 1) {
            table[i * width + j] = a[i] === b[j]
                ? at(i + 1, j + 1) + 1
                : Math.max(at(i + 1, j), at(i, j + 1));
        }
    }
    /** @type {Line[]} */
    const found = [];
    /** @type {string[]} */
    let gone = [];
    /** @type {string[]} */
    let come = [];
    let [i, j] = [0, 0];
    const flush = () => {
        found.push(...paired(gone, come));
        gone = [];
        come = [];
    };
    while (i < a.length || j < b.length) {
        const [left, right] = [a[i], b[j]];
        if (left !== undefined && left === right) {
            flush();
            found.push({ kind: "same", a: left, b: left });
            i += 1;
            j += 1;
        } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
            gone.push(left);
            i += 1;
        } else {
            come.push(right ?? "");
            j += 1;
        }
    }
    flush();
    return found;
}

/** @param {string[]} a @param {string[]} b @returns {Line[]} */
function paired(a, b) {
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => {
        const [left, right] = [a[at], b[at]];
        if (left === undefined) return { kind: "added", a: "", b: right ?? "" };
        if (right === undefined) return { kind: "removed", a: left, b: "" };
        return { kind: "changed", a: left, b: right };
    });
}

/**
 * Members are compared by name, whatever their order; items of arrays as lines are.
 * @param {Json} a
 * @param {Json} b
 * @param {string} [indent]
 * @param {string} [name]
 * @param {string} [comma]
 * @returns {Line[]}
 */
export function json(a, b, indent = "", name = "", comma = "") {
    const [left, right] = [write(a), write(b)];
    if (left === right) return both("same", indent, name + left + comma);
    if (a.kind === "object" && b.kind === "object") return objects(a, b, indent, name, comma);
    if (a.kind === "array" && b.kind === "array") return arrays(a, b, indent, name, comma);
    return paired(split(indent, name + left + comma), split(indent, name + right + comma));
}

/** @param {string} indent @param {string} text */
const split = (indent, text) => text.split("\n").map((line) => indent + line);

/**
 * @param {"same" | "removed" | "added"} kind
 * @param {string} indent
 * @param {string} text
 * @returns {Line[]}
 */
function both(kind, indent, text) {
    return split(indent, text).map((line) => ({
        kind,
        a: kind === "added" ? "" : line,
        b: kind === "removed" ? "" : line,
    }));
}

/**
 * @param {Json & {kind: "object"}} a
 * @param {Json & {kind: "object"}} b
 * @param {string} indent
 * @param {string} name
 * @param {string} comma
 */
function objects(a, b, indent, name, comma) {
    const found = both("same", indent, `${name}{`);
    const inner = indent + "  ";
    const rest = [...b.entries];
    for (const [key, value] of a.entries) {
        const at = rest.findIndex(([other]) => other === key);
        const label = `${JSON.stringify(key)}: `;
        if (at < 0) found.push(...both("removed", inner, label + write(value)));
        else {found.push(
                ...json(
                    value,
                    /** @type {[string, Json]} */ (rest.splice(at, 1)[0])[1],
                    inner,
                    label,
                ),
            );}
    }
    for (const [key, value] of rest) {
        found.push(...both("added", inner, `${JSON.stringify(key)}: ${write(value)}`));
    }
    return [...found, ...both("same", indent, `}${comma}`)];
}

/**
 * @param {Json & {kind: "array"}} a
 * @param {Json & {kind: "array"}} b
 * @param {string} indent
 * @param {string} name
 * @param {string} comma
 */
function arrays(a, b, indent, name, comma) {
    const inner = indent + "  ";
    const pairs = lines(a.items.map((item) => write(item)), b.items.map((item) => write(item)));
    const found = both("same", indent, `${name}[`);
    let [i, j] = [0, 0];
    for (const pair of pairs) {
        const [left, right] = [a.items[i], b.items[j]];
        if (pair.kind !== "added") i += 1;
        if (pair.kind !== "removed") j += 1;
        if (pair.kind === "changed" && left && right) found.push(...json(left, right, inner));
        else if (pair.kind !== "changed") found.push(...both(pair.kind, inner, pair.a || pair.b));
    }
    return [...found, ...both("same", indent, `]${comma}`)];
}

/**
 * How many values a JSON value holds.
 * @param {Json} node @returns {number}
 */
export function weight(node) {
    return children(node).reduce((sum, [, child]) => sum + weight(child), scalar(node) ? 1 : 0);
}

/**
 * The part of two lines that differs: the length of what is the same before and after.
 * @param {string} a @param {string} b
 */
export function inside(a, b) {
    let before = 0;
    while (before < a.length && before < b.length && a[before] === b[before]) before += 1;
    let after = 0;
    while (
        after < a.length - before && after < b.length - before &&
        a.at(-1 - after) === b.at(-1 - after)
    ) after += 1;
    return { before, after };
}
