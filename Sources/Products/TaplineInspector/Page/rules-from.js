// SPDX-License-Identifier: MIT
// @ts-check
// Makes a rule, or a Lua hook, from an exchange.

import * as api from "./api.js";
import { app } from "./app.js";
import { dialog } from "./dialogs.js";
import { announce, button, copy, h } from "./dom.js";
import { size } from "./formats.js";
import { header } from "./messages.js";
import { MOST, rule, script } from "./rules-make.js";
import { files } from "./rules-state.js";

/**
 * What a rule needs of an exchange.
 * @param {string} id @returns {Promise<import("./rules-make.js").Recorded>}
 */
async function recorded(id) {
    const detail = /** @type {import("./types").Detail} */ (await api.get(api.exchangePath(id)));
    const { row, record } = detail;
    /** @type {import("./rules-make.js").Recorded} */
    const found = {
        method: row.method,
        host: row.host,
        path: row.path?.split("?")[0],
        status: record.response ? row.status : undefined,
        type: header(record.response, "content-type") || undefined,
    };
    if (!record.response?.body?.size && !row.down) return found;
    const { bytes, state } = await api.body(id, "response", { max: MOST + 1 });
    const whole = record.response?.body?.size ?? row.down ?? bytes.length;
    if (state === "missing" || bytes.length > MOST) {
        const why = state === "missing" ? "was not kept" : "is too large to stand here";
        return { ...found, body: null, note: `The body of ${size(whole)} ${why}.` };
    }
    const body = textOf(bytes);
    if (body === null) return { ...found, body, note: `The body of ${size(whole)} is not text.` };
    const note = state === "cut" || state === "cut-here"
        ? "The body was cut when it was recorded."
        : state === "masked"
        ? "Values of the body were masked when it was recorded."
        : undefined;
    return { ...found, body, note };
}

/** @param {Uint8Array} bytes */
function textOf(bytes) {
    try {
        const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
        return text.includes("\0") ? null : text;
    } catch {
        return null;
    }
}

/** @param {unknown} error */
const said = (error) => announce(error instanceof Error ? error.message : String(error));

/** @param {string} id */
export async function makeRule(id) {
    try {
        const from = await recorded(id);
        await files.add((taken) => rule(from, taken));
        app.go({ screen: "rules" });
        announce("the rule is at the end of the text, not saved yet");
    } catch (error) {
        said(error);
    }
}

/** @param {string} id */
export async function showRecipe(id) {
    /** @type {import("./rules-make.js").Recorded} */
    let from;
    try {
        from = await recorded(id);
    } catch (error) {
        said(error);
        return;
    }
    /** @type {"request" | "response"} */
    let hook = "request";
    const code = h("pre", { class: "code recipe", tabindex: 0 });
    const choices = h("div", { class: "choice", role: "group", "aria-label": "Kind of hook" });
    const draw = () => {
        code.textContent = script(from, hook);
        choices.replaceChildren(
            ...(/** @type {const} */ ([["request", "Answers"], ["response", "Changes the answer"]]))
                .map(([name, label]) =>
                    button(label, () => {
                        hook = name;
                        draw();
                    }, { "aria-pressed": String(name === hook) })
                ),
        );
    };
    draw();
    const box = dialog(
        "Lua hook",
        h("header", {}, h("h2", {}, "Lua hook for this"), button("Close", () => box.close())),
        h(
            "div",
            { class: "bar" },
            choices,
            h("span", { class: "gap" }),
            button("Copy", () => copy(code.textContent ?? "", "script copied"), {
                class: "framed",
                autofocus: true,
            }),
        ),
        code,
        h(
            "p",
            { class: "soft" },
            "Save it as rewrite.lua, and add the stage ",
            h("code", {}, "lua: { script: rewrite.lua, reload: true }"),
            " to the pipeline; ",
            h("code", {}, "tapline lua check rewrite.lua"),
            " checks it.",
        ),
    );
    box.classList.add("wide");
}
