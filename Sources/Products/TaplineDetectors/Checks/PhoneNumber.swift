// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Phone numbers with a country code (ITU-T E.164) or in North American groups.
enum PhoneNumber {
    /// Returns the number whose first digit is at a position.
    static func range(in text: Span<UInt8>, from digit: Int) -> Range<Int>? {
        let before = text.byte(digit - 1)
        if before == 0x2B {
            guard text[digit] != 0x30, !ByteSet.word.contains(text.byte(digit - 2)) else {
                return nil
            }
            return international(in: text, from: digit)
        }
        let isOpen = before == 0x28
        let start = isOpen ? digit - 1 : digit
        guard text.isWordStart(start), before != 0x2E, before != 0x2D, before != 0x2F else {
            return nil
        }
        return american(in: text, start: start, digit: digit, isOpen: isOpen)
    }

    /// Reads 8 to 15 digits with at most two separators between two digits.
    private static func international(in text: Span<UInt8>, from digit: Int) -> Range<Int>? {
        var count = 0
        var gap = 0
        var end = digit
        var position = digit
        while position < text.count, count < 16 {
            if text[position].isDigit {
                count += 1
                gap = 0
                end = position + 1
            } else if ByteSet.separators.contains(text[position]), gap < 2 {
                gap += 1
            } else {
                break
            }
            position += 1
        }
        let isNumber = 8...15 ~= count && !ByteSet.word.contains(text.byte(end))
        return isNumber ? digit - 1..<end : nil
    }

    /// Reads `(212) 555-0100`, `212-555-0100`, `212.555.0100` or `212 555 0100`.
    private static func american(
        in text: Span<UInt8>,
        start: Int,
        digit: Int,
        isOpen: Bool
    ) -> Range<Int>? {
        guard 0x32...0x39 ~= text[digit], text.end(of: .digits, from: digit, limit: 4) == digit + 3
        else { return nil }
        var position = digit + 3
        var separator = text.byte(position)
        if isOpen {
            guard separator == 0x29 else { return nil }
            position += 1
            if text.byte(position) == 0x20 { position += 1 }
        } else {
            guard ByteSet.separators.contains(separator) else { return nil }
            position += 1
        }
        guard text.end(of: .digits, from: position, limit: 4) == position + 3 else { return nil }
        position += 3
        if isOpen { separator = text.byte(position) == 0x2E ? 0x2E : 0x2D }
        guard text.byte(position) == separator,
            text.end(of: .digits, from: position + 1, limit: 5) == position + 5
        else { return nil }
        let end = position + 5
        return ByteSet.word.contains(text.byte(end)) ? nil : start..<end
    }
}

extension ByteSet {
    fileprivate static let separators = ByteSet(" .()/-") { byte in
        byte == 0x20 || byte == 0x2E || byte == 0x28 || byte == 0x29 || byte == 0x2F || byte == 0x2D
    }
}
