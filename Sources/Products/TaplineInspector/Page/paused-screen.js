// SPDX-License-Identifier: MIT
// @ts-check
// Exchanges that wait: what they are, changed or not, and how they go on.

import * as api from "./api.js";
import { app } from "./app.js";
import { announce, button, h, refresh, replace, whileShown } from "./dom.js";
import { counted, methodClass } from "./formats.js";
import { changes, masked, opened, refused } from "./paused-changes.js";
import { waiting } from "./paused-state.js";
import { MessageForm } from "./resend-form.js";
import { failureNotice, notice } from "./states.js";

/** @typedef {import("./types").Waiting} Waiting @typedef {import("./types").Paused} Paused */
/** @typedef {import("./paused-changes.js").Model} Model */
/**
 * An exchange that was opened, with what was changed in it.
 * @typedef {{paused: Paused, model: Model, answer: Model}} Opened
 */

/** The last seconds before it passes. */
const SOON = 10;

/**
 * What was opened outlives the screen.
 * @type {Map<string, Opened>}
 */
const known = new Map();

/** @param {Waiting | Paused} one */
const secondsLeft = (one) => Math.max(0, Math.ceil((one.until - Date.now() * 1000) / 1e6));

/** @param {number} seconds */
const left = (seconds) => {
    const minutes = Math.floor(seconds / 60);
    return minutes ? `${minutes}m${String(seconds % 60).padStart(2, "0")}s` : `${seconds} s`;
};

/** @param {Waiting | Paused} one */
const clock = (one) => {
    const seconds = secondsLeft(one);
    return h(
        "span",
        { class: seconds <= SOON ? "warn left" : "soft left", "data-until": one.until },
        seconds ? `${left(seconds)} left` : "passing",
    );
};

/**
 * A button that shows its key.
 * @param {HTMLElement} button @param {string} key
 */
const keyed = (button, key) => {
    button.append(" ", h("kbd", { "aria-hidden": "true" }, key));
    return button;
};

/** @returns {Model} */
const answerModel = () => {
    const type = { name: "Content-Type", value: "application/json", was: null, reason: "" };
    const fields = [type];
    const was = { status: "", fields: [], body: "" };
    return { status: "200", fields, body: "{}", fixed: "", was };
};

class PausedScreen {
    #list = h("ol", { class: "rule-list", "aria-label": "Waiting exchanges" });
    #main = h("div", { class: "paused-main" });
    #count = h("span", { class: "soft", role: "status" });
    #id = "";
    /** @type {Opened | null} */
    #open = null;
    #answers = false;
    #sending = false;
    /** @type {MessageForm | null} */
    #form = null;
    #failure = h("p", { class: "failed", role: "alert" });
    #go = button("Go on", () => this.goOn(), { class: "framed primary", title: "f or Ctrl Enter" });
    element = h(
        "div",
        { class: "rules paused" },
        h("div", { class: "rules-side" }, h("h2", {}, "Paused ", this.#count), this.#list),
        this.#main,
    );

    draw() {
        const { all } = waiting;
        this.#count.textContent = all.length ? counted(all.length, "exchange") : "";
        for (const id of known.keys()) {
            if (id !== this.#id && !all.some((one) => one.id === id)) known.delete(id);
        }
        refresh(this.#list, all.length ? all.map((one) => this.#item(one)) : null);
        // It may wait again, with its response.
        const hook = this.#open?.paused.hook;
        const isThere = all.some((one) => one.id === this.#id && one.hook === (hook ?? one.hook));
        if (this.#id && isThere) return;
        if (this.#id && this.#open && !this.#sending) this.#passed();
        else if (!this.#id && all[0]) this.choose(all[0].id);
        else if (!all.length) this.#none();
    }

    /** @param {Waiting} one */
    #item(one) {
        return h(
            "li",
            {},
            h(
                "button",
                {
                    type: "button",
                    class: "rule",
                    "data-key": one.id,
                    "aria-current": one.id === this.#id ? "true" : null,
                    onclick: (/** @type {MouseEvent} */ event) =>
                        this.choose(one.id, event.detail === 0),
                },
                h(
                    "b",
                    {},
                    h("span", { class: `method ${methodClass(one.method ?? "")}` }, one.method),
                    ` ${one.host ?? ""}${one.path ?? ""}`,
                ),
                h(
                    "span",
                    { class: "summary" },
                    one.hook === "request" ? "before the server" : "before the client",
                    one.rule ? `, by ${one.rule}` : "",
                ),
                clock(one),
            ),
        );
    }

    #none() {
        if (this.#open) return;
        replace(
            this.#main,
            notice(
                "Nothing waits",
                app.info?.can.pause
                    ? "An exchange waits here when a rule with the action pause matches it."
                    : "Exchanges wait here while a pipeline runs: tapline run --inspect.",
                button("Rules", () => app.go({ screen: "rules" })),
            ),
        );
        if (waiting.error) replace(this.#main, failureNotice(waiting.error));
    }

    /** It goes on without a decision made here. */
    #passed() {
        this.#failure.textContent = "It has passed meanwhile: its time was over, or somebody " +
            "else let it go on. What you see was not sent.";
        this.#go.setAttribute("aria-disabled", "true");
        for (const one of this.#main.querySelectorAll(".sticky button")) {
            one.setAttribute("aria-disabled", "true");
        }
        const clock = this.#main.querySelector(".left");
        if (clock) clock.replaceWith(h("span", { class: "warn" }, "passed"));
        const next = waiting.all[0];
        this.#id = "";
        this.#open = null;
        if (next) {
            this.#failure.append(
                " ",
                button("Open the next", () => this.choose(next.id, true), { class: "link" }),
            );
        }
    }

    /** @param {string} id @param {boolean} [enter] */
    async choose(id, enter = false) {
        if (id !== this.#id) {
            this.#id = id;
            this.#open = null;
            this.#answers = false;
            try {
                const paused = /** @type {Paused} */ (await api.get(
                    `paused/${encodeURIComponent(id)}`,
                ));
                if (this.#id !== id) return;
                const fresh = () => ({ paused, model: opened(paused), answer: answerModel() });
                const former = known.get(id);
                this.#open = former?.paused.hook === paused.hook ? former : fresh();
                known.set(id, this.#open);
            } catch (error) {
                if (this.#id !== id) return;
                this.#id = "";
                if (error instanceof api.Failure && error.status === 404) {
                    announce("it has passed meanwhile");
                    waiting.load();
                } else replace(this.#main, failureNotice(error));
                return;
            }
            this.#show();
        }
        for (const one of this.#list.querySelectorAll(".rule")) {
            if (one.getAttribute("data-key") === id) one.setAttribute("aria-current", "true");
            else one.removeAttribute("aria-current");
        }
        if (enter) this.#form?.goTo(this.#answers ? "body" : "url");
    }

    #show() {
        const open = this.#open;
        if (!open) return;
        const { paused, model, answer } = open;
        const form = this.#form = new MessageForm(this.#answers ? answer : model, {
            ordered: this.#answers,
            note: this.#answers ? "" : "Only what you change is sent; the rest stays as it is.",
        });
        form.body.readOnly = !this.#answers && Boolean(model.fixed);
        form.addEventListener("change", () => this.#check());
        const { request } = paused.record;
        replace(this.#failure);
        replace(
            this.#main,
            h(
                "header",
                { class: "bar" },
                h(
                    "h3",
                    {},
                    this.#answers
                        ? "The answer"
                        : paused.hook === "request"
                        ? "The request, before the server gets it"
                        : "The response, before the client gets it",
                ),
                paused.rule ? h("span", { class: "soft" }, `paused by ${paused.rule}`) : null,
                h("span", { class: "gap" }),
                clock(paused),
            ),
            paused.hook === "response" || this.#answers
                ? h("p", { class: "line" }, `${request.method ?? ""} ${request.url ?? ""}`)
                : null,
            paused.hidden
                ? h("p", { class: "note" }, "The stages keep no record of it: a part is shown.")
                : null,
            form.element,
            this.#failure,
            h(
                "div",
                { class: "actions sticky" },
                this.#go,
                keyed(
                    button(this.#answers ? "Back to the message" : "Answer instead", () =>
                        this.answer()),
                    "v",
                ),
                keyed(button("Abort", () => this.abort(), { title: "close the connection" }), "X"),
            ),
        );
        this.#check();
    }

    /** Says what is masked, and what cannot be sent. */
    #check() {
        const open = this.#open;
        if (!open || !this.#form) return { changes: [], problems: [] };
        if (this.#answers) {
            const right = /^[2-5]\d\d$/.test(open.answer.status ?? "");
            this.#say("Send the answer");
            this.#go.setAttribute("aria-disabled", String(!right));
            replace(this.#failure, right ? "" : "The status is a number from 200 to 599.");
            return { changes: [], problems: right ? [] : [{ part: "", text: "" }] };
        }
        const found = changes(open.model);
        const said = masked(open.model);
        for (const { part, text } of found.problems) said.set(part, { text, open: true });
        this.#form.say(said);
        const many = found.changes.length;
        this.#say(many ? `Go on with ${counted(many, "change")}` : "Go on");
        this.#go.setAttribute("aria-disabled", String(found.problems.length > 0));
        return found;
    }

    /**
     * Says what the server refuses, beside its parts; the exchange waits on.
     * @param {unknown} error
     */
    #refused(error) {
        const open = this.#open;
        if (!open || !this.#form) return;
        const problems = error instanceof api.Failure ? error.problems : [];
        const model = this.#answers ? open.answer : open.model;
        const { said, others } = refused(model, problems);
        this.#form.say(new Map([...this.#answers ? [] : masked(model), ...said]));
        if (!problems.length) others.push(error instanceof Error ? error.message : String(error));
        this.#failure.textContent = ["Nothing was changed, and it waits on", ...others].join(": ");
        const [first] = said.keys();
        if (first) this.#form.goTo(first);
    }

    /** @param {string} label */
    #say(label) {
        this.#go.textContent = label;
        keyed(this.#go, "f");
    }

    goOn() {
        const open = this.#open;
        if (!open) return;
        const { changes, problems } = this.#check();
        if (problems.length) {
            announce("something cannot be sent: it is marked");
            return;
        }
        const { status, fields, body } = open.answer;
        const respond = {
            status: Number(status),
            headers: fields.filter(({ name }) => name.trim()).map((one) => [one.name, one.value]),
            ...(body ? { body: { text: body } } : {}),
        };
        this.#resume(
            this.#answers ? { respond } : changes.length ? { changes } : {},
            this.#answers ? "answered" : "it goes on",
        );
    }

    answer() {
        if (!this.#open) return;
        this.#answers = !this.#answers;
        this.#show();
        this.#form?.goTo("body");
    }

    abort() {
        if (this.#open) this.#resume({ abort: true }, "aborted");
    }

    /** @param {object} decision @param {string} done */
    async #resume(decision, done) {
        if (this.#sending) return;
        const id = this.#id;
        const hook = this.#open?.paused.hook;
        this.#sending = true;
        try {
            await api.post(`paused/${encodeURIComponent(id)}/resume`, { ...decision, hook });
            announce(done);
            known.delete(id);
            this.#id = "";
            this.#open = null;
            this.#sending = false;
            waiting.all = waiting.all.filter((one) => one.id !== id);
            app.emit("waiting");
            this.focus();
        } catch (error) {
            this.#sending = false;
            if (error instanceof api.Failure && error.status === 404) this.#passed();
            else if (this.#id === id) this.#refused(error);
        }
    }

    focus() {
        const all = /** @type {HTMLElement[]} */ ([...this.#list.querySelectorAll(".rule")]);
        (all.find((one) => one.dataset.key === this.#id) ?? all[0])?.focus();
    }

    /** @param {number} step */
    step(step) {
        const { all } = waiting;
        const at = all.findIndex(({ id }) => id === this.#id);
        const next = all[at < 0 ? 0 : Math.max(0, Math.min(all.length - 1, at + step))];
        if (!next) return;
        this.choose(next.id);
        this.focus();
    }

    tick() {
        for (const place of this.element.querySelectorAll(".left")) {
            const until = Number(place.getAttribute("data-until"));
            const seconds = Math.max(0, Math.ceil((until - Date.now() * 1000) / 1e6));
            place.textContent = seconds ? `${left(seconds)} left` : "passing";
            place.className = seconds <= SOON ? "warn left" : "soft left";
        }
    }
}

export function pausedScreen() {
    const screen = new PausedScreen();
    const box = h("div", { class: "rules-place" }, screen.element);
    whileShown(box, [
        [app, "waiting", () => screen.draw()],
        [app, "step", ({ detail }) => screen.step(detail)],
        [app, "paused-go", () => screen.goOn()],
        [app, "paused-answer", () => screen.answer()],
        [app, "paused-abort", () => screen.abort()],
    ], 1000, () => screen.tick());
    box.addEventListener("keydown", (event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        const isRow = event.target instanceof Element && event.target.matches(".rule");
        if (!step || !isRow || event.altKey) return;
        event.preventDefault();
        screen.step(step);
    });
    screen.draw();
    waiting.load();
    return box;
}
