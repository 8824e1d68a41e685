// SPDX-License-Identifier: MIT
// @ts-check
// The exchanges of a shared file: rows at once, details when they are wanted.

import { Damaged, sections, text } from "./container.js";

/**
 * @typedef {import("../types").Row} Row
 * @typedef {import("../types").Exchange} Exchange
 * @typedef {import("../types").Note} Note
 * @typedef {import("../types").Sent} Sent
 * @typedef {import("../types").Sizes} Sizes
 * @typedef {{
 *     v: number, version: string, title: string, redaction: string, made: number, count: number,
 *     cut?: boolean, first?: number, last?: number,
 *     differences?: import("./differences.js").Differences
 * }} Head
 * @typedef {{
 *     type: string, state: string, decoding: string, text?: string, base64?: string
 * }} Content
 * @typedef {{
 *     record: Exchange, notes: Note[], messages: Sent[],
 *     sizes: {request?: Sizes, response?: Sizes}, bodies: {request?: Content, response?: Content}
 * }} Detail
 * @typedef {{at: number, row: Row, route?: string, correlation?: string}} Item
 */

/** How many details are kept as objects. */
const KEPT = 64;

export class ShareData {
    /**
     * Newest first.
     * @type {Item[]}
     */
    items = [];
    /**
     * Positions by id.
     * @type {Map<string, number>}
     */
    #ids = new Map();
    /**
     * The compressed details, and the position of the first exchange of each.
     * @type {{first: number, section: Uint8Array, lines: string[] | null}[]}
     */
    #blocks = [];
    /** @type {Map<number, Detail>} */
    #kept = new Map();

    /** @param {Head} head @param {number} bytes */
    constructor(head, bytes) {
        this.head = head;
        this.bytes = bytes;
    }

    /** @param {Uint8Array} bytes */
    static async open(bytes) {
        const [first, ...rest] = sections(bytes);
        if (!first || rest.length % 2) throw new Damaged();
        const data = new ShareData(parsed(await text(first)), bytes.length);
        if (data.head.v !== 1) {
            throw new Error("the file was made by a newer version of Tapline, in another form");
        }
        const rows = await Promise.all(rest.filter((_, at) => at % 2 === 0).map(text));
        rows.forEach((lines, number) => {
            const section = rest[number * 2 + 1];
            if (!section) throw new Damaged();
            data.#blocks.push({ first: data.items.length, section, lines: null });
            for (const line of split(lines)) {
                const item = { at: data.items.length, ...parsed(line) };
                data.#ids.set(item.row.id, item.at);
                data.items.push(item);
            }
        });
        return data;
    }

    /** @param {string} id @returns {Item | undefined} */
    item(id) {
        return this.items[this.#ids.get(id) ?? -1];
    }

    /** Makes `detail` work for every exchange. */
    async load() {
        await Promise.all(this.#blocks.map((_, number) => this.#lines(number)));
    }

    /**
     * Makes `detail` work for one exchange.
     * @param {number} at
     */
    async loadOne(at) {
        await this.#lines(this.#block(at));
    }

    /**
     * The details of an exchange that were loaded.
     * @param {number} at @returns {Detail}
     */
    detail(at) {
        const known = this.#kept.get(at);
        if (known) return known;
        const block = this.#blocks[this.#block(at)];
        const line = block?.lines?.[at - block.first];
        if (line === undefined) throw new Damaged();
        const detail = /** @type {Detail} */ (parsed(line));
        this.#kept.set(at, detail);
        if (this.#kept.size > KEPT) this.#kept.delete(this.#kept.keys().next().value ?? -1);
        return detail;
    }

    /** @param {number} at */
    #block(at) {
        let [low, high] = [0, this.#blocks.length - 1];
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if ((this.#blocks[middle]?.first ?? 0) <= at) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** @param {number} number */
    async #lines(number) {
        const block = this.#blocks[number];
        if (block && !block.lines) block.lines = split(await text(block.section));
    }
}

/** @param {string} line */
function parsed(line) {
    try {
        return JSON.parse(line);
    } catch {
        throw new Damaged();
    }
}

/** @param {string} lines */
const split = (lines) => lines.split("\n").filter(Boolean);

/**
 * The bytes of a body or message.
 * @param {{text?: string, base64?: string}} content @returns {Uint8Array}
 */
export function bytesOf(content) {
    if (content.base64 !== undefined) {
        return Uint8Array.from(atob(content.base64), (char) => char.charCodeAt(0));
    }
    return new TextEncoder().encode(content.text ?? "");
}

/** @param {{text?: string, base64?: string} | undefined} content */
export function textOf(content) {
    if (!content) return "";
    return content.text ?? new TextDecoder().decode(bytesOf(content));
}
