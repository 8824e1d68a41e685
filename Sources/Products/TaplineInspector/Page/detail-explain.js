// SPDX-License-Identifier: MIT
// @ts-check
// What each stage did to an exchange, in order, as `tapline explain` says it.

import { h } from "./dom.js";
import { counted, duration, size } from "./formats.js";
import { isMasked, plain } from "./messages.js";
import { command } from "./states.js";

/**
 * @typedef {import("./types").Detail} Detail
 * @typedef {import("./types").Step} Step
 * @typedef {import("./types").StepChange} StepChange
 */

/** @type {Record<string, string>} */
const SKIPPED = { when: "not matched by 'when'", not_asked: "not reached" };

/** @type {Record<string, string>} */
const DECIDED = {
    resumed: "resumed unchanged",
    changed: "changed by hand",
    answered: "answered by hand",
    aborted: "aborted by hand",
    timeout: "passed, since nobody decided in time",
    unattended: "passed, since nobody could decide",
    ended: "ended while it waited",
};

/**
 * `12 µs`, `1.4 ms`.
 * @param {number} ms
 */
export const spent = (ms) => ms < 1 ? `${Math.round(ms * 1000)} µs` : duration(ms * 1000);

/**
 * `set request.header x-team`, `removed 2 of tag`, `changed response.body (2.0 KiB to 64 B)`.
 * @param {StepChange} change
 */
export function changeWords(change) {
    const { part, name, kind, count = 1, before, after } = change;
    const sizes = before !== undefined && after !== undefined
        ? `(${size(before)} to ${size(after)})`
        : "";
    return [kind, count === 1 ? "" : `${count} of`, part, name, sizes].filter(Boolean).join(" ");
}

/**
 * What became of a step: its verdict, a decision, or why it did not run.
 * @param {Step} step
 */
export function resultWords(step) {
    if (step.skipped) return SKIPPED[step.skipped] ?? step.skipped;
    const verdict = step.decision ? DECIDED[step.decision] ?? step.decision : step.verdict ?? "";
    return [
        step.failed ? `failed, then ${verdict}` : verdict,
        (step.calls ?? 1) === 1 ? "" : `${step.calls} times`,
        step.waited_ms === undefined ? "" : `waited ${spent(step.waited_ms)}`,
        step.delay_ms === undefined ? "" : `delay ${spent(step.delay_ms)}`,
    ].filter(Boolean).join(", ");
}

/**
 * The present value of what was changed, if the record has it.
 * @param {StepChange} change @param {import("./types").Exchange} record
 */
export function valueNow({ part, name = "", kind }, record) {
    if (kind === "removed") return "";
    const { request, response } = record;
    switch (part) {
        case "method":
            return request.method ?? "";
        case "url":
            return plain(request.url);
        case "status":
            return String(response?.status ?? "");
        case "reason":
            return response?.reason ?? "";
        case "tag":
            return record.tags?.[name] ?? "";
        case "state":
            return record.state ?? "";
        case "error":
            return record.error?.code ?? "";
    }
    const [, side, what] = /^(request|response)\.(header|trailer)$/.exec(part) ?? [];
    const fields = record[/** @type {"request" | "response"} */ (side)]?.[
        what === "header" ? "headers" : "trailers"
    ];
    return (side && fields ? fields : []).filter(([other]) =>
        plain(other).toLowerCase() === name.toLowerCase()
    ).map(([, value]) => plain(value)).join(", ");
}

/** @param {StepChange} change @param {import("./types").Exchange} record */
function changeLine(change, record) {
    const value = valueNow(change, record);
    return h(
        "li",
        { class: `change ${change.kind}` },
        changeWords(change),
        value
            ? h(
                "span",
                {},
                h("span", { class: "soft" }, ", now "),
                h("span", { class: isMasked(value) ? "masked" : null }, value),
            )
            : null,
    );
}

/** @param {Step} step */
const took = ({ took_ms }) => took_ms === undefined ? "" : spent(took_ms);

/** @param {Step} step @param {import("./types").Exchange} record */
function stepView(step, record) {
    const lines = [
        ...(step.changes ?? []).map((change) => changeLine(change, record)),
        ...(step.details ?? []).map(({ name, value }) => h("li", {}, `${name}: ${value}`)),
    ];
    const state = step.failed ? "failed" : step.skipped ? "skipped" : "";
    return h(
        "li",
        { class: state || null },
        h(
            "p",
            { class: "step" },
            h("b", {}, step.stage),
            h("span", { class: "soft" }, step.hook ?? ""),
            h("span", { class: step.failed ? "failed" : null }, resultWords(step)),
            h(
                "span",
                { class: "times" },
                step.at_ms === undefined
                    ? null
                    : h(
                        "span",
                        {
                            class: "soft",
                            title: "when it began, from the first hook of the exchange",
                        },
                        `at ${spent(step.at_ms)}`,
                    ),
                h("span", { class: "took", title: "time spent" }, took(step)),
            ),
        ),
        lines.length ? h("ul", {}, lines) : null,
    );
}

/** @param {Step[]} steps */
function summary(steps) {
    const stages = new Set(steps.map(({ stage }) => stage)).size;
    const sum = (/** @type {"took_ms" | "delay_ms" | "waited_ms"} */ name) =>
        steps.reduce((total, step) => total + (step[name] ?? 0), 0);
    const changed = steps.filter(({ changes }) => changes?.length).length;
    const failed = steps.filter((step) => step.failed).length;
    return [
        `${counted(steps.length, "step")} of ${counted(stages, "stage")}`,
        `${spent(sum("took_ms"))} spent`,
        sum("waited_ms") ? `${spent(sum("waited_ms"))} of waiting for a decision` : "",
        sum("delay_ms") ? `${spent(sum("delay_ms"))} of delay` : "",
        changed ? `${counted(changed, "step")} changed something` : "nothing was changed",
        failed ? `${failed} failed` : "",
    ].filter(Boolean).join(" · ");
}

/** @param {Detail} detail */
export function explainView({ record }) {
    const steps = record.provenance ?? [];
    if (!steps.length) {
        return h(
            "div",
            { class: "explain" },
            h(
                "p",
                { class: "note" },
                "What stages did to this exchange was not recorded. " +
                    "Pipelines record it with this line:",
            ),
            command("runtime: { provenance: true }"),
        );
    }
    return h(
        "div",
        { class: "explain" },
        h("p", { class: "soft" }, summary(steps)),
        h("ol", { class: "steps" }, steps.map((step) => stepView(step, record))),
    );
}
