// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Source lines and carets.
@Suite
struct ExcerptRendererTests {
    /// The excerpt for the first occurrence of `mark` in a text.
    private func excerpt(_ text: String, mark: String) throws -> String {
        let bytes = Array(text.utf8)
        let marked = Array(mark.utf8)
        let offset = try #require(
            bytes.indices.first { bytes[$0...].starts(with: marked) }
        )
        let source = ConfigSource(name: "p.yaml", text: text)
        let place = source.location(at: offset, length: marked.count)
        return Diagnostic(.error, at: place, "x").rendered
    }

    @Test func tabsBecomeSpaces() throws {
        #expect(
            try excerpt("a:\tb\t#\tmark\n", mark: "mark") == """
                p.yaml:1:8: error: x
                    1 | a:  b   #   mark
                      |             ^~~~
                """
        )
    }

    @Test func wideAndCombiningCharacters() throws {
        #expect(
            try excerpt("\u{65E5}\u{672C} e\u{301} \u{1F600} mark \u{65E5}\n", mark: "mark") == """
                p.yaml:1:9: error: x
                    1 | \u{65E5}\u{672C} e\u{301} \u{1F600} mark \u{65E5}
                      |           ^~~~
                """
        )
        #expect(try excerpt("\u{65E5}\u{672C}\n", mark: "\u{672C}").hasSuffix("\n      |   ^~"))
    }

    @Test func controlCharactersAreEscaped() throws {
        #expect(
            try excerpt("a\u{1B}[31m \u{202E}\u{7F}\u{9B} mark\u{0}\n", mark: "mark\u{0}") == """
                p.yaml:1:12: error: x
                    1 | a\\x1B[31m \\u{202E}\\x7F\\x9B mark\\x00
                      |                            ^~~~~~~~
                """
        )
    }

    @Test func longLinesAreCutAroundTheCaret() throws {
        let long = String(repeating: "a", count: 5000)
        let lines = try excerpt(long + "mark" + long, mark: "mark").split(separator: "\n")
        #expect(lines[0] == "p.yaml:1:5001: error: x")
        let cut = String(repeating: "a", count: 45) + "mark" + String(repeating: "a", count: 45)
        #expect(lines[1] == "    1 | …\(cut)…")
        #expect(lines[2] == "      | " + String(repeating: " ", count: 46) + "^~~~")
    }

    @Test func longMarksAreCut() throws {
        let long = String(repeating: "m", count: 300)
        let lines = try excerpt("a: " + long + "\n", mark: long).split(separator: "\n")
        #expect(lines[1] == "    1 | a: " + String(repeating: "m", count: 92) + "…")
        #expect(lines[2] == "      |    ^" + String(repeating: "~", count: 47))
    }

    @Test(arguments: [80, 95, 96, 97, 100, 200])
    func shownPartIsNeverWiderThanTheLimit(_ count: Int) throws {
        for before in stride(from: 0, through: count, by: 7) {
            let text =
                String(repeating: "a", count: before) + "mark"
                + String(repeating: "b", count: count - before) + "\n"
            let lines = try excerpt(text, mark: "mark").split(separator: "\n")
            let shown = Array(lines[1].unicodeScalars.dropFirst(8))
            let carets = Array(lines[2].unicodeScalars.dropFirst(8))
            #expect(shown.count <= 96)
            let column = try #require(carets.firstIndex(of: "^"))
            #expect(String(String.UnicodeScalarView(shown[column...].prefix(4))) == "mark")
        }
    }

    @Test func locationOverSeveralLinesIsMarkedOnTheFirst() throws {
        #expect(
            try excerpt("a: [1,\n  2]\n", mark: "[1,\n  2]").hasSuffix(
                """
                    1 | a: [1,
                      |    ^~~
                """
            )
        )
    }

    @Test func endOfFileAndLargeLineNumbers() {
        let text = String(repeating: "\n", count: 123_456) + "x"
        let source = ConfigSource(name: "p.yaml", text: text)
        #expect(
            Diagnostic(.warning, at: source.location(at: .max, length: 5), "end", help: "do")
                .rendered
                    == """
                    p.yaml:123457:2: warning: end
                    123457 | x
                          |  ^
                    help: do
                    """
        )
    }

    @Test func argumentsHaveNoLines() {
        let source = ConfigSource(name: "--set", text: "a.b=c", hasLines: false)
        #expect(
            Diagnostic(.error, at: source.location(at: 4, length: 1), "no").rendered == """
                --set: error: no
                      | a.b=c
                      |     ^
                """
        )
    }
}
