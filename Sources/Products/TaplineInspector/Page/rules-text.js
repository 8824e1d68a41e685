// SPDX-License-Identifier: MIT
// @ts-check
// Changes the text of a rule file so that everything else keeps its bytes: order, switches, new
// rules. Comments right above a rule belong to it, blank lines stay where they are.

import { bare, find, indentOf, linesOf, Scanner } from "./rules-scan.js";

/** @typedef {import("./rules-scan.js").Element} Element */
/** @typedef {{text: string, from: number, to: number}} Edit the text, and the lines of the rule */

/** Why a text cannot be changed here, but by hand. */
export class NotPossible extends Error {}

/** @param {string} text */
const ending = (text) => text.includes("\r\n") ? "\r\n" : "\n";

/**
 * The lines of each rule, counted from 1, as the server counts them.
 * @param {string} text @returns {{from: number, to: number}[]}
 */
export function ranges(text) {
    return find(linesOf(text)).elements.map(({ from, to }) => ({ from: from + 1, to: to + 1 }));
}

/**
 * The rules of a text that can be told apart.
 * @param {string} text @param {number} [number] one that has to be there
 */
function opened(text, number) {
    const closed = /\n$/.test(text) || !text;
    const lines = linesOf(closed ? text : text + ending(text));
    const found = find(lines);
    if (found.reason) throw new NotPossible(found.reason);
    if (number !== undefined && !found.elements[number]) {
        throw new NotPossible("there is no such rule");
    }
    return { lines, found, closed };
}

/** @param {string[]} lines @param {boolean} closed */
const join = (lines, closed) => {
    const text = lines.join("");
    return closed ? text : text.replace(/\r?\n$/, "");
};

/**
 * Puts a rule before another place: `from` and `to` are numbers of rules, counted from 0, `to` is
 * where it stands afterwards.
 * @param {string} text @param {number} from @param {number} to @returns {Edit}
 */
export function move(text, from, to) {
    const { lines, found, closed } = opened(text, from);
    const target = Math.max(0, Math.min(found.elements.length - 1, to));
    const parts = found.elements.map((element) => lines.slice(element.lead, element.to + 1));
    const [moved = []] = parts.splice(from, 1);
    parts.splice(target, 0, moved);
    /** @type {string[]} */
    const out = lines.slice(0, found.elements[0]?.lead ?? 0);
    let place = { from: 1, to: 1 };
    for (const [number, element] of found.elements.entries()) {
        const part = parts[number] ?? [];
        if (number === target) {
            const rule = found.elements[from] ?? element;
            const start = out.length + rule.from - rule.lead + 1;
            place = { from: start, to: start + rule.to - rule.from };
        }
        out.push(...part);
        const next = found.elements[number + 1];
        out.push(...lines.slice(element.to + 1, next?.lead ?? lines.length));
    }
    return { text: join(out, closed), ...place };
}

/**
 * Adds a rule after the others.
 * @param {string} text @param {string[]} rule its lines, the first with the dash @returns {Edit}
 */
export function append(text, rule) {
    const eol = ending(text);
    const { lines, found } = opened(text);
    const all = [...lines];
    const indent = found.indent < 0 ? 2 : found.indent;
    const added = rule.map((line) => (line ? " ".repeat(indent) + line : "") + eol);
    let at = all.length;
    const last = found.elements.at(-1);
    if (last) {
        at = last.to + 1;
        const spaced = found.elements.length > 1 &&
            !bare(all[(found.elements.at(-2)?.to ?? 0) + 1] ?? "x").trim();
        if (spaced) {
            all.splice(at, 0, eol);
            at += 1;
        }
    } else if (found.key >= 0) {
        const key = all[found.key] ?? "";
        all[found.key] = key.replace(/:\s*(\[\s*\]|null|~)/, ":");
        at = found.key + 1;
    } else {
        if (!text.trim()) all.push(`version: 1${eol}`);
        all.push(`rules:${eol}`);
        at = all.length;
    }
    all.splice(at, 0, ...added);
    return { text: all.join(""), from: at + 1, to: at + added.length };
}

/**
 * Switches a rule. A line `enabled: false` comes, or goes if nothing else stands in it.
 * @param {string} text @param {number} number @param {boolean} enabled @returns {Edit}
 */
export function setEnabled(text, number, enabled) {
    const { lines, found, closed } = opened(text, number);
    const element = /** @type {Element} */ (found.elements[number]);
    const rule = lines.slice(element.from, element.to + 1);
    const first = rule[0] ?? "";
    const dash = indentOf(first);
    const rest = bare(first).slice(dash + 1).trimStart();
    const changed = rest.startsWith("{")
        ? flow(rule, enabled)
        : /^[&*!?[]/.test(rest)
        ? null
        : block(rule, enabled, ending(text));
    if (!changed) throw new NotPossible("this form of a rule is switched in its text");
    const out = [...lines.slice(0, element.from), ...changed, ...lines.slice(element.to + 1)];
    return {
        text: join(out, closed),
        from: element.from + 1,
        to: element.from + changed.length,
    };
}

/**
 * A rule whose keys stand one below the other.
 * @param {string[]} rule @param {boolean} enabled @param {string} eol @returns {string[] | null}
 */
function block(rule, enabled, eol) {
    const scanner = new Scanner();
    const dash = indentOf(rule[0] ?? "");
    const rest = bare(rule[0] ?? "").slice(dash + 1);
    const own = rest.trim() && !rest.trim().startsWith("#");
    let column = own ? dash + 1 + indentOf(rest) : -1;
    /** @type {number[]} the lines where a key of the rule begins */
    const keys = [];
    for (const [at, whole] of rule.entries()) {
        const line = bare(whole);
        const content = line.trim() && !line.trim().startsWith("#");
        if (at === 0 ? own : content && !scanner.isInside(line)) {
            if (column < 0) column = indentOf(line);
            if (at === 0 || indentOf(line) === column) keys.push(at);
        }
        scanner.read(line);
    }
    const keyText = (/** @type {number} */ at) => bare(rule[at] ?? "").slice(column);
    const at = keys.find((key) => /^(enabled|"enabled"|'enabled')\s*:/.test(keyText(key)));
    const pad = " ".repeat(column);
    if (at !== undefined) {
        const alone = at > 0 && /^enabled\s*:\s*false\s*$/.test(keyText(at));
        if (enabled && alone) return rule.filter((_, other) => other !== at);
        return rule.map((line, other) =>
            other === at
                ? line.replace(/(enabled["']?\s*:)[^\S\n]*[\w"'~]*/, `$1 ${enabled}`)
                : line
        );
    }
    if (enabled) return rule;
    const start = keys[0];
    if (start === undefined) return null;
    const next = keys[1] ?? rule.length;
    const line = `${pad}enabled: false${eol}`;
    // After the name, if that is one line; else before everything.
    if (/^["']?name["']?\s*:/.test(keyText(start)) && next === start + 1) {
        return [...rule.slice(0, next), line, ...rule.slice(next)];
    }
    const head = (rule[start] ?? "").slice(0, column);
    return [
        ...rule.slice(0, start),
        `${head}enabled: false${eol}`,
        pad + (rule[start] ?? "").slice(column),
        ...rule.slice(start + 1),
    ];
}

/**
 * A rule between braces.
 * @param {string[]} rule @param {boolean} enabled @returns {string[] | null}
 */
function flow(rule, enabled) {
    const text = rule.join("");
    const scanner = new Scanner();
    /** @type {number[]} the places of the outer brackets and the commas between them */
    const marks = [];
    let start = 0;
    scanner.mark = (at, depth) => {
        if (depth === 1) marks.push(start + at);
    };
    for (const line of rule) {
        scanner.read(bare(line));
        start += line.length;
    }
    const [open = 0] = marks;
    const parts = marks.slice(1).map((to, number) => [(marks[number] ?? 0) + 1, to]);
    const found = parts.findIndex(([from, to]) =>
        /^\s*["']?enabled["']?\s*:/.test(text.slice(from, to))
    );
    let [from, to, put] = [open + 1, open + 1, parts.length ? " enabled: false," : ""];
    if (found >= 0) {
        [from = 0, to = 0] = parts[found] ?? [];
        put = text.slice(from, to).replace(/(:\s*)[\w"'~]*/, `$1${enabled}`);
        if (enabled && /^[^\S\n]*enabled:[^\S\n]*false[^\S\n]*$/.test(text.slice(from, to))) {
            put = "";
            if (found > 0) from -= 1;
            else if (text[to] === ",") to += 1;
            if (text[to] === "}" && !/\s$/.test(text.slice(0, from))) put = " ";
        }
    } else if (enabled) {
        return rule;
    } else {
        const name = parts.findIndex(([a, b]) => /^\s*["']?name["']?\s*:/.test(text.slice(a, b)));
        const after = name >= 0 ? parts[name]?.[1] : undefined;
        if (after !== undefined) {
            const closes = text[after] === "}";
            from = to = closes ? text.slice(0, after).trimEnd().length : after;
            put = ", enabled: false";
        }
    }
    return linesOf(text.slice(0, from) + put + text.slice(to));
}
