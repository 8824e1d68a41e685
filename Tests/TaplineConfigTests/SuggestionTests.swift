// SPDX-License-Identifier: MIT

@testable import TaplineConfig
import Testing

/// Suggestions for misspelled names.
@Suite
struct SuggestionTests {
    @Test(arguments: [
        ("max_byte", "max_bytes"), ("sikp", "skip"), ("Skip", "skip"), ("maxbytes", "max_bytes"),
    ])
    func near(_ text: String, _ expected: String) {
        #expect(Suggestion.nearest(to: text, among: ["skip", "max_bytes"]) == expected)
    }

    @Test(arguments: ["", "x", "colour", "max", "skipping"])
    func far(_ text: String) {
        #expect(Suggestion.nearest(to: text, among: ["skip", "max_bytes"]) == nil)
    }

    @Test func help() {
        #expect(Suggestion.help(for: "skp", among: ["skip"]) == "did you mean 'skip'?")
        #expect(Suggestion.help(for: "zzz", among: ["skip"]) == nil)
        #expect(Suggestion.help(for: String(repeating: "a", count: 100_000), among: ["a"]) == nil)
    }
}
