// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct RuleListTests {
    private func rule(_ name: String, in rules: NameRules) -> Rule? {
        rules.rule(for: name.utf8.span)
    }

    @Test func aUserRuleIsTheSameRuleInText() throws {
        var list = RuleList()
        list.addHeader("X-Tenant", .remove)
        let hasRoom = list.addJSON("email", .hash)
        #expect(hasRoom)
        let header = try #require(rule("x-tenant", in: list.text))
        #expect(list.book.entries[Int(header.index)].name == "header x-tenant")
        #expect(header == list.headers[0].rule)
        let json = try #require(rule("email", in: list.text))
        #expect(json == rule("email", in: list.json))
    }

    @Test func aPatternForAllNamesIsNotARuleForText() {
        var list = RuleList()
        list.addCookie("*", .mask)
        list.addQuery("?*", .mask)
        #expect(list.text.isEmpty)
        #expect(!list.cookies.isEmpty)
    }

    @Test func eachPlaceHasItsOwnPresetRules() throws {
        var list = RuleList()
        list.addStandard(.mask)
        let places = [
            (list.query, "query password"), (list.form, "form password"),
            (list.json, "json password"), (list.text, "text password"),
        ]
        for (rules, name) in places {
            let found = try #require(rule("password", in: rules))
            #expect(list.book.entries[Int(found.index)].name == name)
        }
        #expect(list.book.entries.allSatisfy { !$0.isOwn })
    }

    @Test(arguments: StandardPreset.harmless + ["nextPageToken", "NextToken"])
    func thePresetKeepsPositionsInLists(name: String) throws {
        var list = RuleList()
        list.addStandard(.mask)
        for rules in [list.query, list.form, list.json, list.text] {
            #expect(rule(name, in: rules) == nil)
            #expect(rule("slack_token", in: rules) != nil)
            #expect(rule("slackToken", in: rules) != nil)
        }
        let hasRoom = list.addJSON("*", .hash)
        #expect(hasRoom)
        #expect(rule(name, in: list.json)?.action == .hash)
    }

    @Test func detectorsAreNumberedByKind() {
        var list = RuleList()
        list.addDetector("jwt", .mask, isOwn: false)
        list.addDetector("own-pattern", .remove, isOwn: true)
        #expect(list.detectors.map(\.action) == [.mask, .remove])
        #expect(
            list.detectors.map { list.book.entries[Int($0.index)].name }
                == ["detector jwt", "detector own-pattern"]
        )
    }
}
