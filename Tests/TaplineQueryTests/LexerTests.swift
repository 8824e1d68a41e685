// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@Suite struct LexerTests {
    @Test(arguments: [
        ErrorCase("status = 1", "=", "unknown operator '='", help: "write '==' to compare"),
        ErrorCase("!status exists", "!", "unknown operator '!'", help: "write 'not'"),
        ErrorCase(
            "status == 1 && port == 1",
            "&&",
            "unknown operator '&&'",
            help: "write 'and'"
        ),
        ErrorCase("status == 1 || port == 1", "||", "unknown operator '||'", help: "write 'or'"),
        ErrorCase(
            "method == 'GET'",
            "'",
            "unexpected single quote",
            help: "write strings in double quotes"
        ),
        ErrorCase("method == ü", "ü", "unexpected character 'ü'"),
        ErrorCase(#"method == "GET"#, #""GET"#, "unterminated string; expected '\"'"),
        ErrorCase(
            #"method == "\q""#,
            #"\q"#,
            #"unknown escape '\q' in a string"#,
            help: #"for a backslash, write '\\'"#
        ),
        ErrorCase(
            #"method == "\u12""#,
            #"\u12"#,
            #"bad escape; expected four hexadecimal digits after '\u'"#
        ),
        ErrorCase(
            #"method == "\ud800""#,
            #"\ud800"#,
            "bad escape; expected both halves of a surrogate pair"
        ),
        ErrorCase("status > -", "-", "unexpected '-'; expected a number after it"),
        ErrorCase("status == 1 \u{1}", "\u{1}", "unexpected control character"),
    ])
    func rejectsInvalidTokens(wrong: ErrorCase) {
        expectFailure(wrong)
    }

    @Test(arguments: [
        (#""a\"b""#, "a\"b"), (#""a\\b\/c""#, "a\\b/c"), (#""\b\f\n\r\t""#, "\u{8}\u{c}\n\r\t"),
        (#""\u00e9\u00C9""#, "éÉ"), (#""\ud83d\ude00""#, "😀"), (#""é😀""#, "é😀"), (#""""#, ""),
    ])
    func stringsUseTheEscapesOfJSON(written: String, meant: String) {
        var exchange = Samples.bare()
        exchange.tags = ["t": meant]
        #expect(evaluate("tag[\"t\"] == \(written)", exchange) == true)
        exchange.tags = ["t": meant + "x"]
        #expect(evaluate("tag[\"t\"] == \(written)", exchange) == false)
    }
}
