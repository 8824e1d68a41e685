// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct JSONTextTests {
    @Test(arguments: [
        ("plain", "plain"), (#"a\"b\\c\/d"#, #"a"b\c/d"#), (#"\b\f\n\r\t"#, "\u{8}\u{c}\n\r\t"),
        (#"\u0041\u00e9\u00E9"#, "Aéé"), (#"\ud83d\ude00"#, "😀"), (#"\ud83d"#, #"\ud83d"#),
        (#"\ud83dx"#, #"\ud83dx"#), (#"\u12"#, #"\u12"#), (#"\x"#, #"\x"#), ("\\", "\\"), ("", ""),
        (#"\ud83d\u0041"#, #"\ud83dA"#),
    ])
    func escapesAreDecoded(written: String, meant: String) {
        var output: [UInt8] = []
        JSONText.decode(written.utf8.span, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == meant)
    }

    @Test(
        arguments: [
            (#""a"x"#, 3, false), (#""a\"b""#, 6, true), (#""\\""#, 4, true), (#""""#, 2, false),
            (#""a"#, nil, nil), (#""a\"#, nil, nil), (#""a\""#, nil, nil), (#"""#, nil, nil),
        ] as [(String, Int?, Bool?)]
    )
    func stringsEndAtTheirQuote(text: String, end: Int?, isEscaped: Bool?) {
        let found = JSONText.endOfString(text.utf8.span, 0, text.utf8.count)
        #expect(found?.end == end)
        #expect(found?.isEscaped == isEscaped)
    }

    @Test(
        arguments: [
            ("12,", 2), ("-1.5e+3]", 7), ("true}", 4), ("null", 4), ("NaN", 3), ("-Infinity", 9),
            ("-", nil), ("x", nil), ("tru", nil), ("'a'", nil), ("0", 1),
        ] as [(String, Int?)]
    )
    func scalarsAreNumbersOrWords(text: String, end: Int?) {
        let found = JSONText.endOfScalar(text.utf8.span, 0, text.utf8.count)
        #expect(found == end)
    }

    @Test(arguments: [
        ("{}", true), (" {\n\"a\":1}", true), ("[]", true), ("[{", true), ("{", true), ("[", true),
        ("[info] x", false), ("[1] note", false), ("{a", false), ("a", false), ("", false),
        ("\u{FEFF}{\"a\"", true), (")]}'\n[\"a\"]", true),
    ])
    func textThatLooksLikeJSONIsJSON(text: String, isLikely: Bool) {
        let found = JSONText.isLikely(text.utf8.span, 0..<text.utf8.count)
        #expect(found == isLikely)
    }
}
