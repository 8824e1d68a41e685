// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct ReplacementTests {
    private func text(
        _ action: RedactionAction,
        _ notation: Notation,
        mask: String = "[redacted]",
        secret: String = "s",
        key: String = "k"
    ) -> String {
        let replacement = Replacement(mask: mask, key: key.utf8.span)
        var output: [UInt8] = []
        replacement.append(action, of: secret.utf8.span, as: notation, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [
        (Notation.plain, "[a]\"\\\n"), (.url, "%5Ba%5D%22%5C%0A"),
        (.json, #""[a]\"\\\u000a""#), (.jsonPart, #"[a]\"\\\u000a"#),
    ])
    func masksAreWrittenInTheNotationOfTheirPlace(notation: Notation, expected: String) {
        #expect(text(.mask, notation, mask: "[a]\"\\\n") == expected)
        #expect(text(.remove, notation).isEmpty)
    }

    @Test func hashesDependOnlyOnKeyAndSecret() {
        // echo -n s | openssl dgst -sha256 -hmac k
        #expect(text(.hash, .plain) == "h-" + Self.digest)
        #expect(text(.hash, .url) == "h-" + Self.digest)
        #expect(text(.hash, .json) == "\"h-\(Self.digest)\"")
        #expect(text(.hash, .jsonPart) == "h-" + Self.digest)
        #expect(text(.hash, .plain, secret: "t") != "h-" + Self.digest)
        #expect(text(.hash, .plain, key: "l") != "h-" + Self.digest)
    }

    private static let digest = "a754f4059b0a4c0a4abf6568ea186538"
}
