// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Colours of terminals (ECMA-48 §8.3.117), which logs set around names: `ESC [ 1 ; 32 m`.
extension TextEditor {
    /// Where the sequence begins that ends before a place; `nil` if none does.
    static func colorBefore(_ end: Int, from start: Int, _ text: Span<UInt8>) -> Int? {
        guard end > start + 2, text[end - 1] == .ascii("m") else { return nil }
        let open = beforeNumbers(end - 1, from: start, text)
        guard open > start + 1, text[open - 1] == .ascii("["), text[open - 2] == 0x1B else {
            return nil
        }
        return open - 2
    }

    /// Where a name begins whose first bytes are the end of a sequence: its bracket, or the numbers after
    /// one of its semicolons.
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
