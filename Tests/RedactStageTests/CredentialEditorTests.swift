// SPDX-License-Identifier: MIT

import Testing

@Suite struct CredentialEditorTests {
    @Test(arguments: [
        ("Token token=\"s3cret-0123456789\", a=b", "Token token=\"[redacted]\", a=b"),
        ("Bearer \"s3cret\"", "Bearer \"[redacted]\""),
        ("Bearer realm=\"shop\"", "Bearer realm=\"shop\""),
    ])
    func quotesStay(text: String, expected: String) throws {
        #expect(try redactField("X-Note", text) == expected)
    }

    @Test(arguments: [
        ("Bearer abc.d-e_f=", "Bearer [redacted]"),
        ("bearer, s3cret, chat", "bearer, [redacted], chat"),
        ("BASIC dXNlcjpwdw== x", "BASIC [redacted] x"),
        ("token 0123456789abcdef0123", "token [redacted]"), ("bearer", "bearer"),
        ("bearers of news", "bearers of news"), ("basics", "basics"), ("token ring", "token ring"),
        ("binary", "binary"),
    ])
    func schemesAreKnown(text: String, expected: String) throws {
        #expect(try redactField("Sec-WebSocket-Protocol", text) == expected)
        #expect(try redactBody("{\"a\":\"\(text)\"}") == "{\"a\":\"\(expected)\"}")
        #expect(try redactField("X-Note", text, "preset: none") == text)
    }
}
