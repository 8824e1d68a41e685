// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStore

@Suite struct SQLExpressionTests {
    private let first = SQLExpression.term(SQLTerm("a = ?", [.integer(1)]))
    private let second = SQLExpression.term(SQLTerm("b = ?", [.integer(2)], isExact: false))

    @Test func parametersAreNumberedInOrder() {
        var renderer = SQLRenderer(expressions: 1)
        let text = renderer.text(of: .or([first, .and([second, .unknown])]).negated)
        #expect(text == "((NOT (a = ?1)) AND ((NOT (b = ?2)) OR NULL))")
        #expect(renderer.values == [.integer(1), .integer(2)])
    }

    @Test func constantsDecideAndUnknownPartsStay() {
        var renderer = SQLRenderer(expressions: 1)
        #expect(renderer.text(of: .and([.unknown, .constant(false)])) == "0")
        #expect(renderer.text(of: .or([.unknown, .constant(true)])) == "1")
        #expect(renderer.text(of: .and([.constant(true), .unknown]).negated) == "NULL")
        #expect(first.isExact)
        #expect(!SQLExpression.and([first, second]).isExact)
    }
}
