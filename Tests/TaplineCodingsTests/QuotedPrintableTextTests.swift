// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCodings

@Suite struct QuotedPrintableTextTests {
    @Test(arguments: [
        ("caf=C3=A9=20", "café "), ("a=\nb=\r\nc", "abc"), ("a= \t\nb", "ab"), ("=", "="),
        ("=4", "=4"), ("=G1", "=G1"), ("a=3d", "a="), ("a=3D=3D", "a=="),
    ])
    func decodes(text: String, expected: String) {
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        QuotedPrintableText.decode(bytes.span, appendingTo: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test func breaksLines() {
        let text = [UInt8](repeating: 0x61, count: 200)
        var output: [UInt8] = []
        QuotedPrintableText.encode(
            text.span,
            QuotedPrintableForm(hasReturns: true),
            appendingTo: &output
        )
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.map(\.utf8.count) == [76, 76, 50])
        #expect(lines.dropLast().allSatisfy { $0.last == "=" })
    }

    @Test(arguments: [
        ("a=3D1 and=\nmore", true), ("Content-Transfer-Encoding: Quoted-Printable\n\na=\nb", true),
        ("a=\nb", false), ("a=3D1", true), ("a=1&b=3D=\n", false), ("", false),
        ("A=\nB=20\n", false), ("dGVzdA==\nx=3D", false),
    ])
    func isRecognisedOnlyWithoutDoubt(text: String, expected: Bool) {
        #expect(EmbeddedForm.isQuotedPrintable(Array(text.utf8).span) == expected)
    }

    @Test func walkersSearchIt() {
        var walker = EmbeddedWalker()
        var hits: [EmbeddedHit] = []
        let text = Array("a=3Db se=\ncret".utf8)
        let isComplete = walker.walk(text.span, appendingTo: &hits) { text, hits in
            for start in text.indices.dropLast(5)
            where (0..<6).allSatisfy({ text[start + $0] == Array("secret".utf8)[$0] }) {
                hits.append(EmbeddedHit(start: start, end: start + 6, tag: 1))
            }
        }
        #expect(isComplete)
        #expect(hits.map(\.form?.name) == ["quoted-printable"])
    }
}
