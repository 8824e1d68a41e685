// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineFormats

@Suite struct TerminalTextTests {
    func shown(_ bytes: [UInt8], in limit: Int = .max) -> String {
        var text = TerminalText(isColoured: false)
        text.show(bytes.span, in: limit)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    func shown(_ text: String, in limit: Int = .max) -> String {
        shown(Array(text.utf8), in: limit)
    }

    @Test func showsLinesWithTheirEnds() {
        var text = TerminalText(isColoured: false)
        text.showLines("a\u{1B}[1m\r\n\nb\rc\nd\r".utf8.span)
        #expect(String(decoding: text.bytes, as: UTF8.self) == "a\\x1b[1m\n\nb\\rc\nd\\r")
    }

    @Test(arguments: [
        ("a\u{1B}[31mb", #"a\x1b[31mb"#), ("\0\u{07}\u{08}", #"\x00\x07\x08"#),
        ("a\tb\nc\rd", #"a\tb\nc\rd"#), ("\u{7F}", #"\x7f"#),
        ("\u{9B}31m", #"\u{9b}31m"#), ("\u{85}", #"\u{85}"#),
        ("a\u{202E}b\u{2066}c\u{2069}\u{200F}", #"a\u{202e}b\u{2066}c\u{2069}\u{200f}"#),
        ("\u{2028}\u{2029}\u{FEFF}\u{200B}", #"\u{2028}\u{2029}\u{feff}\u{200b}"#),
        ("\u{E0041}", #"\u{e0041}"#),
        ("größe 漢字 👩\u{200D}💻", "größe 漢字 👩\u{200D}💻"),
    ])
    func escapesWhatATerminalInterprets(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(
        arguments: [
            ([0xFF], #"\xff"#), ([0x61, 0xC3], #"a\xc3"#), ([0xC0, 0x80], #"\xc0\x80"#),
            ([0xE0, 0x80, 0x80], #"\xe0\x80\x80"#), ([0xED, 0xA0, 0x80], #"\xed\xa0\x80"#),
            ([0xF4, 0x90, 0x80, 0x80], #"\xf4\x90\x80\x80"#), ([0xF8, 0x88], #"\xf8\x88"#),
            ([0x9B, 0x33], #"\x9b3"#), ([0xE2, 0x82, 0x41], #"\xe2\x82A"#),
        ] as [([UInt8], String)]
    )
    func showsBytesThatAreNotUTF8(bytes: [UInt8], expected: String) {
        #expect(shown(bytes) == expected)
    }

    /// The rule itself, over every single byte, every pair of bytes and every character.
    @Test func escapesEveryUnsafeCharacter() {
        func check(_ bytes: [UInt8]) {
            for scalar in shown(bytes).unicodeScalars {
                let value = scalar.value
                let isControl = value < 0x20 || 0x7F...0x9F ~= value
                let turns = 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value
                if isControl || turns || value == 0xFFFD { Issue.record("let \(bytes) pass") }
            }
        }
        for first in UInt8.min...UInt8.max {
            check([first])
            for second in UInt8.min...UInt8.max { check([first, second]) }
        }
        for value in UInt32(0)...0x10FFFF where value != 0xFFFD {
            guard let scalar = Unicode.Scalar(value) else { continue }
            check(Array(String(Character(scalar)).utf8))
        }
    }

    @Test(arguments: [
        (10, "0123456789"), (9, "01234567…"), (2, "0…"), (1, "…"), (0, ""), (11, "0123456789"),
    ])
    func cutsWithAnEllipsis(limit: Int, expected: String) {
        #expect(shown("0123456789", in: limit) == expected)
    }

    @Test func doesNotCutEscapesOrWideCharacters() {
        #expect(shown("ab\u{1B}c", in: 5) == "ab…")
        #expect(shown("ab漢c", in: 4) == "ab…")
        #expect(shown("ab漢", in: 4) == "ab漢")
        #expect(shown("e\u{301}e\u{301}e", in: 2) == "e\u{301}…")
    }

    @Test func usesStylesOnlyWithColours() {
        var plain = TerminalText(isColoured: false)
        plain.put("a", .red)
        #expect(plain.bytes == Array("a".utf8))
        var coloured = TerminalText(isColoured: true)
        coloured.put("a", .red)
        coloured.put("b", .plain)
        #expect(coloured.bytes == Array("\u{1B}[31ma\u{1B}[0mb".utf8))
        #expect(coloured.column == 2)
    }
}
