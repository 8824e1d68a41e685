// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct NameRulesTests {
    private static func rules() -> NameRules {
        var rules = NameRules()
        rules.add("token", .mask)
        rules.add("x-*", .remove)
        rules.add("x-in*", .hash)
        rules.add("??", .mask)
        return rules
    }

    @Test(arguments: [
        ("token", RedactionAction.mask), ("TOKEN", .mask), ("x-a", .remove), ("X-A", .remove),
        ("x-inner", .hash), ("ab", .mask), ("xa", .mask), ("abc", nil), ("", nil), ("tokens", nil),
    ])
    func namesAndPatternsAreFound(name: String, action: RedactionAction?) {
        let found = Self.rules().action(for: name.utf8.span)
        #expect(found == action)
    }

    @Test(arguments: [
        ("user[token]", true), ("user[a][token]", true), ("user[token][]", true),
        ("user.token", true), ("a.b.token", true), ("[token]", true), ("token[]", true),
        ("token.user", false), ("token[user]", false), ("usertoken", false), ("[[[[", false),
        ("....", false), ("]", false), ("", false),
    ])
    func theLastPartOfANestedNameCounts(name: String, isFound: Bool) {
        let found = Self.rules().action(forNested: name.utf8.span)
        #expect((found != nil) == isFound)
    }
}
