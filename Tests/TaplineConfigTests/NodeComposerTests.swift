// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// From YAML to the tree: aliases, merge keys, duplicates, tags, documents, locations.
@Suite
struct NodeComposerTests {
    @Test func scalarsAndCollections() {
        let text = """
            version: 1
            list: [a, 'b', "c\\td"]
            block: |
              one
              two
            folded: >-
              one
              two
            empty:
            nothing: ~
            words: [null, Null, NULL, 'null', "", nUll]

            """
        let (node, diagnostics) = read(text)
        #expect(diagnostics.isEmpty)
        #expect(
            flat(node) == "{version: ~1, list: [~a, b, c\td], block: one\ntwo\n, folded: one two, "
                + "empty: null, nothing: null, words: [null, null, null, null, , ~nUll]}"
        )
    }

    @Test func yesAndNoAreText() {
        let (node, _) = read("[yes, no, on, off, y, n, true]\n")
        #expect(flat(node) == "[~yes, ~no, ~on, ~off, ~y, ~n, ~true]")
    }

    @Test func anchorsAndAliases() {
        let (node, diagnostics) = read("a: &x {b: [1]}\nc: *x\nd: &x 2\ne: *x\n")
        #expect(diagnostics.isEmpty)
        #expect(flat(node) == "{a: {b: [~1]}, c: {b: [~1]}, d: ~2, e: ~2}")
    }

    @Test func aliasInsideItsOwnValue() {
        let (_, diagnostics) = read("a: &a [*a]\n")
        #expect(
            diagnostics.rendered == """
                p.yaml:1:8: error: the alias 'a' is inside the value it names
                    1 | a: &a [*a]
                      |        ^~

                """
        )
    }

    @Test func aliasWithoutAnchor() {
        let (_, diagnostics) = read("a: *nope\n<<: *x\n")
        #expect(
            diagnostics.rendered == """
                p.yaml:1:4: error: there is no anchor 'nope' above this alias
                    1 | a: *nope
                      |    ^~~~~
                help: a text that begins with '*' needs quotes: '*nope'
                p.yaml:2:5: error: there is no anchor 'x' above this alias
                    2 | <<: *x
                      |     ^~
                help: a text that begins with '*' needs quotes: '*x'

                """
        )
    }

    @Test func mergeKeys() {
        let text = """
            base: &base {a: 1, b: 2}
            more: &more {b: 3, c: 4}
            one: {<<: *base, b: 5}
            two: {b: 5, <<: *base}
            both: {<<: [*base, *more], d: 6}
            quoted: {'<<': 7}
            inline: {<<: {a: 8}}

            """
        let (node, diagnostics) = read(text)
        #expect(diagnostics.isEmpty)
        #expect(flat(node?["one"]) == "{a: ~1, b: ~5}")
        #expect(flat(node?["two"]) == "{b: ~5, a: ~1}")
        #expect(flat(node?["both"]) == "{a: ~1, b: ~2, c: ~4, d: ~6}")
        #expect(flat(node?["quoted"]) == "{<<: ~7}")
        #expect(flat(node?["inline"]) == "{a: ~8}")
    }

    @Test func mergeOfAScalar() {
        let (_, diagnostics) = read("a: {<<: 1}\n")
        #expect(
            diagnostics.rendered == """
                p.yaml:1:9: error: '<<' merges mappings; found '1', expected a mapping or a list of them
                    1 | a: {<<: 1}
                      |         ^

                """
        )
    }

    @Test func aMergedKeyCanBeOverriddenOnlyOnce() {
        let (_, diagnostics) = read("a: &a {b: 1}\nc: {<<: *a, b: 2, b: 3}\n")
        #expect(diagnostics.rendered.contains("p.yaml:2:19: error: duplicate key 'b'"))
    }

    @Test func duplicateKeysNameBothLocations() {
        let (node, diagnostics) = read("a: 1\nb: {c: 1, c: 2}\n\"a\": 2\n")
        #expect(flat(node) == "{a: ~1, b: {c: ~1}}")
        #expect(
            diagnostics.rendered == """
                p.yaml:2:11: error: duplicate key 'c'; the first one is at line 2, column 5
                    2 | b: {c: 1, c: 2}
                      |           ^
                help: remove one of them
                p.yaml:3:1: error: duplicate key 'a'; the first one is at line 1, column 1
                    3 | "a": 2
                      | ^~~
                help: remove one of them

                """
        )
    }

    @Test(arguments: [("? [a]\n: b\n", "a list", 3), ("? {a: b}\n: c\n", "a mapping", 3)])
    func keysAreText(_ text: String, _ found: String, _ column: Int) {
        let (_, diagnostics) = read(text)
        #expect(
            diagnostics.rendered.hasPrefix(
                "p.yaml:1:\(column): error: a key must be text; found \(found)\n"
            )
        )
    }

    @Test func unknownTags() {
        let (node, diagnostics) = read("a: !!binary x\nb: !x [1]\nc: !<y> {d: e}\n")
        #expect(flat(node) == "{a: ~x, b: [~1], c: {d: ~e}}")
        #expect(
            diagnostics.rendered == """
                p.yaml:1:4: error: unknown tag '!!binary'; expected a value without a tag
                    1 | a: !!binary x
                      |    ^~~~~~~~
                help: a text that begins with '!' needs quotes
                p.yaml:2:4: error: unknown tag '!x'; expected a value without a tag
                    2 | b: !x [1]
                      |    ^~
                help: a text that begins with '!' needs quotes
                p.yaml:3:4: error: unknown tag 'y'; expected a value without a tag
                    3 | c: !<y> {d: e}
                      |    ^~~~
                help: a text that begins with '!' needs quotes

                """
        )
    }

    @Test func knownTags() {
        let (node, diagnostics) = read(
            "[!!str 1, !!int '2', !!map {}, !!seq [], ! null, !!null '']\n"
        )
        #expect(diagnostics.isEmpty)
        #expect(flat(node) == "[1, ~2, {}, [], null, null]")
    }

    @Test func tagOfTheWrongShape() {
        #expect(read("a: !!map []\n").diagnostics.rendered.contains("unknown tag '!!map'"))
    }

    @Test func secondDocument() {
        let (node, diagnostics) = read("---\na: 1\n---\nb: 1\n")
        #expect(flat(node) == "{a: ~1}")
        #expect(
            diagnostics.rendered == """
                p.yaml:3:1: error: there is a second document; expected one per file
                    3 | ---
                      | ^~~
                help: remove this '---', or put the rest into a file of its own

                """
        )
    }

    @Test func oneDocumentWithMarkers() {
        #expect(flat(read("%YAML 1.2\n---\na: 1\n...\n").node) == "{a: ~1}")
    }

    @Test(arguments: [
        ("a: b\n", 1, 4, 1), ("a: &x 'b c'\n", 1, 7, 5), ("a: !!str b\n", 1, 10, 1),
        ("a:\n  - b\n  - c\n\n", 2, 3, 9), ("a: [1,\n 2]\n", 1, 4, 7),
        ("a: &x # why\n  b: c\n", 2, 3, 4), ("\u{E4}\u{1F600}: x\n", 1, 5, 1),
        ("a:\r\n  b\r\n", 2, 3, 1), ("a:\r  b\r", 2, 3, 1),
        ("# \u{2028}# \u{85}# x\na: b\n", 2, 4, 1),
    ])
    func positions(_ text: String, _ line: Int, _ column: Int, _ length: Int) throws {
        let node = try #require(read(text).node?.pairs?.first?.value)
        #expect(node.location.line == line)
        #expect(node.location.column == column)
        #expect(node.location.length == length)
    }

    @Test func positionsFarIntoAFileThatIsNotASCII() throws {
        let comment = "# " + String(repeating: "\u{20AC}", count: 1000) + "\n"
        let text = String(repeating: comment, count: 3) + "\u{FC}: here\n"
        let node = try #require(read(text).node?["\u{FC}"])
        #expect(node.location.description == "p.yaml:4:4")
        let bytes = node.location.source.bytes[node.location.byteOffset..<node.location.byteEnd]
        #expect(String(decoding: bytes, as: UTF8.self) == "here")
    }
}
