// SPDX-License-Identifier: MIT

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
    func theLastPartOfANestedNameCounts(name: String, isFound: Bool) {
        let found = Self.rules().rule(forNested: name.utf8.span)
        #expect((found != nil) == isFound)
    }
}
