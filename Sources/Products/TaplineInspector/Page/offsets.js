// SPDX-License-Identifier: MIT
// @ts-check
// The server counts bytes of UTF-8, the page UTF-16.

import { h } from "./dom.js";

const encoder = new TextEncoder();

/** @param {string} text @param {number} chars */
export function byteOffset(text, chars) {
    return encoder.encode(text.slice(0, chars)).length;
}

/** @param {string} text @param {number} bytes */
export function charOffset(text, bytes) {
    let seen = 0;
    let at = 0;
    for (const character of text) {
        if (seen >= bytes) break;
        seen += encoder.encode(character).length;
        at += character.length;
    }
    return at;
}

/**
 * The text with a mark from one place to another.
 * @param {string} text @param {number} from @param {number} to
 */
export function marked(text, from, to) {
    return [text.slice(0, from), h("mark", {}, text.slice(from, to) || " "), text.slice(to)];
}
