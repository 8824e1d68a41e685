// SPDX-License-Identifier: MIT
// @ts-check
// The first calls, made before the other modules have come. It imports nothing, so that it runs
// first.

/** Where the key of the login is kept: cookies go to all ports of a host, this goes to none. */
const KEY = "tapline.key";
export const key = () => globalThis.localStorage?.getItem(KEY) ?? "";
/** @param {string} value */
export const keepKey = (value) => localStorage.setItem(KEY, value);

/**
 * What a call needs to be answered.
 * @param {RequestInit} [init] @returns {RequestInit}
 */
export const withKey = (init) => ({
    credentials: "same-origin",
    ...init,
    headers: { ...init?.headers, "Tapline-Key": key() },
});

/**
 * Answers that nobody has taken yet, by the address of their call.
 * @type {Map<string, Promise<Response>>}
 */
const answers = new Map();

const INFO = "/api/info";
const ROWS = "/api/rows?from=0&count=100";

/**
 * Answers that the login returned, by the address of their call.
 * @type {Record<string, unknown>}
 */
let loginAnswers = {};

let signedIn = Promise.resolve(false);

/** Whether the token of the address was exchanged for a cookie. */
export const whenSignedIn = () => signedIn;

/**
 * The answer to a call that was made early, once.
 * @param {string} address
 */
export function take(address) {
    const answer = answers.get(address);
    answers.delete(address);
    return answer;
}

/** @param {string} address @param {Promise<unknown>} after */
function call(address, after) {
    const answer = after.then(() =>
        loginAnswers[address]
            ? Object.assign(new Response(), { json: async () => loginAnswers[address] })
            : fetch(address, withKey({ priority: "high" }))
    );
    // Who takes it says what is wrong.
    answer.catch(() => {});
    answers.set(address, answer);
}

/** @param {string} fragment */
function start(fragment) {
    const [, token, rest = ""] = /^#token=([^&]*)(?:&(.*))?$/.exec(fragment) ?? [];
    const isWhole = !/[?&](filter|sort|from|to)=/.test(token === undefined ? fragment : rest);
    if (token !== undefined) {
        signedIn = fetch("/api/login", {
            method: "POST",
            // Before the modules that wait for one of the browser's few connections.
            priority: "high",
            credentials: "same-origin",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({
                token: decodeURIComponent(token),
                with: isWhole ? "rows" : "info",
            }),
        }).then(async (answer) => {
            if (!answer.ok) return false;
            const { key, info, rows } = await answer.json();
            keepKey(key);
            loginAnswers = { [INFO]: info, [ROWS]: rows };
            return true;
        }).catch(() => false).then((isDone) => {
            // Signing in again says what is wrong, and what was refused has to be asked again.
            if (!isDone) answers.clear();
            return isDone;
        });
    }
    call(INFO, signedIn);
    if (isWhole) call(ROWS, signedIn);
}

// A shared file answers its calls by itself, and the page that asks for a password makes none.
if (globalThis.location?.pathname === "/" && !document.getElementById("data")) start(location.hash);
