// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Terminal colors (ECMA-48 §8.3.117) around names in logs: `ESC [ 1 ; 32 m`.
extension TextEditor {
    /// Returns where the sequence that ends before a position begins; `nil` if there is none.
    static func colorBefore(_ end: Int, from start: Int, _ text: Span<UInt8>) -> Int? {
        guard end > start + 2, text[end - 1] == .ascii("m") else { return nil }
        let open = beforeNumbers(end - 1, from: start, text)
        guard open > start + 1, text[open - 1] == .ascii("["), text[open - 2] == 0x1B else {
            return nil
        }
        return open - 2
    }

    /// Returns where a name begins after the end of a sequence at its beginning: the bracket, or
    /// the numbers after a semicolon.
    static func nameAfterColor(_ name: Range<Int>, _ text: Span<UInt8>) -> Int {
        var end = name.lowerBound
        if text[end] == .ascii("[") { end += 1 }
        while end < name.upperBound, text[end].isDigit { end += 1 }
        guard end < name.upperBound, text[end] == .ascii("m"),
            colorBefore(end + 1, from: 0, text) != nil
        else { return name.lowerBound }
        return end + 1
    }

    private static func beforeNumbers(_ end: Int, from start: Int, _ text: Span<UInt8>) -> Int {
        var place = end
        while place > start, text[place - 1].isDigit || text[place - 1] == .ascii(";") {
            place -= 1
        }
        return place
    }
}
