// SPDX-License-Identifier: MIT
// @ts-check
// Finds the rules of a rule file, line by line: enough of YAML to know where a value begins.

/**
 * @typedef {{from: number, to: number, lead: number}} Element lines; `lead`: its first comment
 * @typedef {{elements: Element[], indent: number, key: number, end: number, reason: string}}
 *     Found
 */

const BLOCK = /^[|>][0-9+-]*\s*(?:#.*)?$/;
const KEEPS = /[|>][0-9]?\+[0-9]?\s*(?:#.*)?$/;

/** Reads lines one after another, and knows what is open at the end of each. */
export class Scanner {
    /** How many brackets are open. */
    depth = 0;
    /** The quote that is open, or nothing. */
    quote = "";
    /** The column of the key whose block of text is open, or -1. */
    block = -1;
    /** @type {(at: number, depth: number, what: string) => void} */
    mark = () => {};

    /**
     * Whether a line begins within something that an earlier line has opened.
     * @param {string} line
     */
    isInside(line) {
        if (this.block >= 0) return !line.trim() || indentOf(line) > this.block;
        return this.depth > 0 || this.quote !== "";
    }

    /** @param {string} line */
    read(line) {
        if (this.block >= 0 && this.isInside(line)) return;
        this.block = -1;
        let at = this.quote ? this.#quoted(line, 0) : indentOf(line);
        let column = at;
        let begins = !this.quote;
        while (at < line.length) {
            const next = line[at] ?? "";
            if (/\s/.test(next)) {
                at += 1;
                continue;
            }
            if (next === "#" && (at === 0 || /\s/.test(line[at - 1] ?? ""))) return;
            if (this.depth && /[,\]}]/.test(next)) {
                this.mark(at, this.depth, next);
                if (next !== ",") this.depth -= 1;
                at += 1;
                begins = true;
            } else if (next === ":" && !begins) {
                at += 1;
                begins = true;
            } else if (!begins) {
                at = this.#plain(line, at);
            } else if (/["']/.test(next)) {
                this.quote = next;
                at = this.#quoted(line, at + 1);
                begins = false;
            } else if (/[[{]/.test(next)) {
                this.depth += 1;
                this.mark(at, this.depth, next);
                at += 1;
            } else if (!this.depth && /^[-?](\s|$)/.test(line.slice(at))) {
                at += 1;
                column = indentOf(line.slice(at)) + at;
            } else if (!this.depth && BLOCK.test(line.slice(at))) {
                this.block = column >= at ? dash(line) : column;
                return;
            } else if (/[&!*]/.test(next)) {
                at += /^\S+/.exec(line.slice(at))?.[0]?.length ?? 1;
            } else {
                at = this.#plain(line, at);
                begins = false;
            }
        }
    }

    /**
     * The place after the text that stands without quotes.
     * @param {string} line @param {number} at
     */
    #plain(line, at) {
        const end = this.depth ? /:(?=[\s,\]}]|$)|\s#|[,\]}[{]/ : /:(?=\s|$)|\s#/;
        const found = line.slice(at).search(end);
        return found < 0 ? line.length : Math.max(at + found, at + 1);
    }

    /**
     * The place after the closing quote, or the end of the line.
     * @param {string} line @param {number} at
     */
    #quoted(line, at) {
        for (; at < line.length; at += 1) {
            if (this.quote === '"' && line[at] === "\\") at += 1;
            else if (this.quote === "'" && line[at] === "'" && line[at + 1] === "'") at += 1;
            else if (line[at] === this.quote) {
                this.quote = "";
                return at + 1;
            }
        }
        return line.length;
    }
}

/** @param {string} line */
export const indentOf = (line) => /^ */.exec(line)?.[0]?.length ?? 0;

/**
 * The column of the last dash that a line begins with.
 * @param {string} line
 */
const dash = (line) => (/^(?:\s*-)+/.exec(line)?.[0]?.length ?? 1) - 1;

/** @param {string} text the lines, each with its end */
export const linesOf = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
/** @param {string} line */
export const bare = (line) => line.replace(/\r?\n$/, "");

/**
 * Where the rules are; `reason` says why they cannot be told apart.
 * @param {string[]} lines @returns {Found}
 */
export function find(lines) {
    const scanner = new Scanner();
    /** @type {Found} */
    const found = { elements: [], indent: -1, key: -1, end: lines.length, reason: "" };
    let last = -1;
    for (const [at, whole] of lines.entries()) {
        const line = bare(whole).replace(/^\ufeff/, "");
        const inside = scanner.isInside(line);
        const content = inside || Boolean(line.trim()) && !line.trim().startsWith("#");
        if (found.key < 0) {
            if (!inside && /^(rules|"rules"|'rules')\s*:(\s|$)/.test(line)) {
                found.key = at;
                const rest = line.slice(line.indexOf(":") + 1).replace(/(^|\s)#.*$/, "").trim();
                if (rest && !/^\[\s*\]$|^(null|~)$/.test(rest)) {
                    found.reason = "the rules are not one below the other";
                }
            }
        } else if (!inside && content) {
            const indent = indentOf(line);
            const begins = /^ *-(\s|$)/.test(line);
            if (begins && found.indent < 0) found.indent = indent;
            if (begins && indent === found.indent) {
                found.elements.push({ from: at, to: at, lead: at });
            } else if (indent <= Math.max(found.indent, 0)) {
                found.end = at;
                break;
            }
        }
        const current = found.elements.at(-1);
        if (current && content) {
            // Blank lines after `|+` belong to the text.
            if (line.trim() || KEEPS.test(bare(lines[last] ?? ""))) current.to = at;
        }
        if (!inside && content) last = at;
        scanner.read(line);
    }
    return lead(lines, found);
}

/**
 * Comments right above a rule belong to it, those within it stay with it.
 * @param {string[]} lines @param {Found} found
 */
function lead(lines, found) {
    for (const [number, element] of found.elements.entries()) {
        const before = found.elements[number - 1]?.to ?? found.key;
        const isComment = (/** @type {number} */ at) =>
            bare(lines[at] ?? "").trimStart().startsWith("#") &&
            indentOf(lines[at] ?? "") <= found.indent;
        while (element.lead - 1 > before && isComment(element.lead - 1)) element.lead -= 1;
    }
    for (const [number, element] of found.elements.entries()) {
        const most = found.elements[number + 1]?.lead ?? found.end;
        const isOwn = (/** @type {number} */ at) =>
            bare(lines[at] ?? "").trimStart().startsWith("#") &&
            indentOf(lines[at] ?? "") > found.indent;
        while (element.to + 1 < most && isOwn(element.to + 1)) element.to += 1;
    }
    return found;
}
