// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct CodeScannerTests {
    private func tokens(_ text: String) -> (tokens: [String], isUnderstood: Bool) {
        let bytes = Array(text.utf8)
        var scanner = CodeScanner(0..<bytes.count)
        var tokens: [String] = []
        while scanner.next(bytes.span) {
            tokens.append(String(decoding: bytes[scanner.last.range], as: UTF8.self))
        }
        return (tokens, scanner.isUnderstood)
    }

    @Test(arguments: [
        ("a=b", ["a", "=", "b"]), ("a ?? 'b'", ["a", "??", "'b'"]),
        ("x===-1", ["x", "===", "-", "1"]),
        ("$a .= \"b\"", ["$a", ".=", "\"b\""]), ("a?.b", ["a", "?.", "b"]),
        ("a = /'/; 'b'", ["a", "=", "/'/", ";", "'b'"]),
        ("a / b / 'c'", ["a", "/", "b", "/", "'c'"]),
        ("f(/[/'\"]/, 'b')", ["f", "(", "/[/'\"]/", ",", "'b'", ")"]),
        ("return /x'/", ["return", "/x'/"]), ("// it's\n'a'", ["it", "s", "'a'"]),
        ("/* don't */ 'a'", ["don", "t", "'a'"]), ("\"a\\\"b\"c", ["\"a\\\"b\"", "c"]),
        ("'a\\\nb'", ["'a\\\nb'"]), ("`a${b+`c`}d` e", ["`a${b+`c`}d`", "e"]),
        ("'''a'b''' c", ["'''a'b'''", "c"]), ("a::b", ["a", "::", "b"]), ("", []),
        ("x??=1", ["x", "??=", "1"]), ("a->b", ["a", "->", "b"]),
    ])
    func codeIsSplitIntoTokens(text: String, expected: [String]) {
        #expect(tokens(text).tokens == expected)
        #expect(tokens(text).isUnderstood)
    }

    @Test(arguments: ["'a", "a = \"b\nc", "`a${b", "\"\"\"a"])
    func unterminatedQuotesAreNotUnderstood(text: String) {
        #expect(!tokens(text).isUnderstood)
    }

    @Test func lineBeginningsAreRecognized() {
        let bytes = Array("a\nb c // d\ne".utf8)
        var scanner = CodeScanner(0..<bytes.count)
        var begins: [Bool] = []
        while scanner.next(bytes.span) { begins.append(scanner.last.beginsLine) }
        #expect(begins == [true, true, false, true, true])
    }
}
