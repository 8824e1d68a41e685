// SPDX-License-Identifier: MIT

import TaplinePlugin
import Testing

@testable import RedactStage

@Suite struct MemberNamesTests {
    private static func rules(_ name: String) throws -> RuleSet {
        var list = RuleList()
        let isAdded = list.addJSON(name, .mask)
        try #require(isAdded)
        return RuleSet(list, Replacement(mask: "*", key: "key".utf8.span))
    }

    private static func role(_ names: inout MemberNames, _ name: String) -> JSONPairs.Role? {
        let text = Array("{\"\(name)\":\"and what follows it\"}".utf8)
        return names.plainRole(of: 2..<2 + name.utf8.count, in: text.span)
    }

    /// The cache has the same result as a look-up.
    @Test func namesOfRulesAreNeverPlain() throws {
        var names = MemberNames()
        names.use(try Self.rules("pin"))
        for _ in 0..<2 {
            for name in ["pin", "PIN", "user.pin", "user[pin]", "a.long.name.of.a.pin", "value"] {
                #expect(Self.role(&names, name) == nil, "\(name)")
            }
            for name in ["spin", "id", "", "created_at", "a name that is a long one"] {
                #expect(Self.role(&names, name) == JSONPairs.Role.none, "\(name)")
            }
            for name in ["name", "Key", "NAME"] { #expect(Self.role(&names, name) == .name) }
        }
    }

    /// Names are cached after the first look-up, with or without rules.
    @Test func namesAreCachedWithTheirRules() throws {
        var names = MemberNames()
        let rules = try Self.rules("pin")
        names.use(rules)
        for _ in 0..<2 {
            for name in ["pin", "user.pin", "a.long.name.of.a.pin", "spin", "value", ""] {
                let text = Array("{\"\(name)\":\"and what follows it\"}".utf8)
                let found = names.rule(of: 2..<2 + name.utf8.count, in: text.span)
                #expect(found == rules.json.rule(forNested: name.utf8.span), "\(name)")
                #expect((found != nil) == (name == "pin" || name.hasSuffix(".pin")), "\(name)")
            }
        }
    }

    @Test func otherRulesForgetWhatIsKnown() throws {
        var names = MemberNames()
        names.use(try Self.rules("pin"))
        #expect(Self.role(&names, "card") == JSONPairs.Role.none)
        names.use(try Self.rules("card"))
        #expect(Self.role(&names, "card") == nil)
        #expect(Self.role(&names, "pin") == JSONPairs.Role.none)
    }

    /// Names beyond the capacity replace each other and are never confused.
    @Test func manyNamesAreDistinguished() throws {
        var names = MemberNames()
        names.use(try Self.rules("*7*"))
        for _ in 0..<2 {
            for number in 0..<2000 {
                let isPlain = !String(number).contains("7")
                #expect((Self.role(&names, "name\(number)") != nil) == isPlain, "\(number)")
            }
        }
    }
}
