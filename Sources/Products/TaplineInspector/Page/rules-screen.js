// SPDX-License-Identifier: MIT
// @ts-check
// The rules: list, editor, what changes in the file, and what they would have done.

import { app } from "./app.js";
import { announce, button, h, refresh, replace, whileShown } from "./dom.js";
import * as difference from "./difference.js";
import { counted } from "./formats.js";
import { Editor } from "./rules-editor.js";
import { RuleList } from "./rules-list.js";
import { Past } from "./rules-past.js";
import { files } from "./rules-state.js";
import * as rules from "./rules-text.js";
import { command, failureNotice, notice } from "./states.js";
import { block } from "./tl-compare.js";

/** @typedef {import("./rules-state.js").RuleText} RuleText */

/** Counters are asked for so often while they are seen, in milliseconds. */
const OFTEN = 2000;

/** @param {string} saved @param {string} text */
const changed = (saved, text) => difference.lines(saved.split("\n"), text.split("\n"));

class RulesScreen {
    /** @type {RuleText} */
    #file;
    #editor = new Editor("Text of the rules");
    #past = new Past(() => files.current);
    #list = new RuleList((edit) => this.#edit(edit), (number) => this.#choose(number));
    #tabs = h("div", { class: "bar files" });
    #conflict = h("div", {});
    #problems = h("ul", { class: "problems", "aria-label": "Problems" });
    #said = h("p", { class: "soft said", role: "status" });
    #unsaved = h("section", { class: "unsaved", "aria-label": "Difference", hidden: true });
    element = h(
        "div",
        { class: "rules" },
        h("div", { class: "rules-side" }, h("h2", {}, "Rules"), this.#list.element),
        h(
            "div",
            { class: "rules-main" },
            this.#tabs,
            this.#conflict,
            this.#editor.element,
            h(
                "p",
                { class: "hidden", id: "rules-keys" },
                "Tab indents; Escape leaves the text, and Tab then moves on.",
            ),
            h("div", { class: "wrong" }, this.#said, this.#problems),
            h("div", { class: "rules-below" }, this.#unsaved, this.#past.element),
        ),
    );

    /** @param {RuleText} file */
    constructor(file) {
        this.#file = file;
        this.#editor.addEventListener("input", () => this.#file.edit(this.#editor.value));
        this.#editor.addEventListener("cursor", () => this.#follow());
        this.#editor.addEventListener("leave", () => this.#list.focus());
        this.#editor.element.addEventListener("focusout", () => this.#keep());
        // Its place can be scrolled to when it is in the page.
        requestAnimationFrame(() => this.#open(this.#file));
    }

    /** The screen was left. */
    leave() {
        this.#past.stop();
    }
    /** @param {number} step */
    step(step) {
        this.#list.step(step);
    }
    /** @param {number} step */
    shift(step) {
        this.#list.shift(step);
    }

    #keep() {
        if (this.#editor.element.isConnected) this.#file.place = this.#editor.place;
    }

    /** @param {RuleText} file */
    #open(file) {
        this.#file = file;
        this.#editor.writable = file.writable;
        this.#editor.show(file.text, file.place);
        this.#follow();
    }

    /** The rule of the cursor is the current one of the list. */
    #follow() {
        const { line } = this.#editor;
        const all = rules.ranges(this.#editor.value);
        const number = all.findIndex(({ from, to }) => line >= from && line <= to);
        this.#editor.mark(all[number] ?? null);
        this.#list.setCurrent(number);
    }

    /** @param {number} number */
    #choose(number) {
        this.#editor.mark(rules.ranges(this.#editor.value)[number] ?? null, true);
        this.#list.setCurrent(number);
    }

    /** @param {((text: string) => string) | null} edit null: go to the text */
    #edit(edit) {
        if (!edit) {
            this.#editor.focus();
            return;
        }
        try {
            this.#editor.change(edit(this.#editor.value));
        } catch (error) {
            announce(error instanceof Error ? error.message : String(error));
        }
    }

    async save() {
        const file = this.#file;
        if (file.saving) return;
        if (!file.isChanged) {
            announce("nothing to save");
        } else if (file.other) {
            announce("the file has changed meanwhile: choose a version first");
        } else if (file.isWrong) {
            announce("the text has errors: it cannot be saved");
        } else if (await file.save()) {
            announce(`${file.name} saved`);
        }
    }

    /** @param {RuleText} file */
    draw(file) {
        if (file !== this.#file) {
            this.#keep();
            this.#open(file);
        } else if (file.text !== this.#editor.value) {
            // Another version of the file, or a rule made elsewhere.
            this.#editor.show(file.text, file.place.top < 0 ? file.place : this.#editor.place);
            this.#follow();
        }
        this.#editor.setProblems(file.problems);
        this.#list.draw(file);
        this.#past.follow();
        this.#drawTabs(file);
        this.#drawConflict(file);
        this.#drawProblems(file);
        this.#drawUnsaved(file);
    }

    /** @param {RuleText} file */
    #drawTabs(file) {
        const label = (/** @type {RuleText} */ one) =>
            files.all.some((other) => other !== one && other.name === one.name)
                ? one.path
                : one.name;
        const tab = (/** @type {RuleText} */ one) =>
            button(
                `${label(one)}${one.isChanged ? " •" : ""}`,
                () => {
                    this.#keep();
                    files.chosen = one.id;
                    files.emit();
                },
                {
                    "aria-pressed": String(one === file),
                    title: one.path,
                    "data-key": one.id,
                    "aria-label": `${one.path}${one.isChanged ? ", not saved" : ""}`,
                },
            );
        refresh(
            this.#tabs,
            files.all.length > 1
                ? h(
                    "div",
                    { class: "choice", role: "group", "aria-label": "Files" },
                    files.all.map(tab),
                )
                : h("code", { title: file.path }, file.path),
            file.writable ? null : h("span", { class: "warn" }, "read-only"),
            h("span", { class: "gap" }),
            file.isChanged
                ? h("b", {}, "not saved")
                : h("span", { class: "soft" }, file.saving ? "saving…" : "as in the file"),
        );
    }

    /** @param {RuleText} file */
    #drawConflict(file) {
        const { other } = file;
        const key = other ? `${other.version} ${file.text}` : "";
        if (this.#conflict.dataset.key === key) return;
        this.#conflict.dataset.key = key;
        if (!other) {
            replace(this.#conflict);
            return;
        }
        replace(
            this.#conflict,
            h(
                "div",
                { class: "conflict", role: "alert" },
                h("b", {}, `${file.name} was changed by somebody else.`),
                " Nothing is lost: your text stays here until you choose. ",
                h(
                    "div",
                    { class: "actions" },
                    button("Go on with mine", () => {
                        file.keepMine();
                        announce("saving replaces the other version");
                    }, { title: "keep your text; saving it then replaces the other version" }),
                    button("Take the file's", () => {
                        const { version, text } = other;
                        this.#editor.change(text);
                        file.take(version, text);
                        file.check();
                        announce("your changes are gone from the text; Ctrl Z brings them back");
                    }, { title: "show the version of the file; yours can be undone to" }),
                ),
                h(
                    "details",
                    { open: true },
                    h("summary", {}, "Left the file now, right your text"),
                    block("Both versions", changed(other.text, file.text)),
                ),
            ),
        );
    }

    /** @param {RuleText} file */
    #drawProblems(file) {
        const errors = file.problems.filter(({ severity }) => severity === "error").length;
        const others = file.problems.length - errors;
        const tone = errors || file.failure ? "failed" : others ? "warn" : "soft";
        this.#said.className = `said ${tone}`;
        const said = file.failure ||
            [errors && counted(errors, "error"), others && counted(others, "warning")]
                .filter(Boolean).join(", ") || "no problems";
        if (this.#said.textContent !== said) this.#said.textContent = said;
        refresh(
            this.#problems,
            [...file.problems].sort((a, b) => a.from - b.from).slice(0, 50).map((problem) =>
                h(
                    "li",
                    { class: problem.severity },
                    button("", () => this.#editor.goTo(problem), {
                        "data-key": `${problem.line}:${problem.column}${problem.message}`,
                        title: "go there",
                    })
                        .appendChild(
                            h(
                                "span",
                                {},
                                h("code", {}, `${problem.line}:${problem.column}`),
                                ` ${problem.severity}: ${problem.message}`,
                                problem.help
                                    ? h("span", { class: "soft" }, ` ${problem.help}`)
                                    : null,
                            ),
                        ).parentElement,
                )
            ),
        );
    }

    /** @param {RuleText} file */
    #drawUnsaved(file) {
        this.#unsaved.hidden = !file.isChanged || Boolean(file.other);
        if (this.#unsaved.hidden) return;
        const lines = changed(file.saved, file.text);
        const many = lines.filter(({ kind }) => kind !== "same").length;
        const open = this.#unsaved.querySelector("details")?.open ?? true;
        refresh(
            this.#unsaved,
            h(
                "header",
                { class: "bar" },
                h("h3", {}, "Not saved"),
                h("span", { class: "soft" }, counted(many, "line")),
                button("Save", () => this.save(), {
                    class: "framed",
                    disabled: file.isWrong || file.saving || !file.writable,
                    title: file.isWrong ? "when the text has no errors" : "write the file (Ctrl S)",
                }),
                button("Discard", () => {
                    this.#editor.change(file.saved);
                    announce("discarded; Ctrl Z in the text brings it back");
                }, { title: "back to the text of the file" }),
                file.isWrong ? h("span", { class: "failed" }, "errors first") : null,
            ),
            h(
                "details",
                { open },
                h("summary", {}, "Difference: left the file, right your text"),
                block("Difference", lines),
            ),
        );
    }
}

function absent() {
    if (files.error) return h("div", { class: "page" }, failureNotice(files.error));
    if (!files.loaded) return h("p", { class: "page soft" }, "Loading…");
    return h(
        "div",
        { class: "page" },
        h("h2", {}, "Rules"),
        notice(
            "No rules here",
            app.info?.can.rules
                ? "The pipeline has no file of rules. Add this stage to it:"
                : "Rules act on live exchanges. They need a pipeline with this stage:",
            h("code", {}, "stages: [rules: { file: rules.yaml }]"),
        ),
        command("tapline run PIPELINE.yaml --inspect"),
    );
}

export function rulesScreen() {
    const box = h("div", { class: "rules-place" });
    /** @type {RulesScreen | null} */
    let screen = null;
    const draw = () => {
        const file = files.current;
        if (!file) {
            screen = null;
            replace(box, absent());
            return;
        }
        if (!screen) {
            screen = new RulesScreen(file);
            replace(box, screen.element);
        }
        screen.draw(file);
    };
    /** @type {[EventTarget, string, (event: any) => void][]} */
    const heard = [
        [files, "change", draw],
        [app, "save-rules", () => screen?.save()],
        [app, "step", ({ detail }) => screen?.step(detail)],
        [app, "rule-up", () => screen?.shift(-1)],
        [app, "rule-down", () => screen?.shift(1)],
    ];
    const often = () => {
        if (!document.hidden && !files.current?.saving) files.load();
    };
    whileShown(box, heard, OFTEN, often, () => screen?.leave());
    draw();
    files.load();
    return box;
}
