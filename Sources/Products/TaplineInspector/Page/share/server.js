// SPDX-License-Identifier: MIT
// @ts-check
// Answers the page's calls of a server from a shared file.

import { byteOffset } from "../offsets.js";
import { bytesOf } from "./data.js";
import { FIELDS } from "./fields.js";
import { filter, meaning, WrongFilter } from "./filter.js";
import { apis, facets, separates, timeline } from "./overviews.js";

/**
 * @typedef {import("./data.js").ShareData} ShareData @typedef {import("./data.js").Item} Item
 * @typedef {{item: Item, values: URLSearchParams, rest: string[]}} OfOne
 */

/** How many lists are kept. */
const LISTS = 16;
const MOST_ROWS = 1000;
const MOST_GROUP = 200;

/** @type {Record<string, (item: Item) => string | number | undefined>} */
const SORTS = {
    started: ({ row }) => row.at,
    method: ({ row }) => row.method,
    status: ({ row }) => row.status,
    host: ({ row }) => row.host?.toLowerCase(),
    path: ({ row }) => row.path?.split("?")[0],
    content_type: ({ row }) => row.type,
    "request.size": ({ row }) => row.up,
    "response.size": ({ row }) => row.down,
    duration: ({ row }) => row.us,
    client: ({ row }) => row.client,
};

/** Why a call fails. */
class Refusal extends Error {
    /** @param {number} status @param {string} code @param {string} message */
    constructor(status, code, message) {
        super(message);
        this.status = status;
        this.code = code;
    }
}

export class ShareServer {
    /**
     * The last lists, by filter and order.
     * @type {Map<string, Item[]>}
     */
    #lists = new Map();

    /** @param {ShareData} data */
    constructor(data) {
        this.data = data;
    }

    /**
     * Answers a call of `api.js`.
     * @param {string} address @param {RequestInit} [init] @returns {Promise<Response>}
     */
    async answer(address, init) {
        try {
            if (init?.method && init.method !== "GET") {
                throw new Refusal(409, "read_only", "a shared file cannot be changed");
            }
            const [path = "", query = ""] = address.replace(/^\/api\//, "").split("?", 2);
            const values = new URLSearchParams(query);
            const [name = "", id, ...rest] = path.split("/").map(decodeURIComponent);
            const answer = name === "exchanges"
                ? await this.#ofOne({ item: this.#item(id ?? ""), values, rest })
                : await this.#ofAll(path, values);
            return answer instanceof Response ? answer : json(answer);
        } catch (error) {
            return refused(error);
        }
    }

    /** @param {string} path @param {URLSearchParams} values @returns {Promise<unknown>} */
    async #ofAll(path, values) {
        const text = values.get("filter") ?? "";
        switch (path) {
            case "info":
                return this.#info();
            case "rows":
                return this.#rows(values);
            case "locate": {
                const list = await this.#list(text, values.get("sort") ?? "");
                const index = list.indexOf(this.#item(values.get("id") ?? ""));
                if (index < 0) {
                    throw new Refusal(404, "not_in_list", "the exchange is not in this list");
                }
                return { index };
            }
            case "check":
                checked(text);
                return { ok: true, means: text.trim() ? meaning(text) : "" };
            case "complete":
                return completions(text, Number(values.get("at") ?? text.length));
            case "saved":
                return { filters: [] };
            case "facets":
                return {
                    complete: true,
                    fields: facets(
                        await this.#list(text),
                        (values.get("fields") ?? "host,method").split(","),
                        Number(values.get("limit") ?? 20),
                    ),
                };
            case "timeline":
                return timeline(await this.#list(text), this.data.head, values);
            case "apis":
                return { complete: true, apis: apis(await this.#list(text)) };
            case "separates": {
                const chosen = new Set(await this.#list(values.get("chosen") ?? ""));
                return separates(await this.#list(text), chosen);
            }
            default:
                throw new Refusal(404, "unknown_path", "a shared file does not have this");
        }
    }

    /** @param {OfOne} call @returns {Promise<unknown>} */
    async #ofOne(call) {
        const { item, values, rest } = call;
        await this.data.loadOne(item.at);
        const detail = this.data.detail(item.at);
        switch (rest[0]) {
            case undefined:
                return this.#exchange(item);
            case "group": {
                const { correlation } = item;
                const rows = correlation === undefined ? [] : this.data.items.filter((other) =>
                    other.correlation === correlation
                ).slice(-MOST_GROUP).reverse().map(({ row }) => row);
                return { rows };
            }
            case "messages": {
                const from = Number(values.get("from") ?? 0);
                const count = Number(values.get("count") ?? 200);
                return {
                    total: detail.messages.length,
                    messages: detail.messages.slice(from, from + count),
                };
            }
            case "body":
                return this.#body(call);
            default:
                throw new Refusal(404, "unknown_path", "a shared file does not have this");
        }
    }

    // Lists

    /** @param {string} text @param {string} [sort] */
    async #list(text, sort = "") {
        const key = `${sort}\n${text}`;
        const known = this.#lists.get(key);
        if (known) return known;
        const wanted = checked(text);
        const { data } = this;
        if (wanted?.needsDetails) await data.load();
        const list = wanted
            ? data.items.filter((item) => wanted.test(item, () => data.detail(item.at)))
            : [...data.items];
        if (sort) ordered(list, sort);
        this.#lists.set(key, list);
        const oldest = this.#lists.keys().next().value;
        if (this.#lists.size > LISTS && oldest !== undefined) this.#lists.delete(oldest);
        return list;
    }

    /** @param {URLSearchParams} values */
    async #rows(values) {
        const list = await this.#list(values.get("filter") ?? "", values.get("sort") ?? "");
        const from = Number(values.get("from") ?? 0);
        const count = Math.min(Number(values.get("count") ?? 100), MOST_ROWS);
        return {
            view: "shared",
            head: this.data.items.length,
            total: list.length,
            complete: true,
            progress: 1,
            from,
            rows: list.slice(from, from + count).map(({ row }) => row),
        };
    }

    #info() {
        const { head, items, bytes } = this.data;
        return {
            version: head.version,
            stores: [{ path: head.title, kind: "shared file", bytes, writable: false }],
            mode: "share",
            state: "ok",
            redaction: head.redaction,
            differences: head.differences !== undefined,
            count: items.length,
            head: items.length,
            first: head.first,
            last: head.last,
            can: { annotate: false, resend: false, actions: false, rules: false, pause: false },
            exports: [],
        };
    }

    // One exchange

    /** @param {string} id */
    #item(id) {
        const item = this.data.item(id);
        if (!item) throw new Refusal(404, "unknown_id", "no exchange of the file has this id");
        return item;
    }

    /** @param {Item} item */
    #exchange(item) {
        const { items } = this.data;
        const { record, notes, messages, sizes } = this.data.detail(item.at);
        const { correlation, route } = item;
        const same = (/** @type {Item} */ other) =>
            other.route === route &&
            other.row.host?.toLowerCase() === item.row.host?.toLowerCase();
        const group = correlation === undefined ? undefined : {
            key: correlation,
            count: items.filter((other) => other.correlation === correlation).length,
        };
        return {
            row: item.row,
            record,
            notes,
            messages: messages.length,
            sizes,
            group,
            route,
            previous: route && items.slice(item.at + 1).find(same)?.row.id,
            next: route && items.slice(0, item.at).reverse().find(same)?.row.id,
        };
    }

    /** @param {OfOne} call */
    #body({ item, values, rest }) {
        const side = rest[1] === "request" ? "request" : "response";
        const content = this.data.detail(item.at).bodies[side];
        const raw = values.get("form") === "raw";
        if (raw && content && content.decoding !== "none") {
            throw new Refusal(
                409,
                "not_kept",
                "a shared file has bodies only with their content coding undone",
            );
        }
        const most = Number(values.get("max") || Infinity);
        const bytes = content ? bytesOf(content) : new Uint8Array();
        return new Response(bytes.subarray(0, most), {
            headers: {
                "Tapline-Content-Type": content?.type ?? "",
                "Tapline-Body": bytes.length > most ? "cut-here" : content?.state ?? "complete",
                "Tapline-Decoding": content?.decoding ?? "none",
            },
        });
    }
}

/** @param {unknown} value @param {number} [status] */
function json(value, status = 200) {
    return new Response(JSON.stringify(value), {
        status,
        headers: { "Content-Type": "application/json" },
    });
}

/** @param {unknown} error */
function refused(error) {
    if (error instanceof Refusal) {
        return json({ error: { code: error.code, message: error.message } }, error.status);
    }
    if (error instanceof Mistake) {
        const { message, help, from, to } = error;
        return json({ error: { code: "filter", message, help, from, to } }, 400);
    }
    return json({
        error: { code: "internal", message: error instanceof Error ? error.message : "failed" },
    }, 500);
}

/** A wrong filter, with its place in bytes, as the server has it. */
class Mistake extends Error {
    /** @param {WrongFilter} wrong @param {string} text */
    constructor(wrong, text) {
        super(wrong.message);
        this.help = wrong.help;
        this.from = byteOffset(text, wrong.from);
        this.to = byteOffset(text, wrong.to);
    }
}

/** @param {string} text */
function checked(text) {
    try {
        return filter(text);
    } catch (error) {
        throw error instanceof WrongFilter ? new Mistake(error, text) : error;
    }
}

/** @param {Item[]} list @param {string} sort */
function ordered(list, sort) {
    const name = sort.replace(/^-/, "");
    const value = Object.hasOwn(SORTS, name) ? SORTS[name] : undefined;
    if (!value) throw new Refusal(400, "sort", `a list cannot be sorted by '${name}'`);
    const direction = sort.startsWith("-") ? -1 : 1;
    list.sort((one, other) => {
        const [a, b] = [value(one), value(other)];
        // Exchanges without the value are last.
        if (a === undefined || b === undefined) {
            return Number(a === undefined) - Number(b === undefined);
        }
        return a < b ? -direction : a > b ? direction : 0;
    });
}

/**
 * The fields that a word in the search box may become.
 * @param {string} text @param {number} at in bytes
 */
function completions(text, at) {
    const before = new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, at));
    const word = /[\w.]*$/.exec(before)?.[0] ?? "";
    const quotes = before.replace(/\\./g, "").split('"').length - 1;
    const items = quotes % 2 || !word ? [] : Object.entries(FIELDS)
        .filter(([name]) => name.startsWith(word) && name !== word)
        .map(([name, field]) => ({
            text: field.named ? `${name}["` : `${name} `,
            kind: "field",
            detail: field.type,
        }));
    return { from: at - word.length, to: at, items };
}
