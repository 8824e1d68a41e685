// SPDX-License-Identifier: MIT
// @ts-check
// Asks for the password, and leads to the page. The fragment is the address within the page.

import { keepKey } from "./early.js";

/** @template {Element} T @param {string} id @param {new () => T} type @returns {T} */
function part(id, type) {
    const found = document.getElementById(id);
    if (!(found instanceof type)) throw new Error(`no ${id}`);
    return found;
}

const form = part("login", HTMLFormElement);
const input = part("password", HTMLInputElement);
const problem = part("problem", HTMLElement);
const submit = form.querySelector("button");

/**
 * Exchanges the password for a cookie and a key; returns what is wrong, or nothing.
 * @param {string} password @returns {Promise<string>}
 */
async function logIn(password) {
    const answer = await fetch("/api/login", {
        method: "POST",
        credentials: "same-origin",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ password }),
    });
    const value = await answer.json().catch(() => ({}));
    if (!answer.ok || !value.key) return value.error?.message ?? `the server answered with ${answer.status}`;
    try {
        keepKey(value.key);
    } catch {
        return "this browser keeps no data of the page; allow it to";
    }
    return "";
}

form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (submit) submit.disabled = true;
    problem.textContent = "";
    const wrong = await logIn(input.value).catch(() => "the server does not answer");
    if (!wrong) {
        location.replace(`/${location.hash}`);
        return;
    }
    problem.textContent = `${wrong[0]?.toUpperCase()}${wrong.slice(1)}.`;
    if (submit) submit.disabled = false;
    input.select();
    input.focus();
});
