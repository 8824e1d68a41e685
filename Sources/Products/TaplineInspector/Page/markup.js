// SPDX-License-Identifier: MIT
// @ts-check
// XML and HTML as text: indented where that changes no meaning, with tags in another colour.

import { h } from "./dom.js";

const PART = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[!?/]?[^>]*>|[^<]+|</g;

/**
 * XML with one element a line.
 * @param {string} text
 */
export function indented(text) {
    /** @type {string[]} */
    const lines = [];
    let line = "";
    let indent = 0;
    let depth = 0;
    const flush = () => {
        if (line) lines.push("  ".repeat(Math.min(indent, 40)) + line);
        line = "";
    };
    const start = (/** @type {string} */ part) => {
        flush();
        line = part;
        indent = depth;
    };
    for (const part of text.match(PART) ?? []) {
        if (!part.startsWith("<")) {
            if (line) line += part.trim();
            else start(part.trim());
        } else if (part.startsWith("</")) {
            depth = Math.max(0, depth - 1);
            if (line && indent === depth) line += part;
            else start(part);
            flush();
        } else {
            start(part);
            if (/^<[!?]|\/>$/.test(part)) flush();
            else depth += 1;
        }
    }
    flush();
    return lines.join("\n");
}

/** @param {string} text */
export function coloured(text) {
    const pre = h("pre", { class: "code", tabindex: 0 });
    for (const part of text.match(PART) ?? []) {
        const kind = part.startsWith("<!--") ? "comment" : part.startsWith("<") ? "tag" : "";
        pre.append(kind ? h("span", { class: kind }, part) : part);
    }
    return pre;
}
