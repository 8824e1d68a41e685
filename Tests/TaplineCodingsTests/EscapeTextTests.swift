// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCodings

@Suite struct EscapeTextTests {
    @Test(arguments: [
        ("%41%6a", "Aj"), ("%", "%"), ("%4", "%4"), (#"\u0041\ud83d\ude00"#, "A😀"),
        (#"\u00"#, #"\u00"#), (#"\x41\xe9\x4"#, #"Aé\x4"#), (#"\u{41}\u{1F600}"#, "A😀"),
        (#"\u{}\u{110000}\u{41"#, #"\u{}\u{110000}\u{41"#), ("%u0041%uD83D%uDE00", "A😀"),
        ("%u004", "%u004"), ("%x41", "%x41"),
        (#"\q\\n"#, #"\q\n"#), ("&amp;lt;", "&lt;"), ("&#x1F600;&#65;", "😀A"), ("a+b", "a+b"),
        ("&#xD800;&#57343;&#xD83D;&#xDE00;", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("&#xD7FF;&#xE000;", "\u{D7FF}\u{E000}"),
    ])
    func decodes(text: String, expected: String) {
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        EscapeText.decode(bytes.span, [.percent, .backslash, .reference], appendingTo: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test func plusIsASpaceOnlyInForms() {
        var output: [UInt8] = []
        let bytes = Array("a+b%2B".utf8)
        EscapeText.decode(bytes.span, [.percent, .plus], appendingTo: &output)
        #expect(String(decoding: output, as: UTF8.self) == "a b+")
    }

    @Test func mapsPositionsToTheEncodedText() throws {
        let text = Array(#"ab%20c\u00e9d&amp;e"#.utf8)
        let form = EmbeddedForm(kind: .escapes([.percent, .backslash, .reference]))
        var map = try #require(EscapeMap(form))
        func source(_ range: Range<Int>) -> String {
            let place = map.source(of: range, in: text.span)
            return String(decoding: text[place], as: UTF8.self)
        }
        // Decoded: a b _ c C3 A9 d & e
        #expect(source(0..<1) == "a")
        #expect(source(1..<3) == "b%20")
        #expect(source(3..<5) == #"c\u00e9"#)
        #expect(source(5..<7) == #"\u00e9d"#)
        #expect(source(7..<8) == "&amp;")
        #expect(source(8..<9) == "e")
        #expect(EscapeMap(EmbeddedForm(kind: .token)) == nil)
    }
}
