// SPDX-License-Identifier: MIT

import TaplineJSON
import TestSupport
import Testing

@Suite struct JSONTextTests {
    /// Escapes with the minimum documented room plus `extra` bytes.
    private func escape(_ text: String, extra: Int) -> String {
        let isWholeASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let text = text.utf8.span
        var output: [UInt8] = []
        var position = 0
        while position < text.count {
            let capacity = text.count - position + JSONText.slack + extra
            var room = [UInt8](repeating: 0xFF, count: capacity)
            let start = position
            let count = unsafe room.withUnsafeMutableBufferPointer { room -> Int in
                guard let base = room.baseAddress else { return 0 }
                let (count, isASCII) = unsafe JSONText.escape(
                    text,
                    from: &position,
                    to: base,
                    capacity: capacity
                )
                if isASCII {
                    for index in start..<position { #expect(text[index] < 0x80) }
                } else {
                    #expect(!isWholeASCII)
                }
                return count
            }
            #expect(count <= capacity && position > start)
            guard position > start else { break }
            output += room[..<count]
        }
        return String(decoding: output, as: UTF8.self)
    }

    @Test(arguments: [
        ("", ""), ("abc", "abc"), ("abcdefgh", "abcdefgh"), ("\"\\", #"\"\\"#),
        ("\u{8}\u{C}\n\r\t", #"\b\f\n\r\t"#), ("\u{0}\u{1F}\u{7F}", "\\u0000\\u001f\u{7F}"),
        ("é\u{1F600}", "é\u{1F600}"), ("1234567\"", #"1234567\""#),
        ("12345678\"9", #"12345678\"9"#),
    ])
    func textsAreEscaped(text: String, expected: String) {
        for extra in [0, 1, 7, 1000] { #expect(escape(text, extra: extra) == expected) }
    }

    @Test func bytesAreEscapedAtEveryPosition() {
        for length in 1..<20 {
            for place in 0..<length {
                for (letter, expected) in [
                    ("\"", "\\\""), ("\u{1F}", "\\u001f"), ("é", "é"), ("x", "x"),
                ] {
                    let (before, after) = (
                        "abcdefghijklmnopqrst".prefix(place),
                        "123456789012345678901".prefix(length - place - 1)
                    )
                    for extra in [0, 100] {
                        #expect(
                            escape(before + letter + after, extra: extra) == before + expected
                                + after
                        )
                    }
                }
            }
        }
    }

    @Test func minimalRoomIsEnough() {
        for count in 0..<70 {
            let text = String(repeating: "\u{1}", count: count) + "plain"
            let expected = String(repeating: "\\u0001", count: count) + "plain"
            #expect(escape(text, extra: 0) == expected)
        }
    }

    private func number(_ value: Int64) -> String {
        var room = [UInt8](repeating: 0xFF, count: JSONText.numberCapacity)
        let count = unsafe room.withUnsafeMutableBufferPointer { room -> Int in
            guard let base = room.baseAddress else { return 0 }
            return unsafe JSONText.write(value, to: base)
        }
        return String(decoding: room[..<count], as: UTF8.self)
    }

    private func number(_ value: Double) -> String {
        var room = [UInt8](repeating: 0xFF, count: JSONText.numberCapacity)
        let count = unsafe room.withUnsafeMutableBufferPointer { room -> Int in
            guard let base = room.baseAddress else { return 0 }
            return unsafe JSONText.write(value, to: base)
        }
        return String(decoding: room[..<count], as: UTF8.self)
    }

    @Test(arguments: [0, 1, -1, 9, 10, -10, 99, 100, 1_000_000_007, .max, .min] as [Int64])
    func integersAreWritten(value: Int64) {
        #expect(number(value) == String(value))
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "-0"), (1, "1"), (1.5, "1.5"), (-0.001, "-0.001"), (0.0001, "1e-04"),
            (12.345, "12.345"), (0.1 + 0.2, "0.30000000000000004"), (1e12 + 0.5, "1000000000000.5"),
            (999_999_999_999.999, "999999999999.999"), (1e22, "1e+22"),
            (.leastNonzeroMagnitude, "5e-324"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"), (100.01, "100.01"),
        ] as [(Double, String)]
    )
    func doublesAreWritten(value: Double, text: String) {
        #expect(number(value) == text)
    }

    /// The fast path for three decimals gives the shortest text too.
    @Test func thousandthsAreShortest() {
        var random = Random(seed: 7)
        for _ in 0..<20_000 {
            let value =
                Double(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 1000
            let text = number(value)
            let expected = value.description.replacing(#/\.0$/#, with: "")
            #expect(text == expected)
            if text != expected { return }
        }
    }
}
