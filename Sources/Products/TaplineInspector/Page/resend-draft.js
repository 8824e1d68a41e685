// SPDX-License-Identifier: MIT
// @ts-check
// A request to send again: what of it was not kept, and whether that is filled in.

import * as json from "./json.js";
import { isMasked } from "./messages.js";

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} value
 * @property {string | null} was the value at first; null: added here
 * @property {string} reason why its value is not known, or nothing
 *
 * @typedef {object} Model
 * @property {string} method
 * @property {string} url
 * @property {Field[]} fields
 * @property {string} body
 * @property {string} binary base64 of a body that is not text, or nothing
 * @property {boolean} accepted whether the body is sent as it is
 * @property {{url: string, body: string}} was
 * @property {{at: string, reason: string}[]} missing of the URL and the body
 *
 * @typedef {object} Gap
 * @property {"url" | "field" | "body"} where
 * @property {Field} [field]
 * @property {string} [path] in the body
 * @property {string} label
 * @property {string} reason
 */

/** Fields that follow from the body. */
const COUNTED = /^(?:content-length|transfer-encoding)$/i;

/** @param {import("./types").Draft} draft @returns {Model} */
export function opened(draft) {
    const body = draft.body?.text ?? "";
    /** @type {Field[]} */
    const fields = draft.headers.filter(([name]) => !COUNTED.test(name)).map(([name, value]) => ({
        name,
        value,
        was: value,
        reason: "",
    }));
    const missing = [];
    for (const { at, reason } of draft.missing) {
        const name = /^request\.header\.(.+)$/.exec(at)?.[1]?.toLowerCase();
        if (name === undefined) {
            missing.push({ at, reason });
            continue;
        }
        const all = fields.filter((field) => field.name.toLowerCase() === name);
        const masked = all.filter(({ value }) => isMasked(value));
        for (const field of masked.length ? masked : all) field.reason = reason;
        if (!all.length) fields.push({ name: at.slice(15), value: "", was: "", reason });
    }
    return {
        method: draft.method,
        url: draft.url,
        fields,
        body,
        binary: draft.body?.base64 ?? "",
        accepted: false,
        was: { url: draft.url, body },
        missing,
    };
}

/**
 * What has to be filled in before it can be sent.
 * @param {Model} model @returns {Gap[]}
 */
export function gaps(model) {
    /** @type {Gap[]} */
    const found = [];
    const { was, missing } = model;
    for (const { at, reason } of missing) {
        if (at === "request.url" && model.url === was.url) {
            found.push({ where: "url", label: "URL", reason });
        }
    }
    for (const field of model.fields) {
        if (field.reason && (field.value === field.was || !field.value.trim())) {
            found.push({ where: "field", field, label: field.name, reason: field.reason });
        }
    }
    for (const { at, reason } of missing) {
        if (at === "request.url" || at === "request.body" && model.accepted) continue;
        const path = at.startsWith("request.body.") ? at.slice(13) : undefined;
        const open = path && model.body !== was.body
            ? raw(model.body, path) === raw(was.body, path) && raw(was.body, path) !== undefined
            : model.body === was.body;
        const label = path ? `body ${path}` : "body";
        if (open) found.push({ where: "body", path, label, reason });
    }
    return found;
}

/**
 * The request as the server takes it.
 * @param {Model} model
 */
export function written({ method, url, fields, body, binary, was }) {
    const content = body !== was.body || !binary ? body && { text: body } : { base64: binary };
    return {
        method: method.trim(),
        url: url.trim(),
        headers: fields.filter(({ name }) => name.trim()).map(({ name, value }) => [
            name.trim(),
            value,
        ]),
        ...(content ? { body: content } : {}),
    };
}

/**
 * Puts a field before another place.
 * @param {Field[]} fields @param {number} from @param {number} to
 */
export function moved(fields, from, to) {
    const field = fields[from];
    if (!field || to < 0 || to >= fields.length) return fields;
    const rest = fields.filter((other) => other !== field);
    return [...rest.slice(0, to), field, ...rest.slice(to)];
}

/**
 * The steps of `$.items[3]["odd name"]`, or null.
 * @param {string} path @returns {(string | number)[] | null}
 */
export function steps(path) {
    const found = [];
    const step = /\.([^.[\]]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;
    step.lastIndex = 1;
    while (step.lastIndex < path.length) {
        const match = step.exec(path);
        if (!match) return null;
        found.push(
            match[1] ?? (match[2] === undefined ? JSON.parse(match[3] ?? '""') : Number(match[2])),
        );
    }
    return found;
}

/**
 * The value at a path as JSON writes it.
 * @param {string} text @param {string} path
 */
function raw(text, path) {
    const value = find(text, path)?.value;
    return value && json.write(value);
}

/** @param {string} text @param {string} path */
function find(text, path) {
    const all = steps(path);
    if (!all) return undefined;
    try {
        const root = json.parse(text);
        let value = root;
        for (const step of all) {
            const next = json.children(value).find(([name]) => name === step)?.[1];
            if (!next) return undefined;
            value = next;
        }
        return { root, value };
    } catch {
        return undefined;
    }
}

/**
 * Where a value stands in a text of JSON, as far as it is one without children.
 * @param {string} text @param {string} path @returns {{from: number, to: number} | null}
 */
export function place(text, path) {
    const found = find(text, path);
    if (!found) return null;
    const word = json.write(found.value);
    let before = 0;
    /** @param {json.Json} node @returns {boolean} */
    const count = (node) => {
        if (node === found.value) return true;
        for (const [name, child] of json.children(node)) {
            if (JSON.stringify(name) === word) before += 1;
            if (count(child)) return true;
            if (!json.children(child).length && json.write(child) === word) before += 1;
        }
        return false;
    };
    count(found.root);
    let from = text.indexOf(word);
    while (before > 0 && from >= 0) {
        from = text.indexOf(word, from + 1);
        before -= 1;
    }
    return from < 0 ? null : { from, to: from + word.length };
}
