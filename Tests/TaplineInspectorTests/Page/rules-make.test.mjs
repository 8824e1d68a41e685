// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const make = await load("rules-make.js");
const { append } = await load("rules-text.js");

/** Reads what the writer may write, by the rules of YAML 1.2, and nothing else. */
function read(text) {
    if (text.startsWith("'")) {
        assert.match(text, /^'(?:[^'\n]|'')*'$/);
        return text.slice(1, -1).replaceAll("''", "'");
    }
    if (text.startsWith('"')) {
        assert.match(text, /^"(?:[^"\\\n]|\\["\\nrt]|\\x[0-9a-f]{2}|\\u[0-9a-f]{4})*"$/);
        return JSON.parse(text.replace(/\\x(..)/g, "\\u00$1"));
    }
    assert.match(text, /^[^\s\-?:,[\]{}#&*!|>'"%@`~]/, text);
    assert.doesNotMatch(text, /: |:$| #|\s$/, text);
    assert.doesNotMatch(text, /^(y|n|yes|no|on|off|true|false|null|[\d.+-].*)$/i, text);
    return text;
}

const NASTY = [
    "",
    " ",
    "a b",
    "true",
    "No",
    "null",
    "~",
    "1",
    "1e3",
    "0x1f",
    ".inf",
    "- a",
    "-",
    "a: b",
    "a:",
    ":",
    "a #b",
    "#b",
    "*a",
    "&a",
    "!a",
    "? a",
    "|",
    ">",
    "%a",
    "@a",
    "`a",
    "{a}",
    "[a]",
    "a, b",
    "it's",
    "''",
    '"a"',
    'a "b" c',
    "a\\b",
    "\\",
    "a\nb",
    "\n",
    "a\r\nb",
    "\ttab",
    "tab\t",
    " lead",
    "trail ",
    "é ü 漢字 😀",
    "\u0000\u0007\u001b\u007f",
    "\u0085\u2028\u2029\ufeff",
    "---",
    "...",
    "=",
    "<<",
    "text/html; charset=utf-8",
    '{"a":"b: c # d"}',
];

test("YAML: every text comes back as it was", () => {
    for (const text of NASTY) assert.equal(read(make.scalar(text)), text, JSON.stringify(text));
    assert.equal(read(make.scalar("a\ud800\nb")), "a\ufffd\nb");
    assert.equal(make.scalar("GET /cart"), "GET /cart");
    assert.equal(make.scalar("application/json"), "application/json");
});

test("YAML: several lines stand below their key, if they stay as they are", () => {
    assert.deepEqual(make.entry("body", "a\n\n  b # c"), ["body: |-", "  a", "", "    b # c"]);
    assert.deepEqual(make.entry("body", "a\nb\n"), ["body: |", "  a", "  b"]);
    for (const odd of [" a\nb", "\na", "a\nb\n\n", "a\r\nb", "a\n  \nb", "a\n", "a\tb\nc"]) {
        const [line, ...more] = make.entry("body", odd);
        assert.deepEqual(more, [], JSON.stringify(odd));
        assert.equal(read(line.slice(6)), odd);
    }
});

test("templates: what looks like one is escaped", () => {
    // As the server reads it: '{{{{' is '{{', '$$' is '$'.
    const back = (text) => {
        const values = text.replace(/\$(\$|\{)/g, (_, next) => {
            assert.equal(next, "$", text);
            return "$";
        });
        const plain = values.replaceAll("{{{{", "\u0001");
        assert.ok(!plain.includes("{{"), text);
        return plain.replaceAll("\u0001", "{{");
    };
    for (
        const text of [
            ...["{{id}}", "{{{a}}}", "{{{{", "{{{{{{{", "{ {", "}}"],
            ...["${HOME}", "$${a", "$$", "$$$", "$1"],
        ]
    ) {
        assert.equal(back(make.template(text)), text, text);
    }
    assert.equal(make.template("{{id}} $1 ${A}"), "{{{{id}} $1 $${A}");
});

test("a rule: selects the exchange, and answers as recorded", () => {
    const recorded = {
        method: "POST",
        host: "api.test",
        path: "/cart",
        status: 503,
        type: "application/json",
        body: '{"error":"down {{x}}"}',
    };
    assert.equal(
        append("", make.rule(recorded)).text,
        `version: 1
rules:
  - name: POST /cart
    when: method == "POST" and host == "api.test" and path == "/cart"
    actions:
      - respond:
          status: 503
          headers:
            Content-Type: application/json
          body: '{"error":"down {{{{x}}"}'
`,
    );
    assert.equal(make.rule(recorded, ["POST /cart", "POST /cart 2"])[0], "- name: POST /cart 3");
    const odd = make.rule({ method: "GET", host: "h", path: '/a"b: ${x}', status: 200 });
    const when = 'method == "GET" and host == "h" and path == "/a\\"b: ${x}"';
    assert.equal(read(odd[1].slice(8)), when);
    assert.equal(read(odd[0].slice(8)), 'GET /a"b: $${x}');
    assert.ok(make.rule({ method: "GET", path: "/" }).includes("    - pass"));
    assert.ok(
        make.rule({ method: "GET", path: "/", status: 200, body: null, note: "3 MiB" })
            .includes("        # 3 MiB"),
    );
});

test("Lua: texts are one line, and escaped", () => {
    assert.equal(make.lua('{"a":"\\n"}'), `'{"a":"\\\\n"}'`);
    assert.equal(make.lua("it's"), '"it\'s"');
    assert.equal(make.lua('\'a"b\\c\nd\u0000e\u001bf1é'), `"'a\\"b\\\\c\\nd\\000e\\027f1é"`);
    const recorded = { method: "GET", host: 'a"b', path: "/x", status: 200, body: "]] \n" };
    const text = make.script(recorded, "request");
    assert.match(text, /request\.host == 'a"b'/);
    assert.match(text, /body = "\]\] \\n",/);
    assert.match(make.script(recorded, "response"), /^function response\(ex\)$/m);
});
