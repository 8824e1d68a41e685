// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineTestRunner

@Suite("A value of a test")
struct TestValueTests {
    @Test(
        "is the same number in each notation",
        arguments: [
            ("1", "1.0"), ("1e2", "100"), ("-0", "0"), ("0.10", "1e-1"), ("12.50e1", "125"),
        ]
    )
    func sameNumbers(first: String, second: String) {
        #expect(TestValue.number(first) == .number(second))
    }

    @Test(
        "is another number even if a double could not represent the difference",
        arguments: [
            ("9007199254740993", "9007199254740992"), ("1", "-1"), ("1", "10"),
            ("1e99999999", "2e99999999"),
        ]
    )
    func otherNumbers(first: String, second: String) {
        #expect(TestValue.number(first) != .number(second))
    }

    @Test("is shown with sorted keys, and on several lines if it is long")
    func text() {
        let short = TestValue.object([("b", .number("7.00")), ("a", .list([.null, .bool(true)]))])
        #expect(short.normalised.compactText == #"{"a":[null,true],"b":7}"#)
        #expect(short.normalised.lines == ["{", #"  "a": [null,true],"#, #"  "b": 7"#, "}"])
        #expect(TestValue.list([]).lines == ["[]"])
        #expect(TestValue.text("\u{1}\"").lines == [#""\u0001\"""#])
    }

    @Test("refuses other notations", arguments: ["", "01", "1.", ".5", "0x1", "1_0", "1e"])
    func noNumber(text: String) {
        #expect(Decimal(text) == nil)
    }
}
