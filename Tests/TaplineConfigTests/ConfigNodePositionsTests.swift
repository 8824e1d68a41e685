// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Locations inside scalars, and comments after them.
@Suite
struct ConfigNodePositionsTests {
    /// The file content at the location of a part of a scalar's text.
    private func marked(_ yaml: String, _ part: String) throws -> String {
        let node = try #require(read("x: \(yaml)\n").node?["x"])
        let text = Array(try #require(node.text).utf8)
        let wanted = Array(part.utf8)
        let offset = try #require(text.indices.first { text[$0...].starts(with: wanted) })
        let place = node.location(at: offset, length: wanted.count)
        let bytes = place.source.bytes[place.byteOffset..<place.byteEnd]
        return "\(place.line):\(place.column) " + String(decoding: bytes, as: UTF8.self)
    }

    @Test(arguments: [
        ("a == b", "b", "1:9 b"), ("'a == b'", "b", "1:10 b"), ("\"a == b\"", "b", "1:10 b"),
        ("&n 'a b'", "b", "1:10 b"), ("'it''s b'", "b", "1:11 b"), ("'it''s b'", "'s", "1:7 ''s"),
        ("\"\\\"q\\\" b\"", "b", "1:11 b"), ("\"\\u00e4\\x41 b\"", "b", "1:16 b"),
        ("\"\\U0001F600\\N\\L b\"", "b", "1:20 b"), ("\"\u{E4} b\"", "b", "1:7 b"),
        ("|\n  a\n   b c\n  d e", "c", "3:6 c"), ("|\n  a\n   b c\n  d e", "e", "4:5 e"),
        ("|2-\n   a\n\n  b c", "c", "4:5 c"), (">\n  a\n  b\n\n  c d", "d", "5:5 d"),
        ("a\n  b\n  c d", "d", "3:5 d"), ("'a\n  b\n\n  c d'", "d", "4:5 d"),
        ("\"a\n  b c\"", "c", "2:5 c"), ("|\r\n  a\r\n  b c\r\n", "c", "3:5 c"),
    ])
    func placesInScalars(_ yaml: String, _ part: String, _ expected: String) throws {
        #expect(try marked(yaml, part) == expected)
    }

    @Test func wholeScalarIfTextAndNotationDiffer() throws {
        let node = try #require(read("x: \"a\\\n   b c\"\n").node?["x"])
        #expect(node.text == "ab c")
        #expect(node.location(at: 3, length: 1) == node.location)
        #expect(node.location(at: 99, length: 1) == node.location)
        #expect(node.location(at: -1, length: 1) == node.location)
        #expect(node.location(at: 0, length: .max).byteOffset == node.location.byteOffset + 1)
    }

    @Test func everyPlaceOfAHostileScalarIsInsideTheText() throws {
        for yaml in ["\"\\x41\\\\'\\t\"", "'a''''b'", "|\n\n  a\n\n", "\"\\\n\"", ">-\n\n\n  x"] {
            let node = try #require(read("x: \(yaml)\n").node?["x"])
            for offset in -1...20 {
                let place = node.location(at: offset, length: 3)
                #expect(place.byteEnd <= place.source.bytes.count)
            }
        }
    }

    @Test(arguments: [
        ("path == /a #b", 15), ("a  # why", 7), ("a\t#b", 6),
    ])
    func commentAfterAScalar(_ yaml: String, _ column: Int) throws {
        let node = try #require(read("x: \(yaml)\n").node?["x"])
        #expect(node.trailingComment?.column == column)
    }

    @Test(arguments: ["'a' # b", "a#b", "a", "\"a\" #", "[a] # b", "a\n# b", "|\n  a # b"])
    func noCommentAfterAScalar(_ yaml: String) throws {
        let node = try #require(read("x: \(yaml)\n").node?["x"])
        #expect(node.trailingComment == nil)
    }

    @Test func errorsInsideATextPointOutAComment() throws {
        let node = try #require(read("when: path == \"/a #b\"\n").node?["when"])
        var diagnostics = Diagnostics()
        diagnostics.error(in: node, at: 8..<11, "the text in quotes is not closed")
        diagnostics.warnAboutComment(after: node)
        #expect(
            diagnostics.rendered == """
                p.yaml:1:15: error: the text in quotes is not closed
                    1 | when: path == "/a #b"
                      |               ^~~
                help: YAML began a comment at ' #'; put the whole value in quotes if '#' belongs to it
                p.yaml:1:19: warning: YAML begins a comment at ' #'; the value ends before it
                    1 | when: path == "/a #b"
                      |                   ^
                help: put the value in quotes if '#' belongs to it

                """
        )
    }

    @Test func errorsInsideATextWithoutComment() throws {
        let node = try #require(read("when: 'a =='\n").node?["when"])
        var diagnostics = Diagnostics()
        diagnostics.error(in: node, at: 4..<4, "a value is missing", help: "add one")
        #expect(
            diagnostics.rendered == """
                p.yaml:1:12: error: a value is missing
                    1 | when: 'a =='
                      |            ^
                help: add one

                """
        )
    }
}
