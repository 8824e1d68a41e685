// SPDX-License-Identifier: MIT
// @ts-check
// The filter language over a shared file.
//
// What differs from `tapline query`: regular expressions are those of JavaScript, texts are
// compared by characters, `env` and saved filters are errors.

import { FIELDS, known, steps } from "./fields.js";

/**
 * @typedef {import("./fields.js").Field} Field @typedef {import("./fields.js").Value} Value
 * @typedef {import("./data.js").Item} Item @typedef {import("./data.js").Detail} Detail
 * @typedef {(item: Item, detail: () => Detail) => boolean} Test
 * @typedef {"text" | "word" | "number" | "sign"} Kind
 * @typedef {{kind: Kind, text: string, from: number, to: number}} Token
 */

/** A text that is no filter, with the place of the mistake in characters. */
export class WrongFilter extends Error {
    /** @param {string} message @param {number} from @param {number} to @param {string} [help] */
    constructor(message, from, to, help = "") {
        super(message);
        this.from = from;
        this.to = to;
        this.help = help;
    }
}

const TOKEN = new RegExp(
    [
        /\s+/,
        /("(?:\\[^]|[^"\\])*")/,
        /(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[a-zA-Zµ]*)/,
        /([A-Za-z_][\w.]*)/,
        /(==|!=|<=|>=|[<>~()[\],+-])/,
    ].map(({ source }) => source).join("|"),
    "y",
);
const SIZES = /** @type {Record<string, number>} */ ({
    "": 1,
    B: 1,
    kB: 1e3,
    KB: 1e3,
    MB: 1e6,
    GB: 1e9,
    TB: 1e12,
    KiB: 2 ** 10,
    MiB: 2 ** 20,
    GiB: 2 ** 30,
    TiB: 2 ** 40,
});
const TIMES = /** @type {Record<string, number>} */ ({
    us: 1,
    "µs": 1,
    ms: 1e3,
    s: 1e6,
    m: 60e6,
    h: 3600e6,
    d: 86400e6,
});
const COMPARISONS = /** @type {Record<string, (a: Value, b: Value) => boolean>} */ ({
    "==": (a, b) => a === b,
    "!=": (a, b) => a !== b,
    "<": (a, b) => a < b,
    "<=": (a, b) => a <= b,
    ">": (a, b) => a > b,
    ">=": (a, b) => a >= b,
});

/** @param {string} text @returns {Token[]} */
function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    let at = 0;
    while (at < text.length) {
        const match = TOKEN.exec(text);
        if (!match) {
            throw new WrongFilter(
                text[at] === '"' ? "the text has no end" : `unexpected '${text[at]}'`,
                at,
                text[at] === '"' ? text.length : at + 1,
                text[at] === "@" ? "A shared file has no saved filters." : "",
            );
        }
        const [whole = "", quoted, number, word] = match;
        const kind = quoted ? "text" : number ? "number" : word ? "word" : "sign";
        const token = { kind, text: whole, from: at, to: TOKEN.lastIndex };
        if (whole.trim()) found.push(/** @type {Token} */ (token));
        at = TOKEN.lastIndex;
    }
    return found;
}

/**
 * What a text in the search box means: a filter, or a word that any part may contain.
 * @param {string} typed
 */
export function meaning(typed) {
    const text = typed.trim();
    if (/^"(?:\\[^]|[^"\\])*"$/.test(text)) return `any contains ${text}`;
    if (text && !text.startsWith("@") && /^[^\s"()=<>~[\]\\!]+$/.test(text)) {
        return `any contains "${text}"`;
    }
    return typed;
}

class Parser {
    #at = 0;
    /** Whether an exchange's details have to be loaded. */
    needsDetails = false;

    /** @param {string} text */
    constructor(text) {
        this.text = text;
        this.tokens = tokens(text);
    }

    /** @returns {Test} */
    whole() {
        const test = this.#or(0);
        const rest = this.#next();
        if (rest) this.#fail(`unexpected '${rest.text}'; expected 'and', 'or' or the end`, rest);
        return test;
    }

    get #token() {
        return this.tokens[this.#at];
    }

    #next() {
        return this.tokens[this.#at++];
    }

    /** @param {string} text */
    #takes(text) {
        if (this.#token?.text !== text) return false;
        this.#at += 1;
        return true;
    }

    /**
     * @param {string} message @param {Token | undefined} token @param {string} [help]
     * @returns {never}
     */
    #fail(message, token, help) {
        const end = this.text.length;
        throw new WrongFilter(message, token?.from ?? end, token?.to ?? end, help);
    }

    /** @param {number} depth @returns {Test} */
    #or(depth) {
        if (depth > 100) this.#fail("there are too many parentheses", this.#token);
        const tests = [this.#and(depth)];
        while (this.#takes("or")) tests.push(this.#and(depth));
        return tests[0] && tests.length === 1
            ? tests[0]
            : (item, detail) => tests.some((test) => test(item, detail));
    }

    /** @param {number} depth @returns {Test} */
    #and(depth) {
        const tests = [this.#not(depth)];
        while (this.#takes("and")) tests.push(this.#not(depth));
        return tests[0] && tests.length === 1
            ? tests[0]
            : (item, detail) => tests.every((test) => test(item, detail));
    }

    /** @param {number} depth @returns {Test} */
    #not(depth) {
        if (this.#takes("not")) {
            if (depth > 100) this.#fail("there are too many 'not'", this.#token);
            const test = this.#not(depth + 1);
            return (item, detail) => !test(item, detail);
        }
        if (this.#takes("(")) {
            const test = this.#or(depth + 1);
            if (!this.#takes(")")) this.#fail("expected ')'", this.#token);
            return test;
        }
        return this.#comparison();
    }

    /** @returns {Test} */
    #comparison() {
        const word = this.#next();
        if (!word) this.#fail("expected a condition", word);
        if (word.kind !== "word") {
            this.#fail(`unexpected '${word.text}'; expected a field`, word);
        }
        if (word.text === "env") this.#fail("a shared file has no 'env'", word);
        const field = Object.hasOwn(FIELDS, word.text) ? FIELDS[word.text] : undefined;
        if (!field) this.#fail(`unknown field '${word.text}'`, word);
        const name = field.named ? this.#name(field, word) : "";
        this.needsDetails ||= field.detail ?? false;
        const operator = this.#next();
        const holds = this.#operation(field, word, operator);
        return (item, detail) => known(field, item, detail, name).some(holds);
    }

    /** @param {Field} field @param {Token} word */
    #name(field, word) {
        const bracket = this.#takes("[");
        const token = this.#next();
        if (token?.kind !== "text" || !bracket && field.type !== "json") {
            this.#fail(`expected '${word.text}["name"]'`, token);
        }
        const name = string(token);
        if (bracket && !this.#takes("]")) this.#fail("expected ']'", this.#token);
        if (field.type === "json" && !steps(name)) {
            this.#fail("the path is wrong; expected one such as $.items[0].id", token);
        }
        return name;
    }

    /**
     * @param {Field} field @param {Token} word @param {Token | undefined} operator
     * @returns {(value: Value) => boolean}
     */
    #operation(field, word, operator) {
        const fold = (/** @type {Value} */ value) =>
            field.folded && typeof value === "string" ? value.toLowerCase() : value;
        if (word.text === "any" && operator?.text !== "contains") {
            this.#fail("'any' can only be used with 'contains'", operator);
        }
        const comparison = operator && Object.hasOwn(COMPARISONS, operator.text)
            ? COMPARISONS[operator.text]
            : undefined;
        if (comparison) {
            const wanted = fold(this.#value(field));
            return (value) => typeof value === typeof wanted && comparison(fold(value), wanted);
        }
        switch (operator?.text) {
            case "exists":
                return () => true;
            case "in": {
                const wanted = this.#values(field).map(fold);
                return (value) => wanted.includes(fold(value));
            }
            case "contains":
            case "like":
            case "~": {
                const token = this.#next();
                if (token?.kind !== "text") this.#fail("expected a text in quotes", token);
                if (field.type !== "text" && field.type !== "json") {
                    this.#fail(`'${word.text}' is no text`, operator);
                }
                return this.#texts(operator, token, field.folded ?? false);
            }
            default:
                return this.#fail(
                    "expected ==, !=, <, <=, >, >=, in, like, ~, contains or exists",
                    operator,
                );
        }
    }

    /**
     * @param {Token} operator @param {Token} token @param {boolean} folded
     * @returns {(value: Value) => boolean}
     */
    #texts(operator, token, folded) {
        const text = string(token);
        if (operator.text === "contains") {
            const wanted = folded ? text.toLowerCase() : text;
            return (value) =>
                typeof value === "string" &&
                (folded ? value.toLowerCase() : value).includes(wanted);
        }
        let [source, flags] = [text, "s"];
        if (operator.text === "like") {
            const pattern = text.replace(/[.+^${}()|[\]\\/]/g, "\\$&");
            source = `^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`;
            if (folded) flags += "i";
        } else {
            flags = folded ? "i" : "";
            const [option = "", names = ""] = /^\(\?([ims]+)\)/.exec(source) ?? [];
            source = source.slice(option.length);
            flags = [...new Set(flags + names)].join("");
        }
        /** @type {RegExp} */
        let pattern;
        try {
            pattern = new RegExp(source, flags);
        } catch {
            this.#fail("the regular expression is wrong, or JavaScript does not have it", token);
        }
        return (value) => typeof value === "string" && pattern.test(value);
    }

    /** @param {Field} field @returns {Value[]} */
    #values(field) {
        if (!this.#takes("[")) this.#fail("expected '[' and values", this.#token);
        const values = [];
        do values.push(this.#value(field)); while (this.#takes(","));
        if (!this.#takes("]")) this.#fail("expected ',' or ']'", this.#token);
        return values;
    }

    /** @param {Field} field @returns {Value} */
    #value(field) {
        const token = this.#next();
        if (!token) this.#fail("expected a value", token);
        switch (field.type) {
            case "text":
                if (token.kind !== "text") this.#fail("expected a text in quotes", token);
                return string(token);
            case "json":
                if (token.kind === "number") return this.#number(token, { "": 1 });
                if (["true", "false", "null"].includes(token.text)) return token.text;
                if (token.kind !== "text") this.#fail("expected a text or a number", token);
                return string(token);
            case "number":
                return this.#number(token, { "": 1 });
            case "size":
                return this.#number(token, SIZES);
            case "duration":
                return this.#number(token, TIMES);
            case "time":
                return this.#time(token);
        }
    }

    /** @param {Token} token @param {Record<string, number>} units */
    #number(token, units) {
        const [, digits, unit = ""] = /^(-?[\d.]+(?:[eE][+-]?\d+)?)(.*)$/.exec(token.text) ?? [];
        const value = Number(digits);
        if (token.kind !== "number" || Number.isNaN(value)) this.#fail("expected a number", token);
        const factor = units[unit] ?? (value === 0 && !unit ? 1 : undefined);
        if (factor === undefined) {
            const names = Object.keys(units).filter(Boolean).join(" ");
            this.#fail(
                names ? `wrong unit '${unit}'; expected one of ${names}` : "expected a number",
                token,
            );
        }
        return value * factor;
    }

    /** @param {Token} token */
    #time(token) {
        if (token.text === "now") {
            const sign = this.#takes("-") ? -1 : this.#takes("+") ? 1 : 0;
            const now = Date.now() * 1000;
            // Without a blank, the sign is a part of the number.
            const next = this.#token;
            if (!sign && next?.kind === "number" && next.text.startsWith("-")) {
                this.#at += 1;
                return now + this.#number(next, TIMES);
            }
            if (!sign) return now;
            const offset = this.#next();
            if (!offset) this.#fail("expected a duration", offset);
            return now + sign * this.#number(offset, TIMES);
        }
        if (token.kind !== "text") this.#fail("expected a time such as \"2026-11-20\"", token);
        const text = string(token);
        const known = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i.exec(text);
        const moment = known ? Date.parse(text.replace(/\.\d+/, "")) : NaN;
        if (Number.isNaN(moment)) this.#fail("expected a time such as \"2026-11-20\"", token);
        return moment * 1000 + Math.round(Number(`0${known?.[2] ?? ""}`) * 1e6);
    }
}

/** @param {Token} token */
function string(token) {
    try {
        return String(JSON.parse(token.text));
    } catch {
        throw new WrongFilter("the text has a wrong escape", token.from, token.to);
    }
}

/**
 * Reads a filter; null for an empty one.
 * @param {string} typed what is in the search box
 * @returns {{test: Test, needsDetails: boolean} | null}
 */
export function filter(typed) {
    const text = meaning(typed);
    if (!text.trim()) return null;
    const parser = new Parser(text);
    const test = parser.whole();
    return { test, needsDetails: parser.needsDetails };
}
