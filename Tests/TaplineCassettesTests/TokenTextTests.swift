// SPDX-License-Identifier: MIT

import TaplineCapture
import Testing

@testable import TaplineCassettes

/// The texts that are searched everywhere after they were masked in one place.
@Suite struct TokenTextTests {
    @Test(arguments: [
        "5f7c8ec7c33c6c004bbafe82", "a8Kd+93/jfQ=Lw72xZ", "tok-of-the-server-1234", "password123",
        "123e4567-e89b-12d3-a456-426614174000", "1234567890123456", "abcdefghijklmnop",
        "user-1@shop.test", "pässwörter-geheim7",
    ])
    func tokens(text: String) {
        #expect(TokenText.isToken(Array(text.utf8)))
    }

    @Test(arguments: [
        "", "1", "true", "ann", "hunter2", "german", "password", "eu-central-1", "104233",
        "123456789012345", "2026-11-22T10:00:00Z", "2026-11-22T10:00:00.000+01:00", "Europe/Berlin",
        "1.2.3-4.5.6.7.8.9.10", "[redacted]", "en-US,en;q=0.9", "feature-flag-list",
    ])
    func words(text: String) {
        #expect(!TokenText.isToken(Array(text.utf8)))
    }

    @Test(arguments: [
        ("Bearer 5f7c8ec7c33c", ["5f7c8ec7c33c"]),
        ("\"5f7c8ec7c33c\"", ["5f7c8ec7c33c"]),
        ("a8Kd93jfQ1==", ["a8Kd93jfQ1", "a8Kd93jfQ1=="]),
        ("a8Kd93%2FjfQ1Lw72x", ["a8Kd93%2FjfQ1Lw72x", "a8Kd93/jfQ1Lw72x"]),
        ("Basic YW5uOnBhc3N3b3JkMTIz", ["YW5uOnBhc3N3b3JkMTIz", "ann:password123", "password123"]),
        (#"{"value":"5f7c8ec7c33c","expires":3600}"#, ["5f7c8ec7c33c"]),
        ("/orders/12345/5f7c8ec7c33c?next=items", ["5f7c8ec7c33c"]),
        ("https://shop.test/5f7c8ec7c33c", ["5f7c8ec7c33c"]),
        ("lang=de; region=eu", []),
    ])
    func parts(text: String, tokens: [String]) {
        let found = TokenText.tokens(in: text.utf8.span)
        #expect(found == Set(tokens.map { Array($0.utf8) }))
    }

    @Test func textsThatAreTooLongAreNotTokens() {
        let long = [UInt8](repeating: 0x37, count: 8193)
        #expect(TokenText.tokens(in: long.span) == [])
        #expect(TokenText.tokens(in: long.span.extracting(1...)) == [Array(long.dropFirst())])
    }
}

/// The tokens that are collected from masked values.
@Suite struct ObservedSecretsTests {
    @Test func hostNamesAreNotTokens() {
        let observed = ObservedSecrets(allowed: [])
        let names = ["API-1.Shop-Of-Ann.test", "shop-of-ann.test1", "1-shop-of-ann.test"]
        for name in names { observed.observe(name.utf8.span, action: "mask") }
        #expect(observed.tokens[.mask]?.count == 3)
        observed.note(host: "api-1.shop-of-ann.test")
        observed.note(host: "www.shop-of-ann.test1")
        #expect(observed.tokens[.mask] == [Array(names[2].utf8)])
    }

    @Test func theFirstActionApplies() {
        let observed = ObservedSecrets(allowed: [])
        for action in ["hash", "mask", "remove", "other"] {
            observed.observe("5f7c8ec7c33c".utf8.span, action: action)
        }
        #expect(observed.tokens.filter { !$1.isEmpty } == [.hash: [Array("5f7c8ec7c33c".utf8)]])
    }
}
