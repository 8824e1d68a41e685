// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import RedactStage

@Suite struct NameRulesTests {
    private static func rules() -> NameRules {
        var rules = NameRules()
        rules.add("token", Rule(0, .mask))
        rules.add("x-*", Rule(1, .remove))
        rules.add("x-in*", Rule(2, .hash))
        rules.add("??", Rule(3, .mask))
        return rules
    }

    @Test(arguments: [
        ("token", RedactionAction.mask), ("TOKEN", .mask), ("x-a", .remove), ("X-A", .remove),
        ("x-inner", .hash), ("ab", .mask), ("xa", .mask), ("abc", nil), ("", nil), ("tokens", nil),
    ])
    func namesAndPatternsAreFound(name: String, action: RedactionAction?) {
        let found = Self.rules().rule(for: name.utf8.span)
        #expect(found?.action == action)
    }

    @Test func exactNamesAndPatternsWinOverPhrases() {
        var rules = NameRules()
        rules.addPhrase("token", Rule(0, .mask))
        rules.addPhrase("page_token", nil)
        #expect(rules.rule(forNested: "nextPageToken".utf8.span) == nil)
        rules.add("next*", Rule(2, .mask))
        #expect(rules.rule(forNested: "nextPageToken".utf8.span) == Rule(2, .mask))
        #expect(rules.rule(forNested: "slackToken".utf8.span) == Rule(0, .mask))
        rules.add("slack_token", Rule(3, .mask))
        #expect(rules.rule(forNested: "slackToken".utf8.span) == Rule(3, .mask))
    }

    @Test func ruleTellsWhichOneItIs() {
        let rules = Self.rules()
        #expect(rules.rule(for: "Token".utf8.span) == Rule(0, .mask))
        #expect(rules.rule(for: "x-a".utf8.span) == Rule(1, .remove))
        #expect(rules.rule(forNested: "a[x-in]".utf8.span) == Rule(2, .hash))
    }

    @Test(arguments: [
        ("user[token]", true), ("user[a][token]", true), ("user[token][]", true),
        ("user.token", true), ("a.b.token", true), ("[token]", true), ("token[]", true),
        ("token.user", false), ("token[user]", false), ("usertoken", false), ("[[[[", false),
        ("....", false), ("]", false), ("", false),
    ])
    func theLastPartOfANestedNameIsMatched(name: String, isFound: Bool) {
        let found = Self.rules().rule(forNested: name.utf8.span)
        #expect((found != nil) == isFound)
    }

    /// The filter never rejects a name that has a rule.
    @Test func theFilterMissesNoRule() {
        var rules = NameRules()
        for name in StandardPreset.names + ["*ss", "card*no", "*pin*"] {
            rules.add(name, Rule(0, .mask))
        }
        var plain = NameRules()
        for name in StandardPreset.names + ["*pin*"] { plain.add(name, Rule(0, .mask)) }
        let parts = [
            "pass", "Pass", "word", "WORD", "wd", "p", "P", "a", "s", "-", "_", "[", "]", ".", "x",
            "token", "Pin", "parent", "id", "0", "é",
        ]
        var random = Random(seed: 7)
        var found = 0
        for _ in 0..<20_000 {
            let name = (0..<random.below(6)).map { _ in random.pick(parts) }.joined()
            for rules in [rules, plain] where rules.rule(for: name.utf8.span) != nil {
                found += 1
                if !rules.mayMatch(name.utf8.span) { Issue.record("'\(name)'") }
                let isInUnion = NameFilter().union(rules.filter).mayMatch(name.utf8.span)
                if !isInUnion { Issue.record("'\(name)' in a union") }
            }
        }
        #expect(found > 5_000)
        let isHeldUp = plain.mayMatch("parent".utf8.span)
        #expect(!isHeldUp)
    }
}
