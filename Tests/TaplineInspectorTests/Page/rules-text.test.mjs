// SPDX-License-Identifier: MIT
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./page.mjs";

const rules = await load("rules-text.js");

const FILE = `version: 1
rules:
  # The first
  - name: a
    when: path == "/a" # why
    actions: [pass]

  # The second
  # has two lines
  - { name: b, when: 'path == "}"', actions: [fail: reset] }
  - actions:
      - respond:
          body: |
            - name: not a rule
            # nor a comment

            end
    name: c
    # within c

# At the end
`;
const names = (text) =>
    rules.ranges(text).map(({ from, to }) =>
        /name: (\w)\b/.exec(
            text.split("\n").slice(from - 1, to).filter((line) => !/not a/.test(line)).join("\n"),
        )?.[1]
    ).join("");
const same = (text) => text;
const crlf = (text) => text.replaceAll("\n", "\r\n");

test("rules: each is found with its lines", () => {
    assert.deepEqual(rules.ranges(FILE), [
        { from: 4, to: 6 },
        { from: 10, to: 10 },
        { from: 11, to: 19 },
    ]);
    assert.deepEqual(rules.ranges(crlf(FILE)), rules.ranges(FILE));
    assert.deepEqual(rules.ranges("\ufeffrules: # none\n- name: a\n- name: b\nversion: 1\n"), [
        { from: 2, to: 2 },
        { from: 3, to: 3 },
    ]);
    for (const none of ["", "version: 1\n", "rules: []\n", "rules:\n", "a: |\n  rules:\n  - x\n"]) {
        assert.deepEqual(rules.ranges(none), [], JSON.stringify(none));
    }
});

test("rules: brackets, quotes and blocks over several lines are no new rules", () => {
    const text = `rules:
    - { name: a,
      actions: [
    - x,
      ] }
    - name: "b
    - c: "
    - name: 'it''s # d'
      note: a "plain [one
      text: >-
        - e
    -
      name: f
    - - g
`;
    assert.deepEqual(rules.ranges(text).map(({ from }) => from), [2, 6, 8, 12, 14]);
});

test("rules: a moved rule takes the comments right above it along", () => {
    for (const ends of [same, crlf]) {
        const moved = rules.move(ends(FILE), 1, 0);
        assert.equal(
            moved.text,
            ends(FILE.replace(/ {2}# The first[^]*\[pass\]\n/, "A").replace(
                / {2}# The second[^]*reset\] \}\n/,
                FILE.match(/ {2}# The first[^]*\[pass\]\n/)[0],
            ).replace("A", FILE.match(/ {2}# The second[^]*reset\] \}\n/)[0])),
        );
        assert.deepEqual([moved.from, moved.to], [5, 5]);
        assert.equal(names(rules.move(ends(FILE), 0, 2).text), "bca");
        assert.equal(names(rules.move(ends(FILE), 2, 0).text), "cab");
        assert.equal(rules.move(ends(FILE), 2, 9).text, ends(FILE));
    }
});

test("rules: any order keeps every line, and the way back gives the same bytes", () => {
    const texts = [
        FILE,
        FILE.trimEnd(),
        FILE.replace(/\n\n# At the end\n$/, ""),
        crlf(FILE),
        "rules:\n- name: a\n- name: b\n- name: c",
        "rules:\n\n\n- name: a\n\n- name: b\n\n\n- name: c\n\nversion: 1\n",
        "rules:\n  - name: a\n    text: |+\n      x\n\n\n  - name: b\n  - name: c\n",
    ];
    for (const text of texts) {
        for (let from = 0; from < 3; from += 1) {
            for (let to = 0; to < 3; to += 1) {
                const there = rules.move(text, from, to);
                assert.equal(names(there.text)[to], names(text)[from]);
                const sorted = (lines) => lines.split("\n").map((line) => line.trim()).sort();
                assert.deepEqual(sorted(there.text), sorted(text));
                assert.equal(rules.move(there.text, to, from).text, text);
            }
        }
    }
    assert.throws(() => rules.move(FILE, 3, 0), rules.NotPossible);
});

test("rules: a switch adds one line, and takes it away again", () => {
    const off = (text, number) => rules.setEnabled(text, number, false).text;
    for (const ends of [same, crlf]) {
        const text = ends(FILE);
        const all = [0, 1, 2].reduce(off, text);
        assert.equal(
            all,
            ends(
                FILE.replace("name: a\n", "name: a\n    enabled: false\n")
                    .replace("name: b,", "name: b, enabled: false,")
                    .replace("- actions:\n", "- enabled: false\n    actions:\n"),
            ),
        );
        assert.equal(off(all, 1), all);
        const on = [0, 1].reduce((now, at) => rules.setEnabled(now, at, true).text, all);
        assert.equal(on, text.replace("- actions:", ends("- enabled: false\n    actions:")));
        assert.equal(
            rules.setEnabled(on, 2, true).text,
            on.replace("- enabled: false", "- enabled: true"),
        );
        assert.equal(rules.setEnabled(text, 0, true).text, text);
    }
});

test("rules: a switch that is there is changed, with its comment", () => {
    const cases = [
        ["- name: a\n  enabled: true # for now\n", "- name: a\n  enabled: false # for now\n"],
        ["- enabled: yes\n  name: a\n", "- enabled: false\n  name: a\n"],
        ['- name: a\n  "enabled" : true\n', '- name: a\n  "enabled" : false\n'],
        ["-\n  # first\n  when: x\n", "-\n  # first\n  enabled: false\n  when: x\n"],
        ["- { enabled: true, name: a }\n", "- { enabled: false, name: a }\n"],
        ["- {actions: [{enabled: x}]}\n", "- { enabled: false,actions: [{enabled: x}]}\n"],
        ["- { name: a }", "- { name: a, enabled: false }"],
        ["- { name: 'a, }',\n  x: y }\n", "- { name: 'a, }', enabled: false,\n  x: y }\n"],
        [
            "- name: |\n    two\n    lines\n  x: y\n",
            "- enabled: false\n  name: |\n    two\n    lines\n  x: y\n",
        ],
    ];
    for (const [before, after] of cases) {
        assert.equal(rules.setEnabled(`rules:\n${before}`, 0, false).text, `rules:\n${after}`);
        assert.equal(
            rules.setEnabled(`rules:\n${after}`, 0, false).text,
            `rules:\n${after}`,
            "twice",
        );
    }
    const flow = (text) => rules.setEnabled(`rules: # x\n- ${text}\n`, 0, true).text.slice(13, -1);
    assert.equal(flow("{ name: a, enabled: false, x: y }"), "{ name: a, x: y }");
    assert.equal(flow("{ enabled: false, x: y }"), "{ x: y }");
    assert.equal(flow("{ x: y, enabled: false }"), "{ x: y }");
    assert.equal(flow("{ x: y, enabled: 'false' }"), "{ x: y, enabled: true }");
});

test("rules: a form that cannot be changed says so", () => {
    for (const text of ["rules:\n- &a { name: b }\n", "rules: [{ name: a }]\n", "rules:\n- *b\n"]) {
        assert.throws(() => rules.setEnabled(text, 0, false), rules.NotPossible, text);
    }
    assert.throws(() => rules.append("rules: [{ name: a }]\n", ["- x"]), rules.NotPossible);
});

test("rules: a new one comes last, in the form of the file", () => {
    const rule = ["- name: n", "  actions: [pass]"];
    const added = (text) => rules.append(text, rule);
    assert.equal(
        added("").text,
        "version: 1\nrules:\n  - name: n\n    actions: [pass]\n",
    );
    assert.equal(
        added("version: 1\r\nrules: [] # none\r\n").text,
        "version: 1\r\nrules: # none\r\n  - name: n\r\n    actions: [pass]\r\n",
    );
    assert.equal(
        added("rules:\n- name: a\n\n- name: b\n\n# end\nversion: 1\n").text,
        "rules:\n- name: a\n\n- name: b\n\n- name: n\n  actions: [pass]\n\n# end\nversion: 1\n",
    );
    const { text, from, to } = added("rules:\n    - name: a");
    assert.equal(text, "rules:\n    - name: a\n    - name: n\n      actions: [pass]\n");
    assert.deepEqual([from, to], [3, 4]);
    assert.equal(names(added(FILE).text), "abcn");
});
