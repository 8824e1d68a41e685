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
    func schemesAreRecognized(text: String, expected: String) throws {
        #expect(try redactField("Sec-WebSocket-Protocol", text) == expected)
        #expect(try redactBody("{\"a\":\"\(text)\"}") == "{\"a\":\"\(expected)\"}")
        #expect(try redactField("X-Note", text, "preset: none") == text)
    }

    @Test(arguments: [
        ("graphql-ws, bearer, pl4nted, chat", "graphql-ws, bearer, *, chat"),
        (
            "base64url.bearer.authorization.k8s.io.pl4nted, v4.channel.k8s.io",
            "base64url.bearer.authorization.k8s.io.*, v4.channel.k8s.io"
        ),
        ("access_token,pl4nted", "access_token,*"), ("auth.token.pl4nted", "auth.token.*"),
        ("graphql-transport-ws, chat", "graphql-transport-ws, chat"),
        ("v4.channel.k8s.io", "v4.channel.k8s.io"), ("bearer", "bearer"), ("", ""), (", ,", ", ,"),
    ])
    func webSocketProtocolsAreReadAsLists(text: String, expected: String) throws {
        #expect(try redactField("Sec-WebSocket-Protocol", text, "mask: '*'") == expected)
    }

    @Test(arguments: [
        (#"Digest username="a", realm="b", nonce="c", uri="/", response="pl4nted""#, "Digest *"),
        (#"Hawk id="a", ts="1", mac="pl4nted=""#, "Hawk *"),
        (
            "AWS4-HMAC-SHA256 Credential=AK/2/3, SignedHeaders=host, Signature=pl4nted",
            "AWS4-HMAC-SHA256 *"
        ),
        ("Negotiate pl4ntedpl4ntedpl4nted==", "Negotiate *"),
        ("NTLM pl4ntedpl4ntedpl4nted", "NTLM *"),
    ])
    func schemesAreRecognizedInAnyField(text: String, expected: String) throws {
        for name in ["X-Original", "WWW-Authenticate", "Proxy-Authenticate"] {
            #expect(try redactField(name, text, "mask: '*'") == expected)
        }
    }

    @Test(arguments: [
        #"Digest realm="a", qop="auth", nonce="b", algorithm=MD5"#, "Negotiate", "NTLM",
        "Basic realm=\"shop\"", "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:",
        "Digest of news: response", "negotiate a price", "Hawk eyes",
    ])
    func challengesStay(text: String) throws {
        #expect(try redactField("WWW-Authenticate", text) == text)
    }

    @Test(arguments: [
        "X-My-Token", "X-Amz-Meta-Password", "x-shop-api-key", "My-Secret", "X-Admin-Passwd",
        "Token", "X-Foo-Authorization", "X-Upstream-JWT", "Secret", "X-Foo-Session-Id",
    ])
    func fieldsAreRedactedByTheirLastWord(name: String) throws {
        #expect(try redactField(name, "pl4nted") == "[redacted]")
    }

    @Test(arguments: [
        "X-Token-Count", "X-Token-Type", "X-RateLimit-Remaining-Tokens", "Sec-WebSocket-Key",
        "Idempotency-Key", "Access-Control-Allow-Credentials", "X-Password-Policy", "X-Secretary",
        "Surrogate-Key", "X-Broken", "Content-Security-Policy", "ETag",
    ])
    func fieldsThatDescribeSecretsStay(name: String) throws {
        #expect(try redactField(name, "pl4nted") == "pl4nted")
    }

    @Test func cookiesOfRFC2965AreRedacted() throws {
        #expect(try redactField("Cookie2", "$Version=\"1\"; a=pl4nted") != nil)
        #expect(try redactField("Cookie2", "a=pl4nted", "mask: '*'") == "a=*")
        #expect(try redactField("Set-Cookie2", "a=pl4nted; Path=/", "mask: '*'") == "a=*; Path=/")
    }
}
