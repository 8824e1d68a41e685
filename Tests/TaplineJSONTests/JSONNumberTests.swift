// SPDX-License-Identifier: MIT

import TaplineJSON
import Testing

@Suite struct JSONNumberTests {
    struct Numbers: Equatable {
        var int64: Int64?
        var uint64: UInt64?
        var double: Double?
        var thousandths: Int64?
    }

    func numbers(_ text: String) throws -> Numbers {
        var parser = JSONParser()
        let bytes = Array(text.utf8)
        let document = try parser.parse(bytes.span)
        let value = document.root
        return Numbers(
            int64: value.asInt64,
            uint64: value.asUInt64,
            double: value.asDouble,
            thousandths: value.asThousandths
        )
    }

    @Test(arguments: [
        ("0", Numbers(int64: 0, uint64: 0, double: 0, thousandths: 0)),
        ("-0", Numbers(int64: 0, uint64: nil, double: -0.0, thousandths: 0)),
        ("12", Numbers(int64: 12, uint64: 12, double: 12, thousandths: 12000)),
        ("-12.3456", Numbers(double: -12.3456, thousandths: -12346)),
        ("12.345", Numbers(double: 12.345, thousandths: 12345)),
        ("0.0004999", Numbers(double: 0.0004999, thousandths: 0)),
        ("0.1", Numbers(double: 0.1, thousandths: 100)),
        ("1e2", Numbers(double: 100, thousandths: 100_000)),
        ("1.2345678e1", Numbers(double: 12.345678, thousandths: 12346)),
        (
            "9223372036854775807",
            Numbers(
                int64: .max,
                uint64: 9_223_372_036_854_775_807,
                double: 0x1p63
            )
        ),
        ("-9223372036854775808", Numbers(int64: .min, double: -0x1p63)),
        ("9223372036854775808", Numbers(uint64: 1 << 63, double: 0x1p63)),
        ("18446744073709551615", Numbers(uint64: .max, double: 0x1p64)),
        ("18446744073709551616", Numbers(double: 0x1p64)),
        ("1e400", Numbers()), ("-1.5e999999999999", Numbers()),
        ("1e-400", Numbers(double: 0, thousandths: 0)),
        ("0e999999", Numbers(double: 0, thousandths: 0)),
        ("5e-324", Numbers(double: .leastNonzeroMagnitude, thousandths: 0)),
        ("1.7976931348623157e308", Numbers(double: 1.7976931348623157e308)),
    ])
    func readsNumbersExactly(_ text: String, _ expected: Numbers) throws {
        let found = try numbers(text)
        #expect(found == expected, "\(text)")
    }

    @Test func hugeNumbersKeepTheirText() throws {
        let digits = String(repeating: "1234567890", count: 1000)
        #expect(try parse(digits) == .number(digits))
        #expect(try numbers(digits) == Numbers())
        let small = "0." + String(repeating: "0", count: 5000) + "1"
        #expect(try numbers(small).double == 0)
        #expect(try numbers(small).thousandths == 0)
    }

    @Test func otherKindsAreNotNumbers() throws {
        for text in ["\"1\"", "true", "null", "[]", "{}"] {
            #expect(try numbers(text) == Numbers())
        }
    }

    @Test func booleans() throws {
        var parser = JSONParser()
        let bytes = Array("[true,false,1,null]".utf8)
        let document = try parser.parse(bytes.span)
        var elements = document.root.elements
        #expect(elements.next()?.asBool == true)
        #expect(elements.next()?.asBool == false)
        #expect(elements.next()?.asBool == nil)
        #expect(elements.next()?.isNull == true)
    }
}
