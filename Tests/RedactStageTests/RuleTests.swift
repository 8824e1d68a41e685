// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct RuleTests {
    @Test func namesContainThePlaceAndTheName() {
        var book = RuleBook()
        let rules = [
            book.add(.header, "Authorization", .mask, isOwn: false),
            book.add(.json, "$.card.number", .remove, isOwn: true),
            book.add(.query, "*token*", .hash, isOwn: true),
            book.add(.detector, "aws-access-key", .mask, isOwn: false),
        ]
        #expect(rules.map(\.index) == [2, 3, 4, 5])
        #expect(rules.map(\.action) == [.mask, .remove, .hash, .mask])
        #expect(
            book.entries.map(\.name) == [
                "url user-info", "in doubt", "header authorization", "json $.card.number",
                "query *token*", "detector aws-access-key",
            ]
        )
        #expect(book.entries.map(\.isOwn) == [false, false, false, true, true, false])
    }

    @Test func anExistingRuleKeepsItsIndex() {
        var book = RuleBook()
        let preset = book.add(.json, "password", .mask, isOwn: false)
        let own = book.add(.json, "password", .remove, isOwn: true)
        #expect(own == Rule(Int(preset.index), .remove))
        #expect(book.entries.count == 3)
        #expect(book.entries[2].isOwn)
        // The same name in another place is a different rule.
        #expect(book.add(.query, "password", .mask, isOwn: false).index == 3)
    }
}
