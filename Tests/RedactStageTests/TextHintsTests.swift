// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import RedactStage

/// Hints skip the editors that could find nothing in a text.
@Suite("Text hints") struct TextHintsTests {
    /// Parts of texts with secrets: names, what joins them to values, and what surrounds them.
    private static let parts = [
        "token", "password", "api_key", "Authorization", "Bearer", "Basic", "Token", "ApiKey",
        "JWT", "DPoP", "apikey", "key", "user", "a", "id", "the", "next-page", "--password", "-u",
        "-U", "-p", "--", "-", "hunter2", "s3cr3tValue0099", "dXNlcjpwYXNzd29yZA==",
        "eyJhbGciOiJub25lIn0.e30.c2ln", "0123456789abcdef0123456789abcdef", "alice:pw@host", "=",
        ": ", ":", " = ", " ", "  ", ",", ", ", ";", "&", "?", "/", "://", "\"", "'", "`", "\\",
        "\\\"", "\\u003d", "%3D", "%22", "&quot;", "<", ">", "</b>", "(", ")", "('", "[\"", "]",
        "{", "}", "=>", "config[\"token\"] = \"", "password: '", "\", ", "id,token,name\n",
        "1,s3cr3tValue0099,x\n2,s3cr3tValue0098,y\n", "|", "\t", "\n", "\r\n", "\u{1B}[1m", "é",
        "·",
    ]

    private static let rules: RuleSet = {
        var list = RuleList()
        list.addStandard(.mask)
        return RuleSet(list, Replacement(mask: "*", key: "key".utf8.span))
    }()

    /// Returns 10,000 texts of up to seven parts, the same in each run.
    private static func texts(seed: UInt64) -> [[UInt8]] {
        var random = Random(seed: seed)
        return (0..<10_000).map { _ in
            (0...random.below(7)).flatMap { _ in Array(random.pick(parts).utf8) }
        }
    }

    /// Requires that an editor finds nothing in the texts that it skips; returns in how many others
    /// it finds something.
    private func foundIfNotSkipped(
        _ seed: UInt64,
        isSkipped: (TextHints, Span<UInt8>) -> Bool,
        _ edit: (Span<UInt8>, Range<Int>, inout EditList) -> Void
    ) -> Int {
        var count = 0
        for text in Self.texts(seed: seed) where !text.isEmpty {
            var edits = EditList()
            edit(text.span, 0..<text.count, &edits)
            guard !edits.isEmpty else { continue }
            count += 1
            let isSkipped = isSkipped(text.span.textHints(), text.span)
            #expect(!isSkipped, "\(String(decoding: text, as: UTF8.self))")
        }
        return count
    }

    @Test("names with values need a byte that delimits them")
    func names() {
        let found = foundIfNotSkipped(1, isSkipped: { hints, _ in !TextEditor.mayFind(hints) }) {
            TextEditor(rules: Self.rules).edit($0, $1, &$2)
        }
        #expect(found > 50)
    }

    @Test("names in queries and in prose need a delimiter, a colon or an option")
    func shortNames() {
        for isProse in [false, true] {
            let found = foundIfNotSkipped(
                2,
                isSkipped: { hints, _ in hints.isDisjoint(with: [.names, .colons, .options]) },
                {
                    TextEditor(rules: Self.rules, isQuery: !isProse, isProse: isProse)
                        .edit($0, $1, &$2)
                }
            )
            #expect(found > 50)
        }
    }

    @Test("credentials need a mark, or begin the text")
    func credentials() {
        let found = foundIfNotSkipped(
            3,
            isSkipped: { !$0.contains(.credentials) && !CredentialEditor.mayBegin($1) },
            { Self.rules.credentials.edit($0, $1, .plain, Self.rules, &$2) }
        )
        #expect(found > 50)
    }

    @Test("code needs a quote, and tables a line end")
    func codeAndTables() {
        let code = foundIfNotSkipped(4, isSkipped: { hints, _ in !hints.contains(.quotes) }) {
            Self.rules.editCode($0, $1, &$2)
        }
        #expect(code > 10)
        let tables = foundIfNotSkipped(5, isSkipped: { hints, _ in !hints.contains(.lines) }) {
            Self.rules.editTable($0, $1, &$2)
        }
        #expect(tables > 0)
    }

    @Test("a short text without hints has no secret")
    func shortTexts() {
        let everything: TextHints = [
            .names, .colons, .options, .credentials, .code, .lines, .quotes,
        ]
        let found = foundIfNotSkipped(
            6,
            isSkipped: { !$0.mayHoldSecrets && !RuleSet.mayBeginSecret($1) },
            { Self.rules.editShortText($0, $1, .plain, hints: everything, &$2) }
        )
        #expect(found > 50)
    }
}
