// SPDX-License-Identifier: MIT
// @ts-check
// Opens a shared file: asks for the passphrase if there is one, and starts the page.

import "./storage.js";
import { answerWith } from "../api.js";
import { app } from "../app.js";
import { h, replace } from "../dom.js";
import { screens } from "../screens.js";
import { notice, show } from "../states.js";
import { decoded, opened, WrongPassphrase } from "./container.js";
import { ShareData } from "./data.js";
import { differencesScreen } from "./differences.js";
import { ShareServer } from "./server.js";

/** @param {ReturnType<typeof notice> | null} content */
function draw(content) {
    const place = document.getElementById("list-state");
    if (place) show(place, content);
}

/** @param {Uint8Array} bytes */
async function start(bytes) {
    const data = await ShareData.open(bytes);
    const server = new ShareServer(data);
    const { differences } = data.head;
    if (differences) {
        screens.differences = () => differencesScreen(differences);
        if (!location.hash) app.go({ screen: "differences" }, true);
    }
    answerWith((address, init) => server.answer(address, init));
    // Nothing changes any more.
    app.follow = () => {};
    draw(null);
    document.body.classList.remove("locked");
    await import("../main.js");
}

/** @param {unknown} error */
function failed(error) {
    draw(notice(
        "The file cannot be shown",
        `${error instanceof Error ? error.message : error}. Ask its author for it again.`,
    ));
}

/**
 * Asks for the passphrase until it is right.
 * @param {Uint8Array} sealed @param {{salt: string, nonce: string, rounds: number}} how
 */
function unlock(sealed, how) {
    const input = h("input", {
        type: "password",
        autocomplete: "off",
        required: true,
        "aria-label": "Passphrase",
        "aria-describedby": "passphrase-problem",
    });
    const submit = h("button", { type: "submit" }, "Open");
    const problem = h("p", { class: "warn", id: "passphrase-problem", role: "alert" });
    const form = h("form", { class: "passphrase" }, input, submit, problem);
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        /** @type {HTMLInputElement} */ (input).disabled = true;
        replace(problem, "Opening…");
        try {
            const bytes = await opened(sealed, /** @type {HTMLInputElement} */ (input).value, how);
            await start(bytes);
        } catch (error) {
            if (!(error instanceof WrongPassphrase)) {
                failed(error);
                return;
            }
            replace(problem, "The passphrase is wrong, or the file is damaged.");
            /** @type {HTMLInputElement} */ (input).disabled = false;
            /** @type {HTMLInputElement} */ (input).select();
            input.focus();
        }
    });
    draw(notice("This file is encrypted", "Its author has the passphrase.", form));
    input.focus();
}

async function open() {
    document.body.classList.add("locked");
    const element = document.getElementById("data");
    const { salt, nonce, rounds } = element?.dataset ?? {};
    if (!("DecompressionStream" in globalThis) || salt && !globalThis.crypto?.subtle) {
        draw(notice(
            "This browser cannot show the file",
            "It is too old, or it refuses encryption for files. Open the file in a current " +
                "Chromium, Firefox or Safari.",
        ));
        return;
    }
    const bytes = decoded(element?.textContent ?? "");
    element?.remove();
    if (salt && nonce) unlock(bytes, { salt, nonce, rounds: Number(rounds) });
    else await start(bytes);
}

open().catch(failed);
