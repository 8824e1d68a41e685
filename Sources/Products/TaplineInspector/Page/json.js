// SPDX-License-Identifier: MIT
// @ts-check
// A JSON reader that keeps what JSON.parse loses: the digits of numbers, the order of names, and
// names that occur twice.

/**
 * @typedef {{kind: "object", entries: [string, Json][]} | {kind: "array", items: Json[]}
 *     | {kind: "string", value: string} | {kind: "number", text: string}
 *     | {kind: "word", text: string}} Json
 */

const DEPTH = 400;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
const PLAIN = /[^"\\\u0000-\u001f]*/y;

class Reader {
    at = 0;

    /** @param {string} text */
    constructor(text) {
        this.text = text;
    }

    /** @param {RegExp} pattern */
    match(pattern) {
        pattern.lastIndex = this.at;
        const found = pattern.exec(this.text)?.[0] ?? "";
        this.at += found.length;
        return found;
    }

    /** @param {string} what @returns {never} */
    fail(what) {
        throw new SyntaxError(`${what} at character ${this.at}`);
    }

    /** @param {number} depth @returns {Json} */
    value(depth) {
        if (depth > DEPTH) this.fail("nested too deeply");
        this.match(SPACE);
        switch (this.text[this.at]) {
            case "{":
                return this.object(depth);
            case "[":
                return this.array(depth);
            case '"':
                return { kind: "string", value: this.string() };
            case "t":
                return this.word("true");
            case "f":
                return this.word("false");
            case "n":
                return this.word("null");
        }
        const text = this.match(NUMBER);
        return text ? { kind: "number", text } : this.fail("no value");
    }

    /** @param {string} text @returns {Json} */
    word(text) {
        if (!this.text.startsWith(text, this.at)) this.fail("no value");
        this.at += text.length;
        return { kind: "word", text };
    }

    string() {
        const start = this.at;
        this.at += 1;
        for (;;) {
            this.match(PLAIN);
            const next = this.text[this.at];
            if (next === '"') break;
            if (next !== "\\") this.fail("unfinished string");
            this.at += 2;
        }
        this.at += 1;
        return /** @type {string} */ (JSON.parse(this.text.slice(start, this.at)));
    }

    /** @param {number} depth @returns {Json} */
    object(depth) {
        /** @type {[string, Json][]} */
        const entries = [];
        this.at += 1;
        this.match(SPACE);
        if (this.text[this.at] === "}") {
            this.at += 1;
            return { kind: "object", entries };
        }
        for (;;) {
            this.match(SPACE);
            if (this.text[this.at] !== '"') this.fail("no name");
            const name = this.string();
            this.match(SPACE);
            if (this.text[this.at] !== ":") this.fail("no ':'");
            this.at += 1;
            entries.push([name, this.value(depth + 1)]);
            if (this.#ends("}")) return { kind: "object", entries };
        }
    }

    /** @param {number} depth @returns {Json} */
    array(depth) {
        /** @type {Json[]} */
        const items = [];
        this.at += 1;
        this.match(SPACE);
        if (this.text[this.at] === "]") {
            this.at += 1;
            return { kind: "array", items };
        }
        for (;;) {
            items.push(this.value(depth + 1));
            if (this.#ends("]")) return { kind: "array", items };
        }
    }

    /** @param {string} closing */
    #ends(closing) {
        this.match(SPACE);
        const next = this.text[this.at];
        if (next !== "," && next !== closing) this.fail(`no ',' or '${closing}'`);
        this.at += 1;
        return next === closing;
    }
}

/** @param {string} text @returns {Json} @throws {SyntaxError} */
export function parse(text) {
    const reader = new Reader(text);
    const value = reader.value(0);
    reader.match(SPACE);
    if (reader.at < text.length) reader.fail("more text");
    return value;
}

/**
 * Lines of JSON, as one array, or null.
 * @param {string} text @returns {Json | null}
 */
export function parseLines(text) {
    const lines = text.split("\n").filter((line) => line.trim());
    if (lines.length < 2) return null;
    try {
        return { kind: "array", items: lines.map(parse) };
    } catch {
        return null;
    }
}

/**
 * The children of a node by name or position.
 * @param {Json} node @returns {[string | number, Json][]}
 */
export function children(node) {
    if (node.kind === "object") return node.entries;
    if (node.kind === "array") return node.items.map((item, at) => [at, item]);
    return [];
}

/**
 * A value without children as JSON writes it.
 * @param {Json} node
 */
export function scalar(node) {
    if (node.kind === "string") return JSON.stringify(node.value);
    if (node.kind === "number" || node.kind === "word") return node.text;
    return node.kind === "object"
        ? `{${node.entries.length ? "…" : ""}}`
        : `[${node.items.length ? "…" : ""}]`;
}

/** @param {Json} node @param {string} [indent] @returns {string} */
export function write(node, indent = "") {
    const inner = indent + "  ";
    if (node.kind === "object" && node.entries.length) {
        const lines = node.entries.map(([name, value]) =>
            `${inner}${JSON.stringify(name)}: ${write(value, inner)}`
        );
        return `{\n${lines.join(",\n")}\n${indent}}`;
    }
    if (node.kind === "array" && node.items.length) {
        return `[\n${node.items.map((item) => inner + write(item, inner)).join(",\n")}\n${indent}]`;
    }
    return scalar(node);
}

/**
 * `$.items[3]["odd name"]`.
 * @param {(string | number)[]} path
 */
export function pathText(path) {
    return "$" +
        path.map((step) =>
            typeof step === "number"
                ? `[${step}]`
                : /^[A-Za-z_]\w*$/.test(step)
                ? `.${step}`
                : `[${JSON.stringify(step)}]`
        ).join("");
}
