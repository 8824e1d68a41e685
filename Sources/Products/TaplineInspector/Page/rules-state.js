// SPDX-License-Identifier: MIT
// @ts-check
// The rule files and what was changed in them here. It outlives the screen.

import * as api from "./api.js";
import { app } from "./app.js";
import { debounce } from "./dom.js";
import { append, ranges } from "./rules-text.js";

/**
 * @typedef {import("./types").RuleFile} RuleFile @typedef {import("./types").Problem} Problem
 * @typedef {import("./types").Rule} Rule
 */

/** @param {string} text */
const unix = (text) => text.replaceAll("\r\n", "\n");

/** One file: what was saved last, and the text as it is edited, with `\n` at the ends of lines. */
export class RuleText {
    /** @type {Problem[]} */
    problems = [];
    /** @type {Rule[]} */
    rules = [];
    /**
     * Another version that was saved while this one was edited.
     * @type {{version: string, text: string} | null}
     */
    other = null;
    /** What went wrong with the last call. */
    failure = "";
    /** Where the cursor was. */
    place = { from: 0, to: 0, top: 0, left: 0 };
    saving = false;
    #checks = 0;
    #check = debounce(150, () => this.check());

    /** @param {RuleFile} file */
    constructor(file) {
        this.id = file.id;
        this.path = file.path;
        this.writable = file.writable;
        this.version = file.version;
        this.crlf = file.text.includes("\r\n");
        this.saved = unix(file.text);
        this.text = this.saved;
        this.problems = file.problems;
        this.rules = file.rules;
    }

    get isChanged() {
        return this.text !== this.saved;
    }
    get isWrong() {
        return this.problems.some(({ severity }) => severity === "error");
    }
    get name() {
        return this.path.split("/").at(-1) ?? this.path;
    }
    /** The text in the form of the file. */
    get whole() {
        return this.crlf ? this.text.replaceAll("\n", "\r\n") : this.text;
    }

    /**
     * What the server has: taken over, unless there are changes that would be lost.
     * @param {RuleFile} file
     */
    adopt(file) {
        this.path = file.path;
        this.writable = file.writable;
        if (file.version === this.version && unix(file.text) === this.saved) {
            if (!this.isChanged) this.problems = file.problems;
            // Counters of the rules in use; those of edited rules are found by their names.
            for (const rule of this.rules) {
                const one = file.rules.find(({ name }, at) =>
                    name ? name === rule.name : at === this.rules.indexOf(rule)
                );
                if (one) rule.hits = one.hits;
            }
            return;
        }
        if (this.isChanged && unix(file.text) !== this.text) {
            this.other = { version: file.version, text: unix(file.text) };
            return;
        }
        this.take(file.version, unix(file.text));
        this.crlf = file.text.includes("\r\n");
        this.problems = file.problems;
        this.rules = file.rules;
    }

    /** @param {string} version @param {string} text */
    take(version, text) {
        this.version = version;
        this.saved = this.text = text;
        this.other = null;
    }

    /** @param {string} text */
    edit(text) {
        if (text === this.text) return;
        this.text = text;
        this.#check();
        files.emit();
    }

    async check() {
        const check = ++this.#checks;
        const { text } = this;
        try {
            const answer = await api.post("rules/check", { id: this.id, text });
            if (check !== this.#checks || text !== this.text) return;
            const hits = new Map(this.rules.map(({ name, hits }) => [name, hits]));
            this.problems = answer.problems;
            // A text that cannot be read has no rules: the former ones stay until it can.
            const unread = this.isWrong && answer.rules.length < ranges(text).length;
            if (!unread) this.rules = /** @type {Rule[]} */ (answer.rules).map((rule) => ({
                ...rule,
                hits: rule.hits ?? (rule.name ? hits.get(rule.name) : undefined),
            }));
            this.failure = "";
        } catch (error) {
            this.failure = error instanceof Error ? error.message : String(error);
        }
        files.emit();
    }

    /**
     * Writes the file, if nobody else has.
     * @returns {Promise<boolean>}
     */
    async save() {
        const { text } = this;
        this.saving = true;
        files.loads += 1;
        files.emit();
        try {
            const { version } = await api.post("rules/save", {
                id: this.id,
                text: this.whole,
                version: this.version,
            });
            files.loads += 1;
            this.version = version;
            this.saved = text;
            this.other = null;
            this.failure = "";
            return true;
        } catch (error) {
            this.failure = error instanceof Error ? error.message : String(error);
            if (error instanceof api.Failure && error.status === 409) {
                this.failure = "";
                await files.load();
            }
            return false;
        } finally {
            this.saving = false;
            files.emit();
        }
    }

    /** Goes on with the changes made here, knowing that the file has others. */
    keepMine() {
        if (!this.other) return;
        this.version = this.other.version;
        this.saved = this.other.text;
        this.other = null;
        files.emit();
    }
}

class Files extends EventTarget {
    /** @type {RuleText[]} */
    all = [];
    chosen = "";
    loaded = false;
    /** Answers to earlier calls are ignored. */
    loads = 0;
    /** @type {unknown} */
    error = null;

    constructor() {
        super();
        app.on("rules", () => this.loaded && this.load());
        app.on("connection", (connected) => connected && this.loaded && this.load());
        globalThis.addEventListener?.("beforeunload", (event) => {
            if (this.all.some((file) => file.isChanged)) event.preventDefault();
        });
    }

    get current() {
        return this.all.find(({ id }) => id === this.chosen) ?? this.all[0];
    }

    emit() {
        this.dispatchEvent(new Event("change"));
    }

    async load() {
        const load = ++this.loads;
        try {
            const { files } = /** @type {{files: RuleFile[]}} */ (await api.get("rules"));
            // An answer from before a save would bring the former text back.
            if (load !== this.loads) return;
            this.loaded = true;
            this.error = null;
            const former = this.all;
            this.all = files.map((file) => {
                const known = former.find(({ id }) => id === file.id);
                known?.adopt(file);
                return known ?? new RuleText(file);
            });
            // A file that is gone stays while it has changes.
            this.all.push(
                ...former.filter((file) => file.isChanged && !this.all.includes(file)),
            );
        } catch (error) {
            this.error = error;
        }
        this.emit();
    }

    /**
     * Adds a rule to the file in the editor, not to the one on the disk.
     * @param {(taken: string[]) => string[]} write
     */
    async add(write) {
        if (!this.loaded) await this.load();
        if (this.error) throw this.error;
        const file = this.current;
        if (!file) throw new Error("there is no file of rules: add the stage 'rules'");
        const { text, from, to } = append(
            file.text,
            write(file.rules.map(({ name }) => name ?? "")),
        );
        const lines = text.split("\n");
        const at = lines.slice(0, from - 1).join("\n").length + 1;
        const end = at + lines.slice(from - 1, to).join("\n").length;
        file.place = { from: at, to: end, top: -1, left: 0 };
        file.edit(text);
    }
}

export const files = new Files();
