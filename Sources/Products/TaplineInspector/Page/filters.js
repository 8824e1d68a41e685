// SPDX-License-Identifier: MIT
// @ts-check
// Edits filter texts without parsing them: conditions are joined and removed at the top level only.

import { rfc3339 } from "./formats.js";

const WORD = /"(?:\\.|[^"\\])*"?|[()[\]]|[^\s()[\]"]+/g;

/**
 * The conditions that `and` joins, or null if `or` joins some.
 * @param {string} text @returns {string[] | null}
 */
export function conditions(text) {
    const found = [];
    let depth = 0;
    let start = 0;
    for (const { 0: word, index = 0 } of text.matchAll(WORD)) {
        if (word === "(" || word === "[") depth += 1;
        else if (word === ")" || word === "]") depth -= 1;
        else if (depth === 0 && word === "or") return null;
        else if (depth === 0 && word === "and") {
            found.push(text.slice(start, index).trim());
            start = index + word.length;
        }
    }
    found.push(text.slice(start).trim());
    return found.filter((condition) => condition !== "");
}

/**
 * The form that may be joined with others: a plain word becomes a condition.
 * @param {string} text @param {string} [means]
 */
export function expanded(text, means) {
    const plain = text.trim();
    if (means !== undefined && plain) return means;
    if (/^"(?:\\.|[^"\\])*"$/.test(plain)) return `any contains ${plain}`;
    if (/^[^\s"()[\]=<>~@]+$/.test(plain)) return `any contains ${JSON.stringify(plain)}`;
    return plain;
}

/** @param {string} text @param {string} condition @param {string} [means] */
export function joined(text, condition, means) {
    const whole = expanded(text, means);
    if (!whole) return condition;
    if (!condition) return whole;
    return `${conditions(whole) ? whole : `(${whole})`} and ${condition}`;
}

/** @param {string} text @param {string} condition */
export function has(text, condition) {
    return conditions(text)?.includes(condition) ?? false;
}

/** @param {string} text @param {string} condition */
export function without(text, condition) {
    const rest = conditions(text);
    return rest ? rest.filter((other) => other !== condition).join(" and ") : text;
}

/**
 * Adds a condition, or removes it if it is there.
 * @param {string} text @param {string} condition @param {string} [means]
 */
export function toggled(text, condition, means) {
    return has(text, condition) ? without(text, condition) : joined(text, condition, means);
}

/** @param {string} field @param {string | number | null} value null: the field is absent */
export function equals(field, value) {
    if (value === null) return `not ${field} exists`;
    const numeric = field === "status" || field === "port";
    return `${field} == ${numeric ? value : JSON.stringify(value)}`;
}

/**
 * The filter that the server gets: the text and the time range.
 * @param {{filter: string, from: number | null, to: number | null}} state @param {string} [means]
 */
export function effective(state, means) {
    const range = [];
    if (state.from !== null) range.push(`started >= "${rfc3339(state.from)}"`);
    if (state.to !== null) range.push(`started < "${rfc3339(state.to)}"`);
    return range.length ? joined(state.filter, range.join(" and "), means) : state.filter;
}

/**
 * Whether a filter asks for what readers add to exchanges: its rows change with them.
 * @param {string} text
 */
export function readsAnnotations(text) {
    const names = text.replace(/"(?:\\.|[^"\\])*"?/g, '""');
    return /(?<![\w.])(?:mark|notes?|tags?)(?![\w(])/.test(names);
}

export const QUICK = [
    { name: "Errors", filter: '(status >= 400 or state != "completed")', key: "1" },
    { name: "Slow", filter: "duration > 1s", key: "2" },
    { name: "Failed", filter: 'state != "completed"', key: "3" },
    { name: "Marked", filter: "mark exists", key: "4" },
];
