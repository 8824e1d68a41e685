// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTrials

@Suite("A value of a test")
struct TestValueTests {
    @Test(
        "is the same number however it is written",
        arguments: [
            ("1", "1.0"), ("1e2", "100"), ("-0", "0"), ("0.10", "1e-1"), ("12.50e1", "125"),
        ]
    )
    func sameNumbers(first: String, second: String) {
        #expect(TestValue.number(first) == .number(second))
    }

    @Test(
        "is another number where a double could not tell",
        arguments: [("9007199254740993", "9007199254740992"), ("1", "-1"), ("1", "10")]
    )
    func otherNumbers(first: String, second: String) {
        #expect(TestValue.number(first) != .number(second))
    }

    @Test("is no number in other notations", arguments: ["", "01", "1.", ".5", "0x1", "1_0", "1e"])
    func noNumber(text: String) {
        #expect(Decimal(text) == nil)
    }
}
