// SPDX-License-Identifier: MIT
// @ts-check
// What was changed in a paused message, as single changes: what is masked is never sent.

import * as json from "./json.js";
import { isMasked, plain } from "./messages.js";

/**
 * @typedef {import("./resend-draft.js").Field} Field @typedef {import("./types").Delta} Delta
 * @typedef {import("./json.js").Json} Json @typedef {import("./resend-form.js").Part} Part
 * @typedef {import("./resend-form.js").Said} Said
 *
 * @typedef {object} Model
 * @property {string} [method] of a request
 * @property {string} [url]
 * @property {string} [status] of a response
 * @property {Field[]} fields
 * @property {string} body
 * @property {string} fixed why the body cannot be changed, or nothing
 * @property {{method?: string, url?: string, status?: string, fields: Field[], body: string}} was
 */

/**
 * The message that waits.
 * @param {import("./types").Paused} paused @returns {Model}
 */
export function opened({ hook, record }) {
    const message = hook === "request" ? record.request : record.response;
    const content = /** @type {import("./types").Content | null | undefined} */ (message?.body);
    const body = content?.text ?? "";
    const fields = (message?.headers ?? []).map(([name, value]) => ({
        name: plain(name),
        value: plain(value),
        was: plain(value),
        reason: isMasked(plain(value)) ? "masked" : "",
    }));
    const first = hook === "request"
        ? { method: message?.method ?? "", url: plain(message?.url) }
        : { status: String(message?.status ?? "") };
    return {
        ...first,
        fields,
        body,
        fixed: content?.base64
            ? "bytes, not text"
            : message?.body?.truncated
            ? "too large to be changed"
            : "",
        was: { ...first, fields: [...fields], body },
    };
}

/**
 * @param {Model} model
 * @returns {{changes: Delta[], problems: {part: Field | "url" | "body", text: string}[]}}
 */
export function changes(model) {
    const { was } = model;
    const side = model.status === undefined ? "request" : "response";
    /** @type {Delta[]} */
    const found = [];
    /** @type {{part: Field | "url" | "body", text: string}[]} */
    const problems = [];
    for (const name of /** @type {const} */ (["method", "url", "status"])) {
        const value = model[name]?.trim();
        if (value === undefined || value === was[name]) continue;
        if (isMasked(value)) {
            problems.push({ part: "url", text: "a part is masked: write it out, or leave it" });
        } else found.push({ at: `${side}.${name}`, value });
    }
    fieldChanges(model, side, found, problems);
    if (model.body !== was.body) {
        const all = bodyChanges(was.body, model.body, `${side}.body`);
        if (all) found.push(...all);
        else {
            problems.push({
                part: "body",
                text: "values are masked: change other values singly, or replace the whole body",
            });
        }
    }
    return { changes: found, problems };
}

/**
 * What is said beside the parts that stay as they are.
 * @param {Model} model @returns {Map<Part, Said>}
 */
export function masked({ fields, body, fixed }) {
    /** @type {Map<Part, Said>} */
    const said = new Map();
    for (const field of fields) {
        if (field.reason && field.value === field.was) {
            said.set(field, { text: "masked: it stays as it is", open: false });
        }
    }
    if (/\[redacted/.test(body)) {
        said.set("body", { text: "masked values stay as they are", open: false });
    } else if (fixed) said.set("body", { text: `${fixed}: it stays as it is`, open: false });
    return said;
}

/**
 * What the server refuses, by the part that it is about; others are about none that is shown.
 * @param {Pick<Model, "fields">} model @param {import("./types").Problem[]} problems
 */
export function refused({ fields }, problems) {
    /** @type {Map<Part, Said>} */
    const said = new Map();
    /** @type {string[]} */
    const others = [];
    for (const { at, message } of problems) {
        const part = partAt(at, fields);
        const before = part && said.get(part);
        const text = before ? `${before.text}; ${message}` : message;
        if (part) said.set(part, { text, open: true });
        else others.push(message);
    }
    return { said, others };
}

/** @param {string} place @param {Field[]} fields @returns {Part | undefined} */
function partAt(place, fields) {
    const [, what, name = ""] = /^[a-z]+\.([a-z]+)(?:\.(.*))?$/s.exec(place) ?? [];
    switch (what) {
        case "method":
        case "body":
            return what;
        case "url":
        case "status":
            return "url";
        case "header":
            return fields.find((one) => one.name.trim().toLowerCase() === name.toLowerCase());
    }
}

/**
 * @param {Model} model @param {string} side @param {Delta[]} found
 * @param {{part: Field | "url" | "body", text: string}[]} problems
 */
function fieldChanges(model, side, found, problems) {
    const { was, fields } = model;
    const key = (/** @type {Field} */ { name }) => name.trim().toLowerCase();
    const names = new Set([...was.fields, ...fields].map(key).filter(Boolean));
    for (const name of names) {
        const before = was.fields.filter((field) => key(field) === name);
        const after = fields.filter((field) => key(field) === name);
        const same = before.length === after.length && after.every((field) =>
            before.includes(field) && field.value === field.was
        );
        if (same) continue;
        const at = `${side}.header.${(after[0] ?? before[0])?.name.trim()}`;
        const [one] = after;
        if (!one) found.push({ at, remove: true });
        else if (after.length > 1) {
            problems.push({ part: one, text: "several with this name: keep one, or none" });
        } else if (isMasked(one.value)) {
            problems.push({ part: one, text: "a part is masked: write it out, or leave it" });
        } else found.push({ at, value: one.value });
    }
}

/**
 * Single values if the body is JSON, else the whole; null if that would send what is masked.
 * @param {string} before @param {string} after @param {string} at @returns {Delta[] | null}
 */
function bodyChanges(before, after, at) {
    if (!isMasked(before)) return [{ at, value: after }];
    try {
        /** @type {Delta[]} */
        const found = [];
        if (differs(json.parse(before), json.parse(after), [], at, found)) return found;
    } catch { /* Not JSON: as a whole. */ }
    return isMasked(after) ? null : [{ at, value: after }];
}

/**
 * Collects the values that differ; false if they cannot be told singly.
 * @param {Json} before @param {Json} after @param {(string | number)[]} path
 * @param {string} at @param {Delta[]} found @returns {boolean}
 */
function differs(before, after, path, at, found) {
    const value = json.write(after);
    if (json.write(before) === value) return true;
    const place = path.length ? `${at}.${json.pathText(path)}` : at;
    if (before.kind === "object" && after.kind === "object") {
        const others = new Map(after.entries);
        if (others.size < after.entries.length) return false;
        for (const [name, child] of before.entries) {
            const other = others.get(name);
            others.delete(name);
            const steps = [...path, name];
            if (!other) found.push({ at: `${at}.${json.pathText(steps)}`, remove: true });
            else if (!differs(child, other, steps, at, found)) return false;
        }
        for (const [name, child] of others) {
            if (isMasked(json.write(child))) return false;
            found.push({
                at: `${at}.${json.pathText([...path, name])}`,
                value: json.write(child),
                add: true,
            });
        }
        return true;
    }
    if (before.kind === "array" && after.kind === "array" &&
        before.items.length === after.items.length) {
        return before.items.every((item, number) => {
            const other = after.items[number];
            return other && differs(item, other, [...path, number], at, found);
        });
    }
    if (isMasked(value)) return false;
    found.push({ at: place, value });
    return true;
}
