// SPDX-License-Identifier: MIT
// @ts-check
// Reads tokens in the form of RFC 7519. The signature is never shown: with it a token can be used.

import { fromBase64 } from "./messages.js";

const TOKEN = /\b(eyJ[\w-]+)\.(eyJ[\w-]+)\.([\w-]*)/;
const TIMES = ["iat", "nbf", "exp", "auth_time"];

/**
 * @typedef {{header: Record<string, unknown>, payload: Record<string, unknown>, signature: number,
 *     masked: string}} Token
 */

/**
 * The first token in a text, or null.
 * @param {string} text @returns {Token | null}
 */
export function token(text) {
    const found = TOKEN.exec(text);
    if (!found) return null;
    try {
        const [, head = "", payload = "", signature = ""] = found;
        return {
            header: part(head),
            payload: part(payload),
            signature: signature.length,
            masked: text.replace(signature, signature && "▒▒▒"),
        };
    } catch {
        return null;
    }
}

/** @param {string} text @returns {Record<string, unknown>} */
function part(text) {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(text)));
    if (typeof value !== "object" || value === null) throw new SyntaxError("not an object");
    return value;
}

/**
 * Times of a token in words.
 * @param {Token} token @param {number} now seconds @returns {[string, string][]}
 */
export function times(token, now) {
    return TIMES.flatMap((name) => {
        const at = token.payload[name];
        if (typeof at !== "number" || !Number.isFinite(at) || Math.abs(at) > 8e12) return [];
        const text = new Date(at * 1000).toISOString().replace(".000Z", "Z");
        const state = name === "exp" ? (at < now ? ", expired" : ", valid") : "";
        return [/** @type {[string, string]} */ ([name, text + state])];
    });
}
