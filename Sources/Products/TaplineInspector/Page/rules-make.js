// SPDX-License-Identifier: MIT
// @ts-check
// Writes a rule, or a Lua hook, that answers like an exchange that was recorded.

/**
 * @typedef {object} Recorded
 * @property {string} method
 * @property {string} [host]
 * @property {string} [path] without the query
 * @property {number} [status] absent: there was no response
 * @property {string} [type] the content type of the response
 * @property {string | null} [body] null: there is one, but it is not text or too large
 * @property {string} [note] what is not known of the body
 */

/** A larger body belongs into a file. */
export const MOST = 16 << 10;

const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
const SAFE = /^[A-Za-z/](?:[\w ./"=<>()*+;-]*[\w./"=<>()*+;-])?$/;
/** What YAML cannot hold as it is. */
const ODD = new RegExp(
    "[\\0-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]" +
        "|[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]",
);
/** @type {Record<string, string>} */
const NAMED = { "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\" };

/**
 * A string of YAML on one line.
 * @param {string} text
 */
export function scalar(text) {
    if (SAFE.test(text) && !WORDS.test(text)) return text;
    if (!ODD.test(text)) return `'${text.replaceAll("'", "''")}'`;
    return `"${
        Array.from(text, (one) => {
            if (NAMED[one]) return NAMED[one];
            if (!ODD.test(one)) return one;
            const code = one.charCodeAt(0);
            if (code >= 0xd800 && code < 0xe000) return "\ufffd";
            return code < 256
                ? `\\x${code.toString(16).padStart(2, "0")}`
                : `\\u${code.toString(16).padStart(4, "0")}`;
        }).join("")
    }"`;
}

/**
 * Text that stays what it is in a rule: `{{` begins a value of the exchange, `${` one of the
 * environment.
 * @param {string} text
 */
export const template = (text) => environment(text).replaceAll("{{", "{{{{");

/** @param {string} text */
export const environment = (text) => text.replace(/\$(?=[${])/g, "$$$$");

/**
 * A key and its text: several lines stand below the key if YAML keeps them as they are.
 * @param {string} key @param {string} text
 */
export function entry(key, text) {
    const lines = text.split("\n");
    const ends = /[^\n]\n$/.test(text);
    const isBlock = lines.length > (ends ? 2 : 1) && !ODD.test(text.replaceAll("\n", "")) &&
        /^[^ \n]/.test(text) && !/\n\n$/.test(text) &&
        (ends || !text.endsWith("\n")) && !/^[ ]+$/m.test(text);
    if (!isBlock) return [`${key}: ${scalar(text)}`];
    return [
        `${key}: ${ends ? "|" : "|-"}`,
        ...(ends ? lines.slice(0, -1) : lines).map((line) => line && `  ${line}`),
    ];
}

/**
 * A filter for exchanges like this one.
 * @param {Recorded} recorded
 */
export function when({ method, host, path }) {
    return [["method", method], ["host", host], ["path", path]].filter(([, value]) => value)
        .map(([field, value]) => `${field} == ${JSON.stringify(value)}`).join(" and ");
}

/**
 * The lines of a rule, without indentation.
 * @param {Recorded} recorded @param {string[]} taken names of other rules @returns {string[]}
 */
export function rule(recorded, taken = []) {
    const base = `${recorded.method} ${recorded.path || recorded.host || ""}`.trim().slice(0, 60);
    let name = base;
    for (let number = 2; taken.includes(name); number += 1) name = `${base} ${number}`;
    const lines = [
        `- name: ${scalar(environment(name))}`,
        `  when: ${scalar(when(recorded))}`,
        "  actions:",
    ];
    if (recorded.status === undefined) {
        return [...lines, "    # It had no response: choose what happens.", "    - pass"];
    }
    lines.push("    - respond:", `        status: ${recorded.status}`);
    if (recorded.type) {
        lines.push(
            "        headers:",
            `          Content-Type: ${scalar(template(recorded.type))}`,
        );
    }
    if (recorded.note) lines.push(`        # ${recorded.note}`);
    if (recorded.body === null) lines.push("        # file: answers/body.bin");
    else if (recorded.body) {
        const body = entry("body", template(recorded.body));
        lines.push(...body.map((line) => line && `        ${line}`));
    }
    return lines;
}

/**
 * A string of Lua on one line.
 * @param {string} text
 */
export function lua(text) {
    const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
    const escaped = text.replace(/["\\\n\r\t]/g, (one) =>
        one === '"' && quote === "'" ? one : NAMED[one] ?? one);
    const codes = escaped.replace(
        /[\u0000-\u001f\u007f]/g,
        (one) => `\\${String(one.charCodeAt(0)).padStart(3, "0")}`,
    );
    return quote + codes + quote;
}

/**
 * A script with a hook for exchanges like this one.
 * @param {Recorded} recorded @param {"request" | "response"} hook
 */
export function script(recorded, hook) {
    const { method, host, path, status, type, body, note } = recorded;
    const tests = [["method", method], ["host", host], ["path", path]].filter(([, value]) => value)
        .map(([field, value]) => `request.${field} == ${lua(value ?? "")}`);
    const answer = [
        "    return respond{",
        `      status = ${status ?? 503},`,
        ...(type ? [`      headers = {["Content-Type"] = ${lua(type)}},`] : []),
        ...(note ? [`      -- ${note}`] : []),
        ...(body ? [`      body = ${lua(body)},`] : []),
        "    }",
    ];
    const change = [
        '    ex.response.headers["X-Seen"] = "yes"',
        "    -- ex.response.status = 503",
        '    -- ex.response.body = ex.response.body:gsub("old", "new")',
    ];
    return [
        hook === "request"
            ? "-- Answers as it was recorded; the server is not asked."
            : "-- Changes what the server has answered.",
        `function ${hook}(ex)`,
        "  local request = ex.request",
        `  if ${tests.join("\n    and ")} then`,
        ...(hook === "request" ? answer : change),
        "  end",
        "end",
        "",
    ].join("\n");
}
