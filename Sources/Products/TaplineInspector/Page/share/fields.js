// SPDX-License-Identifier: MIT
// @ts-check
// The fields of the filter language, read from a shared file.

import { pairs, plain, query, sentCookies, setCookies } from "../messages.js";
import { textOf } from "./data.js";

/**
 * @typedef {import("./data.js").Item} Item @typedef {import("./data.js").Detail} Detail
 * @typedef {import("../types").Message} Message
 * @typedef {string | number} Value
 * @typedef {"text" | "number" | "size" | "duration" | "time" | "json"} Type
 */

/**
 * @typedef {(
 *     item: Item, detail: () => Detail, name: string
 * ) => (Value | undefined | null)[]} Values
 */

/**
 * A field: the type of its values, and how they are found. `named`: it has a name in brackets;
 * `detail`: the details have to be loaded; `folded`: case does not matter.
 * @typedef {object} Field
 * @property {Type} type
 * @property {Values} values
 * @property {boolean} [named]
 * @property {boolean} [detail]
 * @property {boolean} [folded]
 */

/** @param {Message | undefined} message @param {string} name */
const fields = (message, name) =>
    [...(message?.headers ?? []), ...(message?.trailers ?? [])]
        .filter(([found]) => plain(found).toLowerCase() === name.toLowerCase())
        .map(([, value]) => plain(value));

const CODES = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
    "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
    "UNAUTHENTICATED",
];

/**
 * Service, method and status of a gRPC call; null if it is none.
 * @param {Item} item @param {Detail} detail
 */
function grpc({ row }, { record: { request, response } }) {
    const type = fields(request, "content-type")[0] ?? "";
    if (!/^\s*application\/grpc(-web(-text)?)?\s*(\+|;|$)/i.test(type)) return null;
    const path = /([^/]+)\/([^/]+)$/.exec((row.path ?? "").split("?")[0] ?? "");
    const trailers = { ...response, headers: response?.trailers ?? [], trailers: [] };
    const code = fields(trailers, "grpc-status")[0] ?? fields(response, "grpc-status")[0];
    return {
        service: path?.[1],
        method: path?.[2],
        status: row.tags?.["grpc.status"] ?? (code && (CODES[Number(code)] ?? code)),
    };
}

/** @param {Record<string, number> | undefined} sizes */
const sum = (sizes) =>
    sizes ? Object.values(sizes).reduce((total, size) => total + size, 0) : undefined;

/** @param {string} text */
const one = (text) => text ? [text] : [];

/** @param {Detail} detail @returns {string[]} */
function everything(detail) {
    const { request, response } = detail.record;
    const heads = [request, response].flatMap((message) =>
        [...(message?.headers ?? []), ...(message?.trailers ?? [])].flat().map(plain)
    );
    return [
        plain(request.url ?? request.target ?? ""),
        ...heads,
        textOf(detail.bodies.request),
        textOf(detail.bodies.response),
        ...detail.messages.map(textOf),
    ];
}

/** @param {{text?: string, base64?: string} | undefined} body @param {string} path */
function inJSON(body, path) {
    if (!body) return [];
    try {
        return select(JSON.parse(textOf(body)), steps(path) ?? []);
    } catch {
        return [];
    }
}

/**
 * The steps of a path such as `$.items[*].price`; null if it is wrong.
 * @param {string} path @returns {(string | number | null)[] | null}
 */
export function steps(path) {
    if (!path.startsWith("$")) return null;
    const found = [];
    const step = /\.\*|\[\*\]|\.([^.[\]'*\s]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/y;
    step.lastIndex = 1;
    while (step.lastIndex < path.length) {
        const match = step.exec(path);
        if (!match) return null;
        const [, name, index, quoted] = match;
        if (name !== undefined) found.push(name);
        else if (index !== undefined) found.push(Number(index));
        else if (quoted !== undefined) found.push(quoted.replace(/\\(.)/g, "$1"));
        else found.push(null);
    }
    return found;
}

/**
 * @param {any} value @param {(string | number | null)[]} path @returns {Value[]}
 */
function select(value, path) {
    let all = [value];
    for (const step of path) {
        all = all.flatMap((one) => {
            if (one === null || typeof one !== "object") return [];
            if (step === null) return Object.values(one);
            if (Array.isArray(one) !== (typeof step === "number")) return [];
            return Object.hasOwn(one, step) ? [one[step]] : [];
        });
    }
    // Of an array or object it is only known that it exists.
    return all.map((one) =>
        typeof one === "number" ? one : typeof one === "object" && one ? NaN : String(one)
    );
}

/** @type {Record<string, Field>} */
export const FIELDS = {
    id: { type: "text", values: ({ row }) => [row.id] },
    source: { type: "text", values: ({ row }) => [row.source] },
    state: { type: "text", values: ({ row }) => [row.state] },
    method: { type: "text", values: ({ row }) => [row.method] },
    url: {
        type: "text",
        detail: true,
        values: (_, detail) => one(plain(detail().record.request.url ?? "")),
    },
    scheme: { type: "text", folded: true, values: ({ row }) => [row.scheme] },
    host: { type: "text", folded: true, values: ({ row }) => [row.host] },
    port: { type: "number", values: ({ row }) => [row.port] },
    path: { type: "text", values: ({ row }) => [row.path?.split("?")[0]] },
    route: { type: "text", values: ({ route }) => [route] },
    query: {
        type: "text",
        named: true,
        values: ({ row }, _, name) =>
            pairs(query(row.path ?? "")).filter(([found]) => found === name)
                .map(([, value]) => value),
    },
    status: { type: "number", values: ({ row }) => [row.status] },
    status_class: {
        type: "text",
        values: ({ row }) => [row.status ? `${Math.floor(row.status / 100)}xx` : undefined],
    },
    client: { type: "text", values: ({ row }) => [row.client] },
    server: { type: "text", detail: true, values: (_, detail) => [detail().record.server] },
    duration: { type: "duration", values: ({ row }) => [row.us] },
    started: { type: "time", values: ({ row }) => [row.at] },
    error: { type: "text", values: ({ row }) => [row.error] },
    correlation: { type: "text", values: ({ correlation }) => [correlation] },
    content_type: {
        type: "text",
        values: ({ row }) => [row.type?.split(";")[0]?.trim().toLowerCase()],
    },
    tag: { type: "text", named: true, values: ({ row }, _, name) => [row.tags?.[name]] },
    "request.version": {
        type: "text",
        detail: true,
        values: (_, detail) => [detail().record.request.version],
    },
    "response.version": {
        type: "text",
        detail: true,
        values: (_, detail) => [detail().record.response?.version],
    },
    "tls.version": {
        type: "text",
        detail: true,
        values: (_, detail) => [detail().record.tls?.version],
    },
    "grpc.service": {
        type: "text",
        detail: true,
        values: (item, detail) => [grpc(item, detail())?.service],
    },
    "grpc.method": {
        type: "text",
        detail: true,
        values: (item, detail) => [grpc(item, detail())?.method],
    },
    "grpc.status": {
        type: "text",
        detail: true,
        values: (item, detail) => [grpc(item, detail())?.status],
    },
    "request.header": {
        type: "text",
        named: true,
        detail: true,
        values: (_, detail, name) => fields(detail().record.request, name),
    },
    "response.header": {
        type: "text",
        named: true,
        detail: true,
        values: (_, detail, name) => fields(detail().record.response, name),
    },
    "request.cookie": {
        type: "text",
        named: true,
        detail: true,
        values: (_, detail, name) =>
            sentCookies(detail().record.request).filter((cookie) => cookie.name === name)
                .map(({ value }) => value),
    },
    "response.cookie": {
        type: "text",
        named: true,
        detail: true,
        values: (_, detail, name) =>
            setCookies(detail().record.response ?? {}).filter((cookie) => cookie.name === name)
                .map(({ value }) => value),
    },
    "request.body": {
        type: "text",
        detail: true,
        values: (_, detail) => one(textOf(detail().bodies.request)),
    },
    "response.body": {
        type: "text",
        detail: true,
        values: (_, detail) => one(textOf(detail().bodies.response)),
    },
    "request.json": {
        type: "json",
        named: true,
        detail: true,
        values: (_, detail, path) => inJSON(detail().bodies.request, path),
    },
    "response.json": {
        type: "json",
        named: true,
        detail: true,
        values: (_, detail, path) => inJSON(detail().bodies.response, path),
    },
    json: {
        type: "json",
        named: true,
        detail: true,
        values: (_, detail, path) => [
            ...inJSON(detail().bodies.request, path),
            ...inJSON(detail().bodies.response, path),
        ],
    },
    "message.text": {
        type: "text",
        detail: true,
        values: (_, detail) => detail().messages.map(textOf),
    },
    any: { type: "text", detail: true, values: (_, detail) => everything(detail()) },
    "request.size": { type: "size", values: ({ row }) => [row.up] },
    "response.size": { type: "size", values: ({ row }) => [row.down] },
    "bytes.up": {
        type: "size",
        detail: true,
        values: (_, detail) => [sum(/** @type {any} */ (detail().record.bytes?.up))],
    },
    "bytes.down": {
        type: "size",
        detail: true,
        values: (_, detail) => [sum(/** @type {any} */ (detail().record.bytes?.down))],
    },
    note: {
        type: "text",
        detail: true,
        values: (_, detail) => detail().notes.map(({ text }) => text).filter(Boolean),
    },
    mark: {
        type: "text",
        detail: true,
        values: (_, detail) => detail().notes.map(({ mark }) => mark),
    },
};

/**
 * The values that a field has.
 * @param {Field} field @param {Item} item @param {() => Detail} detail @param {string} name
 */
export const known = (field, item, detail, name) =>
    /** @type {Value[]} */ (field.values(item, detail, name).filter((value) =>
        value !== undefined && value !== null
    ));
