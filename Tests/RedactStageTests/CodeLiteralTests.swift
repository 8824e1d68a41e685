// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct CodeLiteralTests {
    @Test(arguments: [
        (#"a\x62\u0063\u{64}\145"#, "abcde"), (#"\n\t\\\"\'\`"#, "\n\t\\\"'`"), ("a\\\nb", "ab"),
        ("a\\\r\nb", "ab"), (#"\U0001F600"#, "\u{1F600}"), (#"\q\x4"#, "qx4"), ("a\\", "a\\"),
        (#"\u{110000}\ud800"#, ""), ("", ""),
    ])
    func escapesAreDecoded(text: String, expected: String) {
        let decoded = CodeLiteral.decode(text.utf8.span)
        #expect(String(decoding: decoded, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("a\"b\\c\n", "\"", "a\\\"b\\\\c\\n"), ("$a`", "`", "\\$a\\`"), ("'", "\"", "'"),
    ])
    func stringsAreEscaped(text: String, quote: String, expected: String) throws {
        var output: [UInt8] = []
        CodeLiteral.encode(text.utf8.span, quote: try #require(quote.utf8.first), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "", "***", "${TOKEN}", "#{a.b}-${c}", "{{ token }}", "$API_KEY", "%s", "${a({})}",
    ])
    func placeholdersAreRecognized(text: String) {
        let isPlaceholder = CodeLiteral.isPlaceholder(text.utf8.span)
        #expect(isPlaceholder)
    }

    @Test(arguments: ["a", "$ecret", "${a}b", "{a}", "${\"a\"}", "%secret", "${a"])
    func otherTextsAreNotPlaceholders(text: String) {
        let isPlaceholder = CodeLiteral.isPlaceholder(text.utf8.span)
        #expect(!isPlaceholder)
    }
}
