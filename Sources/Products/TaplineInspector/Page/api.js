// SPDX-License-Identifier: MIT
// @ts-check
// Calls of the server. Every failure is a `Failure` that can be shown as it is.

/** @typedef {import("./types").Info} Info */

export class Failure extends Error {
    /**
     * @param {number} status
     * @param {{code?: string, message?: string, help?: string, from?: number, to?: number}} error
     */
    constructor(status, error) {
        super(error.message ?? `the server answered with status ${status}`);
        this.status = status;
        this.code = error.code ?? "";
        this.help = error.help ?? "";
        this.from = error.from;
        this.to = error.to;
    }
}

/**
 * Whether the server could not be reached, as opposed to refusing.
 * @param {unknown} error
 */
export const isGone = (error) => error instanceof Failure && error.status === 0;
/** @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === "AbortError";

/** Where the key of the login is kept: cookies go to all ports of a host, this goes to none. */
const KEY = "tapline.key";
const key = () => localStorage.getItem(KEY) ?? "";

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

/** @param {string} address @param {RequestInit} [init] */
async function send(address, init) {
    let response;
    try {
        const headers = { ...init?.headers, "Tapline-Key": key() };
        response = await fetch(address, { credentials: "same-origin", ...init, headers });
    } catch (error) {
        if (isAbort(error)) throw error;
        throw new Failure(0, { code: "gone", message: "the server does not answer" });
    }
    if (response.ok) return response;
    let problem = {};
    try {
        problem = (await response.json()).error ?? {};
    } catch { /* The status says enough. */ }
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
 * Exchanges the token of the address for a cookie and a key.
 * @param {string} token
 */
export async function signIn(token) {
    const answer = await post("login", { token });
    localStorage.setItem(KEY, (await answer.json()).key);
}

/** @param {string} path @param {unknown} value */
export function post(path, value) {
    return send(`/api/${path}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(value),
    });
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
