// SPDX-License-Identifier: MIT
// @ts-check
// Calls of the server. Every failure is a `Failure` that can be shown as it is.

import { keepKey, key, take, withKey } from "./early.js";

/** @typedef {import("./types").Info} Info @typedef {import("./types").Problem} Problem */

export class Failure extends Error {
    /**
     * @param {number} status
     * @param {{code?: string, message?: string, help?: string, from?: number, to?: number,
     *     problems?: Problem[], login?: string}} error
     */
    constructor(status, error) {
        super(error.message ?? `the server answered with status ${status}`);
        this.status = status;
        this.code = error.code ?? "";
        this.help = error.help ?? "";
        this.from = error.from;
        this.to = error.to;
        this.problems = error.problems ?? [];
    }
}

/**
 * Whether the server could not be reached, as opposed to refusing.
 * @param {unknown} error
 */
export const isGone = (error) => error instanceof Failure && error.status === 0;

/**
 * Whether the server does not know this browser: the cookie is missing, or of another run.
 * @param {unknown} error
 */
export const isRefused = (error) => error instanceof Failure && error.status === 401;

/** Why a store cannot be read now; it may be readable a moment later. */
const STORE = ["busy", "locked", "missing", "newer", "damaged", "not_store", "store"];

/**
 * Whether the same call may be answered later: the server is away, or the store cannot be read.
 * @param {unknown} error
 */
export const isPassing = (error) =>
    error instanceof Failure && (error.status === 0 || error.status >= 500 ||
        STORE.includes(error.code));

/** Dispatches `refused` when a call is refused for want of a cookie. */
export const refusals = new EventTarget();

let isPasswordAsked = false;
/** Whether the server takes a password instead of a token; known after a call was refused. */
export const takesPassword = () => isPasswordAsked;

/** Leaves the page for the one that asks for the password, and comes back to the same address. */
export const logIn = () => location.replace(`/login${location.hash}`);

/** @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";

/**
 * The address of a call that the browser makes by itself, without fields.
 * @param {string} path @param {Record<string, string | number | null | undefined>} [query]
 */
export const link = (path, query = {}) => url(path, { ...query, key: key() });

/** @param {string} path @param {Record<string, string | number | null | undefined>} [query] */
export function url(path, query = {}) {
    const values = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
        if (value !== null && value !== undefined && value !== "") values.set(name, String(value));
    }
    const text = values.toString();
    return `/api/${path}${text ? "?" + text : ""}`;
}

/** @typedef {(address: string, init?: RequestInit) => Promise<Response>} Answer */

/** @type {Answer} */
let answer = (address, init) => fetch(address, withKey(init));

/**
 * Has something else answer the calls: a shared file has its data in itself.
 * @param {Answer} other
 */
export function answerWith(other) {
    answer = other;
}

/** @param {string} address @param {RequestInit} [init] */
async function send(address, init) {
    let response;
    try {
        response = await (take(address) ?? answer(address, init));
        init?.signal?.throwIfAborted();
    } catch (error) {
        if (isAbort(error)) throw error;
        throw new Failure(0, { code: "gone", message: "the server does not answer" });
    }
    if (response.ok) return response;
    /** @type {{login?: string}} */
    let problem = {};
    try {
        problem = (await response.json()).error ?? {};
    } catch { /* The status says enough. */ }
    if (response.status === 401) isPasswordAsked = problem.login === "password";
    if (response.status === 401) refusals.dispatchEvent(new Event("refused"));
    throw new Failure(response.status, problem);
}

/**
 * @template T
 * @param {string} path @param {Record<string, string | number | null | undefined>} [query]
 * @param {AbortSignal} [signal] @returns {Promise<T>}
 */
export async function get(path, query, signal) {
    return (await send(url(path, query), { signal })).json();
}

/**
 * The answer, or an empty object.
 * @param {string} path @param {unknown} value @param {AbortSignal} [signal] @returns {Promise<any>}
 */
export async function post(path, value, signal) {
    const response = await send(`/api/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(value),
        signal,
    });
    return response.json().catch(() => ({}));
}

/**
 * Exchanges the token of the address for a cookie and a key.
 * @param {string} token
 */
export async function signIn(token) {
    keepKey((await post("login", { token })).key);
}

/** @param {string} id */
export const exchangePath = (id) => `exchanges/${encodeURIComponent(id)}`;

/**
 * @typedef {{bytes: Uint8Array, type: string, state: string, decoding: string}} LoadedBody
 * @param {string} id @param {"request" | "response"} side
 * @param {{raw?: boolean, max?: number, signal?: AbortSignal}} [options]
 * @returns {Promise<LoadedBody>}
 */
export async function body(id, side, options = {}) {
    const query = { form: options.raw ? "raw" : "decoded", max: options.max };
    const response = await send(url(`${exchangePath(id)}/body/${side}`, query), {
        signal: options.signal,
    });
    return {
        bytes: new Uint8Array(await response.arrayBuffer()),
        type: response.headers.get("Tapline-Content-Type") ?? "",
        state: response.headers.get("Tapline-Body") ?? "complete",
        decoding: response.headers.get("Tapline-Decoding") ?? "none",
    };
}

/**
 * The text of an export, and how many values it could not hold.
 * @param {string} id @param {string} format
 */
export async function exported(id, format) {
    const response = await send(url(`${exchangePath(id)}/export`, { to: format }));
    return {
        text: await response.text(),
        losses: Number(response.headers.get("Tapline-Losses") ?? 0),
    };
}
