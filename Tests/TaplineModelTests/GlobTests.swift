// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@Suite struct GlobTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a", "a", true),
        ("a", "A", false), ("?", "", false), ("?", "a", true), ("?", "ab", false),
        ("*.shop.test", "api.shop.test", true), ("*.shop.test", "a.b/c.shop.test", true),
        ("*.shop.test", "shop.test", false), ("a*c", "ac", true), ("a*c", "abbc", true),
        ("a*c", "abcb", false), ("aba*aba", "ababa", false), ("aba*aba", "abaaba", true),
        ("a*b*c", "axbxc", true), ("a*b*c", "acb", false), ("*a*", "bab", true),
        ("*?", "", false), ("**", "x", true), ("[a]", "a", false), ("[a]", "[a]", true),
    ])
    func patternsMatchTheWholeText(pattern: String, text: String, expected: Bool) {
        #expect(Glob(pattern).matches(text) == expected)
    }

    @Test func caseIsIgnoredOnlyIfRequested() {
        #expect(Glob("*.SHOP.test", ignoringCase: true).matches("API.shop.TEST"))
        #expect(!Glob("*.SHOP.test").matches("api.shop.test"))
    }

    @Test func agreesWithANaiveDefinition() {
        var random = Random(seed: 2)
        for _ in 0..<20_000 {
            let pattern = (0..<random.below(7)).map { _ in random.pick(["a", "b", "*", "?"]) }
            let text = (0..<random.below(9)).map { _ in random.pick(["a", "b", "c"]) }
            let expected = plain(pattern[...], text[...])
            let found = Glob(pattern.joined()).matches(text.joined())
            #expect(found == expected, "\(pattern.joined()) on \(text.joined())")
        }
    }

    private func plain(_ pattern: ArraySlice<String>, _ text: ArraySlice<String>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        if first == "*" {
            return plain(pattern.dropFirst(), text)
                || (!text.isEmpty && plain(pattern, text.dropFirst()))
        }
        guard let letter = text.first, first == "?" || first == letter else { return false }
        return plain(pattern.dropFirst(), text.dropFirst())
    }

    @Test func manyAsterisksTakeBoundedTime() {
        let pattern = String(repeating: "a*", count: 200) + "b"
        let text = String(repeating: "a", count: 20_000)
        #expect(!Glob(pattern).matches(text))
        #expect(Glob(pattern).matches(text + "b"))
    }
}
