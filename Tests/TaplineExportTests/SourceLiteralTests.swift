// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineExport

@Suite("Literals of programming languages")
struct SourceLiteralTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let swift: String
        let javaScript: String
        let python: String

        var testDescription: String { text }
    }

    static let table = [
        Row(text: "a\"b", swift: #""a\"b""#, javaScript: #""a\"b""#, python: #""a\"b""#),
        Row(text: #"\(x)"#, swift: #""\\(x)""#, javaScript: #""\\(x)""#, python: #""\\(x)""#),
        Row(
            text: "${x} {y}",
            swift: "\"${x} {y}\"",
            javaScript: "\"${x} {y}\"",
            python: "\"${x} {y}\""
        ),
        Row(
            text: "\0\u{1B}",
            swift: #""\u{0}\u{1b}""#,
            javaScript: #""\u0000\u001b""#,
            python: #""\x00\x1b""#
        ),
        Row(text: "\r\n\t", swift: #""\r\n\t""#, javaScript: #""\r\n\t""#, python: #""\r\n\t""#),
        Row(
            text: "\u{2028}\u{FEFF}",
            swift: #""\u{2028}\u{feff}""#,
            javaScript: #""\u2028\ufeff""#,
            python: #""\u2028\ufeff""#
        ),
        Row(
            text: "</script>",
            swift: "\"</script>\"",
            javaScript: #""\u003c/script>""#,
            python: "\"</script>\""
        ),
        Row(text: "ü日🐵", swift: "\"ü日🐵\"", javaScript: "\"ü日🐵\"", python: "\"ü日🐵\""),
        Row(text: "", swift: "\"\"", javaScript: "\"\"", python: "\"\""),
    ]

    @Test("escape what the language would read", arguments: table)
    func golden(row: Row) {
        #expect(SourceLiteral.swift(row.text) == row.swift)
        #expect(SourceLiteral.javaScript(row.text) == row.javaScript)
        #expect(SourceLiteral.python(row.text) == row.python)
    }

    @Test("for bytes of Python are ASCII")
    func bytes() {
        #expect(
            SourceLiteral.python(bytes: Array("a\"\\\n".utf8) + [0, 0xFF]) == #"b"a\"\\\n\x00\xff""#
        )
    }
}
