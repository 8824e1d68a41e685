// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineCodings

/// Checks that random texts survive decoding and encoding in all forms.
@Suite struct EmbeddedFormTests {
    private static func text(_ random: inout Random) -> [UInt8] {
        let pieces = [
            "a", "Zq", " ", "\"", "\\", "/", "%", "+", "é", "😀", "\n", "{", "&", "=", "0",
        ]
        return (0..<random.below(60)).flatMap { _ in Array(random.pick(pieces).utf8) }
    }

    @Test(arguments: 0..<300)
    func decodingReversesEncoding(seed: Int) {
        var random = Random(seed: UInt64(seed))
        let text = Self.text(&random)
        let kinds: [EmbeddedForm.Kind] = [
            .escapes(.percent), .escapes(.backslash), .escapes(.reference),
            .escapes([.percent, .plus]), .base64(Base64Form()), .base64(Base64Form(isURL: true)),
            .base64(Base64Form(isPadded: true)), .hex(isUpper: true), .hex(isUpper: false),
            .base64(Base64Form(isPadded: true, lineLength: 76, hasReturns: true)),
            .utf16(UTF16Form()), .utf16(UTF16Form(isBigEndian: true, hasMark: true)),
            .quotedPrintable(QuotedPrintableForm()),
            .quotedPrintable(QuotedPrintableForm(hasReturns: true)),
            .compressed(.gzip), .compressed(.deflate), .compressed(.zstd),
        ]
        let finder = EmbeddedFinder()
        for form in kinds.map(EmbeddedForm.init(kind:)) {
            var coded: [UInt8] = []
            #expect(form.encode(text.span, appendingTo: &coded))
            var output: [UInt8] = []
            let outcome = finder.decode(coded.span, from: form, appendingTo: &output)
            #expect(outcome == .decoded)
            #expect(output == text, "\(form)")
        }
    }

    @Test func keepsLoneSurrogates() {
        let text: [UInt8] = [0x41, 0, 0x00, 0xD8, 0x42, 0, 0x34, 0xD8, 0x1E, 0xDD]
        let form = EmbeddedForm(kind: .utf16(UTF16Form()))
        var output: [UInt8] = []
        #expect(EmbeddedFinder().decode(text.span, from: form, appendingTo: &output) == .decoded)
        var again: [UInt8] = []
        #expect(form.encode(output.span, appendingTo: &again))
        #expect(again == text)
    }

    @Test(arguments: [
        (#"a\"b"#, #"[x"y]"#, #"[x\"y]"#), ("a%20b", "[x]", "%5Bx%5D"),
        ("a&lt;", "<x>", "&lt;x&gt;"),
        ("ab", "\"", "%22"),
    ])
    func replacementUsesTheStyleOfTheReplacedPart(part: String, text: String, expected: String) {
        let form = EmbeddedForm(kind: .escapes([.percent, .backslash, .reference]))
        var output: [UInt8] = []
        let (part, text) = (Array(part.utf8), Array(text.utf8))
        form.encode(text.span, replacing: part.span, appendingTo: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test func doesNotEncodeTokens() {
        var output: [UInt8] = []
        let text = Samples.text
        let isWritten = EmbeddedForm(kind: .token).encode(text.span, appendingTo: &output)
        #expect(!isWritten)
        #expect(output.isEmpty)
    }
}
