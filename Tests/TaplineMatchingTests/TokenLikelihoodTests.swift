// SPDX-License-Identifier: MIT

@testable import TaplineMatching
import TaplineModel
import Testing

/// Which texts are candidates for tokens.
@Suite struct TokenLikelihoodTests {
    @Test(arguments: [
        "8f14e45f-ceea-467f-a9a0-0b2d4e6f8a1c", "tok_9XbQ2", "a1b2c3", "123456",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "QmFzZUNhbWVsVG9rZW4", "W/\"5f3a9c\"",
    ])
    func longAndVariedTextsAreTokens(text: String) {
        #expect(TokenLikelihood(Array(text.utf8)) == .long)
    }

    @Test(arguments: ["12", "8812", "111111", "ab12"])
    func shortTextsMayBeIDs(text: String) {
        #expect(TokenLikelihood(Array(text.utf8)) == .short)
    }

    @Test(arguments: [
        "", "2026-11-26", "2026-11-26T22:20:00Z", "1764192000", "1764192000123", "two words 1234",
        "---", "Grüße12", "confirmed", "EUR",
    ])
    func otherTextsAreNoTokens(text: String) {
        #expect(TokenLikelihood(Array(text.utf8)) == .none)
    }

    @Test(arguments: ["true", "active", "application/json", "1.25", "completed"])
    func wordsAndAmountsAreNotLong(text: String) {
        #expect(TokenLikelihood(Array(text.utf8)) != .long)
    }

    @Test(arguments: [
        ("$.id", true), ("$.items[*].order_id", true), ("$.userId", true), ("$['item-id']", true),
        ("$.code", true), ("$.paid", false), ("$.status", false), ("$.grid", false),
    ])
    func namesOfIDsAreRecognized(path: String, isID: Bool) {
        #expect(ValuePlace(.json(ByteString(path))).isNamedLikeID == isID)
    }
}
