// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct NameFilterTests {
    /// A union passes what either filter passes, and little else.
    @Test func aUnionPassesWhatEitherFilterPasses() {
        var cards = NameRules()
        cards.add("card_no", Rule(0, .mask))
        cards.addPhrase("tan", Rule(1, .mask))
        var words = NameRules()
        words.add("*pass*", Rule(2, .mask))
        words.add("*mark", Rule(3, .mask))
        let union = cards.filter.union(words.filter)
        for name in ["card-no", "cardNo", "user_tan", "tans", "tan2", "mypassx", "bookmark", "a.b"]
        {
            let isThrough = union.mayMatch(name.utf8.span)
            #expect(isThrough, "\(name)")
        }
        for name in ["", "a", "name", "parent", "Springfield", "company", "created", "2026"] {
            let isThrough = union.mayMatch(name.utf8.span)
            #expect(!isThrough, "\(name)")
        }
    }

    @Test func aPatternOfOtherFormsLetsAllThrough() {
        for pattern in ["*", "a?c", "*-2"] {
            var rules = NameRules()
            rules.add(pattern, Rule(0, .mask))
            let isThrough = NameFilter().union(rules.filter).mayMatch("zzz".utf8.span)
            #expect(isThrough, "\(pattern)")
        }
    }

    @Test func withoutRulesNoNamePasses() {
        for name in ["", "a", "-", "password", "x-y", "a2"] {
            let isThrough = NameFilter().mayMatch(name.utf8.span)
            #expect(!isThrough, "\(name)")
        }
    }
}
