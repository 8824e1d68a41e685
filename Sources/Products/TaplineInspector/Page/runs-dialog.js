// SPDX-License-Identifier: MIT
// @ts-check
// Asks what to replay or to mock, starts it, and offers the command that does the same.

import * as api from "./api.js";
import { app } from "./app.js";
import { dialog } from "./dialogs.js";
import { announce, button, copy, h, replace } from "./dom.js";
import { counted, ofSelected } from "./formats.js";
import { diffCommand, isHere, mockCommand, replayCommand } from "./runs-text.js";
import { reasons } from "./states.js";

/** @typedef {import("./page.js").Page} Page @typedef {"replay" | "mock"} Kind */

const TARGET = "tapline.replay.to";
/** Value, name, and what the server gets. */
const PACES = [
    ["rate", "at a rate"],
    ["1x", "as recorded"],
    ["2x", "twice as fast"],
    ["10x", "ten times as fast"],
    ["max", "as fast as it answers"],
];

/**
 * The filters to choose from: that of the selection, and that of the list.
 * @param {Page} page
 */
async function choices(page) {
    const ids = page.selectedIds;
    const [from, to] = page.list.selection ?? [0, -1];
    const selected = Math.max(to - from + 1, ids.length);
    const chosen = {
        name: selected === 1
            ? "the chosen exchange"
            : ofSelected(ids.length, selected),
        filter: `id in [${ids.map((id) => JSON.stringify(id)).join(", ")}]`,
    };
    const { filter: typed } = app;
    const { means } = /** @type {{means?: string}} */ (typed
        ? await api.get("check", { filter: typed }).catch(() => ({}))
        : {});
    const shown = {
        name: `${counted(page.source.total, "exchange")} of the list`,
        filter: means ?? typed,
    };
    // A row is chosen as soon as it is looked at: more than one were selected on purpose.
    if (!ids.length) return [shown];
    return selected > 1 ? [chosen, shown] : [shown, chosen];
}

/** @param {string} label @param {Node} field @param {string} [note] */
const field = (label, field, note) =>
    h("label", { class: "run-field" }, h("span", {}, label), field, note && h("small", {}, note));

/** @param {string[][]} options @param {string} name */
const select = (options, name) =>
    h(
        "select",
        { "aria-label": name },
        options.map(([value = "", text = ""]) => h("option", { value }, text)),
    );

/**
 * Copies the command that compares a recording with another one.
 * @param {Page} page
 */
export async function copyDiff(page) {
    const [{ name, filter } = { name: "", filter: "" }] = await choices(page);
    await copy(
        diffCommand(app.info?.stores[0]?.path ?? "", filter),
        `command for ${name} copied; put your recording in place of other.db`,
    );
}

/** @param {Kind} kind @param {Page} page */
export async function startDialog(kind, page) {
    const isReplay = kind === "replay";
    const all = await choices(page);
    const which = select(all.map(({ name }, at) => [String(at), name]), "What");
    const to = h("input", {
        type: "url",
        required: true,
        placeholder: "http://127.0.0.1:8080",
        spellcheck: "false",
        value: localStorage.getItem(TARGET) ?? "",
    });
    const pace = select(PACES, "Pace");
    const rate = h("input", { "aria-label": "Rate", value: "10/s", class: "run-rate" });
    const unsafe = h("input", { type: "checkbox" });
    const confirm = h(
        "label",
        { class: "run-unsafe" },
        unsafe,
        " Also send requests that can change data (POST, PUT, PATCH, DELETE …). Otherwise they are ",
        "skipped unless the server is on this machine.",
    );
    const text = h("code", {});
    const failure = h("p", { class: "failed", role: "alert" });
    const why = reasons.runs();
    const start = h("button", {
        type: "submit",
        class: "framed primary",
        "aria-disabled": String(Boolean(why)),
    }, isReplay ? "Start the replay" : "Start the mock");
    const stores = (app.info?.stores ?? []).map(({ path }) => path);

    const asked = () => ({
        filter: all[Number(which.value)]?.filter ?? "",
        to: to.value.trim(),
        rate: pace.value === "rate" ? rate.value.trim() : "",
        speed: pace.value === "rate" ? "" : pace.value,
        unsafe: !confirm.hidden && unsafe.checked,
    });
    const draw = () => {
        rate.hidden = pace.value !== "rate";
        confirm.hidden = !to.value.trim() || isHere(to.value.trim());
        const request = asked();
        replace(
            text,
            isReplay
                ? replayCommand(stores, { ...request, to: request.to || "http://127.0.0.1:8080" })
                : mockCommand(stores, request.filter),
        );
    };
    let starting = false;
    const submit = async () => {
        if (starting || why) return;
        starting = true;
        replace(failure);
        const { filter, ...rest } = asked();
        if (isReplay) localStorage.setItem(TARGET, rest.to);
        try {
            const value = isReplay
                ? { kind, filter, ...rest, rate: rest.rate || null, speed: rest.speed || null }
                : { kind, filter };
            await api.post("runs", value);
            box.close();
            announce(isReplay ? "the replay has started" : "the mock has started");
            app.go({ screen: "runs" });
            app.emit("runs");
        } catch (error) {
            replace(failure, error instanceof Error ? error.message : String(error));
        } finally {
            starting = false;
        }
    };
    const title = isReplay ? "Replay" : "Mock";
    const form = h(
        "form",
        { class: "run-form" },
        h("header", {}, h("h2", {}, title), button("Close", () => box.close())),
        h(
            "p",
            { class: "soft" },
            isReplay
                ? "Sends the recorded requests to another server, and compares its answers with " +
                    "the recorded ones."
                : "Answers requests as the recording did, on a free port of this machine.",
        ),
        field("What", which),
        isReplay && field("To", to),
        isReplay && h("div", { class: "run-pace" }, field("Pace", pace), rate),
        isReplay && confirm,
        failure,
        why && h("p", { class: "soft" }, `It can be started ${why}. Or copy the command:`),
        h("p", { class: "command" }, text, button("Copy", () => copy(text.textContent ?? ""))),
        h("div", { class: "actions" }, start, button("Cancel", () => box.close())),
    );
    form.addEventListener("input", draw);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        submit();
    });
    draw();
    const box = dialog(title, form);
    box.classList.add("wide");
    if (isReplay) to.focus();
}
