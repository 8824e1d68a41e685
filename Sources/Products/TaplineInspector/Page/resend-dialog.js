// SPDX-License-Identifier: MIT
// @ts-check
// Sends a request again, as it was or edited, and shows the new exchange when it is there.

import * as api from "./api.js";
import { app } from "./app.js";
import { dialog } from "./dialogs.js";
import { announce, button, h, replace } from "./dom.js";
import { counted } from "./formats.js";
import { gaps, opened, place, written } from "./resend-draft.js";
import { MessageForm } from "./resend-form.js";
import { isUnknown, whenStored } from "./stored.js";

/** @typedef {import("./page.js").Page} Page @typedef {import("./resend-draft.js").Model} Model */

/** So long the new exchange is waited for, in milliseconds. */
const WAIT = 30_000;

/**
 * What was edited and not sent yet, by exchange.
 * @type {Map<string, Model>}
 */
const kept = new Map();

/** @param {unknown} error */
const words = (error) =>
    error instanceof api.Failure && error.help
        ? `${error.message}: ${error.help}`
        : error instanceof Error
        ? error.message
        : String(error);

/** @param {string} id */
const load = async (id) =>
    opened(
        /** @type {import("./types").Draft} */ (await api.get(`${api.exchangePath(id)}/draft`)),
    );

/**
 * Sends the request as it was, or asks for what is missing.
 * @param {string} id @param {Page} page
 */
export async function resend(id, page) {
    try {
        const model = await load(id);
        if (gaps(model).length) {
            show(id, page, model);
            return;
        }
        announce("sent again");
        const answer = await api.post("resend", { of: id, request: written(model) });
        await arrived(answer.id, page);
    } catch (error) {
        announce(`not sent: ${words(error)}`);
    }
}

/** @param {string} id @param {Page} page */
export async function editAndResend(id, page) {
    try {
        show(id, page, kept.get(id) ?? await load(id));
    } catch (error) {
        announce(words(error));
    }
}

/**
 * Opens the new exchange, unless the reader has gone elsewhere meanwhile.
 * @param {string} id @param {Page} page
 */
async function arrived(id, page) {
    const { screen, id: shown } = app.state;
    try {
        await whenStored(id, WAIT);
    } catch (error) {
        if (!isUnknown(error)) throw error;
        announce("the repeated exchange has not ended yet; it will be in the list");
        return;
    }
    if (app.state.screen !== screen || app.state.id !== shown) {
        announce("the repeated exchange is in the list");
        return;
    }
    if (!app.state.sort) await page.source.adopt(app.head.head);
    await page.reveal(id);
    announce("this is the repeated exchange");
}

/** @param {string} id @param {Page} page @param {Model} model */
function show(id, page, model) {
    const form = new MessageForm(model, {
        ordered: true,
        note: "Content-Length is set when it is sent.",
    });
    const open = h("div", { class: "gaps" });
    const failure = h("p", { class: "failed", role: "alert" });
    const send = button("Send", () => submit(), { class: "framed primary" });
    const accept = h("input", { type: "checkbox" });
    accept.checked = model.accepted;
    accept.addEventListener("change", () => {
        model.accepted = accept.checked;
        draw();
    });
    let sending = false;

    const go = (/** @type {import("./resend-draft.js").Gap} */ { where, field, path }) =>
        form.goTo(
            field ?? (where === "url" ? where : "body"),
            path ? place(model.body, path) : null,
        );
    const draw = () => {
        const all = gaps(model);
        /** @type {Map<any, import("./resend-form.js").Said>} */
        const said = new Map();
        for (const { where, field, reason } of all) {
            if (where !== "body") {
                said.set(where === "url" ? "url" : field, {
                    text: `${reason}: fill it in${where === "field" ? ", or remove it" : ""}`,
                    open: true,
                });
            }
        }
        const ofBody = all.filter(({ where }) => where === "body");
        if (ofBody.length) {
            const at = ofBody.map(({ path, reason }) => path ? `${path} ${reason}` : reason);
            said.set("body", { text: `${at.join(", ")}: fill it in`, open: true });
        }
        const isCut = model.missing.some(({ at }) => at === "request.body");
        const isBinary = model.binary && !model.body;
        form.say(said, [
            ...(isCut ? [h("label", {}, accept, " send the body as it is")] : []),
            ...(isBinary
                ? [h("p", {}, "Bytes, not text: sent as they were, or as you write.")]
                : []),
        ]);
        replace(
            open,
            all.length
                ? [
                    h("span", {}, `${counted(all.length, "value")} missing:`),
                    ...all.map((gap) =>
                        button(gap.label, () => go(gap), { class: "link", title: "go there" })
                    ),
                ]
                : null,
        );
        send.setAttribute("aria-disabled", String(all.length > 0 || sending));
        kept.set(id, model);
    };

    const submit = async () => {
        const [gap] = gaps(model);
        if (sending) return;
        if (gap) {
            go(gap);
            return;
        }
        sending = true;
        replace(failure);
        draw();
        try {
            const answer = await api.post("resend", { of: id, request: written(model) });
            kept.delete(id);
            box.close();
            announce("sent");
            await arrived(answer.id, page);
        } catch (error) {
            if (box.isConnected) replace(failure, `Not sent: ${words(error)}`);
            else announce(words(error));
        } finally {
            sending = false;
            if (box.isConnected) draw();
        }
    };

    form.addEventListener("change", draw);
    const box = dialog(
        "Edit and resend",
        h(
            "header",
            {},
            h("h2", {}, "Edit and resend"),
            button("Close", () => box.close(), { title: "what you have edited stays (Esc)" }),
        ),
        form.element,
        failure,
        h(
            "div",
            { class: "actions sticky" },
            send,
            button("Start over", () => {
                kept.delete(id);
                box.close();
                editAndResend(id, page);
            }),
            open,
        ),
    );
    box.classList.add("wide", "editing");
    // A click beside the form would close it.
    box.setAttribute("closedby", "closerequest");
    box.addEventListener("click", (event) => {
        if (event.target === box) event.stopImmediatePropagation();
    }, true);
    box.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        submit();
    });
    draw();
    const [gap] = gaps(model);
    if (gap) go(gap);
    else form.goTo("url");
}
