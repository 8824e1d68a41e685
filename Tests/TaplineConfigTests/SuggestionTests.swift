// SPDX-License-Identifier: MIT

@testable import TaplineConfig
import Testing

/// Suggestions for misspelled names.
@Suite
struct SuggestionTests {
    @Test(arguments: [
        ("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "abc", 0), ("abc", "acb", 1),
        ("abc", "ab", 1), ("abc", "abcd", 1), ("abc", "xbc", 1), ("kitten", "sitting", 3),
        ("ABC", "abc", 0), ("ca", "abc", 3),
    ])
    func distance(_ left: String, _ right: String, _ expected: Int) {
        #expect(Suggestion.distance(left, right) == expected)
        #expect(Suggestion.distance(right, left) == expected)
    }

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
