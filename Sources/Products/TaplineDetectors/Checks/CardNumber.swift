// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Payment card numbers (ISO/IEC 7812): issuer, length and check digit must agree.
enum CardNumber {
    /// Returns the number that begins with a run of digits.
    ///
    /// The number is in one piece or in the groups printed on cards. A separator is a blank (also
    /// U+00A0 and similar characters), a dash, a point or a plus sign (a space in form data).
    ///
    /// In one piece, numbers of 13 and of 17 to 19 digits count only near the name of a card (see
    /// ``CardContext``): article codes (GTIN-13) and identifiers have the same length, and one in
    /// ten of them has a valid check digit.
    static func range(in text: Span<UInt8>, from start: Int) -> Range<Int>? {
        // The first digit rules out most numbers.
        guard 0x32...0x39 ~= text[start], text.isWordStart(start), !isTail(text, start),
            let end = end(in: text, from: start), !ByteSet.word.contains(text.byte(end))
        else { return nil }
        let next = text.byte(end)
        if next == 0x2E || next == 0x2D, text.byte(end + 1).isDigit { return nil }
        let number = text.extracting(start..<end)
        guard isCard(number) else { return nil }
        let count = end - start
        let isDoubtful =
            (count == 13 || count > 16) && text.end(of: .digits, from: start) == end
        return !isDoubtful || CardContext.isCard(text, before: start) ? start..<end : nil
    }

    /// Returns whether the digits continue a number or an identifier that begins before them.
    @inline(__always)
    private static func isTail(_ text: Span<UInt8>, _ start: Int) -> Bool {
        let sign = text.byte(start - 1)
        guard 0x2C...0x2E ~= sign else { return false }
        let before = text.byte(start - 2)
        switch sign {
        // A fraction may have no digit before its point (`x*.4111`). A point after a word ends the
        // word (`No.4111`).
        case 0x2E: return before.isDigit || before != 0x2E && !ByteSet.word.contains(before)
        // `ca-pub-` and 16 digits identify a Google AdSense publisher.
        case 0x2D: return before.isDigit || before == 0x62 && text.hasBytes("pub-", at: start - 4)
        default: return before.isDigit
        }
    }

    private static func end(in text: Span<UInt8>, from start: Int) -> Int? {
        let first = text.end(of: .digits, from: start, limit: 20)
        if first - start >= 12 { return first - start <= 19 ? first : nil }
        guard first - start == 4 else { return nil }
        let separator = text.byte(first)
        let width = separatorWidth(at: first, in: text)
        guard width > 0 else { return nil }
        var position = first
        // The sizes of the groups, one decimal digit each.
        var groups = 4
        while groups < 10_000, text.byte(position) == separator,
            separatorWidth(at: position, in: text) == width
        {
            let end = text.end(of: .digits, from: position + width, limit: 7)
            let size = end - position - width
            // After a complete number and a blank, further digits are something else, such as a
            // date.
            if groups == 4444, size != 3 || separator == 0x2D { break }
            guard 3...6 ~= size else { break }
            groups = groups * 10 + size
            position = end
            if groups == 465 || groups == 464 { break }
        }
        let isCard = groups == 4444 || groups == 44443 || groups == 465 || groups == 464
        return isCard ? position : nil
    }

    /// Returns the length in bytes of the group separator at a position; zero if there is none.
    static func separatorWidth(at position: Int, in text: Span<UInt8>) -> Int {
        switch text.byte(position) {
        case 0x20, 0x2B, 0x2D, 0x2E: 1
        // U+00A0, no-break space.
        case 0xC2: text.byte(position + 1) == 0xA0 ? 2 : 0
        // U+2000 to U+200A, U+2010 to U+2015, U+202F: spaces of various widths, and dashes.
        case 0xE2 where text.byte(position + 1) == 0x80:
            switch text.byte(position + 2) {
            case 0x80...0x8A, 0x90...0x95, 0xAF: 3
            default: 0
            }
        default: 0
        }
    }

    /// Returns whether digits, possibly with separators, are a card number.
    static func isCard(_ text: Span<UInt8>) -> Bool {
        var digits = InlineArray<19, UInt8>(repeating: 0)
        var count = 0
        var isOneDigit = true
        for index in text.indices where text[index].isDigit {
            guard count < 19 else { return false }
            digits[count] = text[index] - 0x30
            if digits[count] != digits[0] { isOneDigit = false }
            count += 1
        }
        guard count >= 12, !isOneDigit, isIssued(digits, count) else { return false }
        // ISO/IEC 7812-1 annex B: every second digit from the right is doubled.
        var sum = 0
        for index in 0..<count {
            let digit = Int(digits[index])
            let isDoubled = (count - index).isMultiple(of: 2)
            sum += isDoubled ? (digit < 5 ? digit * 2 : digit * 2 - 9) : digit
        }
        return sum.isMultiple(of: 10)
    }

    /// The first four digits of issuers, and the lengths of their numbers.
    private static let issuers: [(ClosedRange<Int>, Set<Int>)] = [
        (2200...2204, [16, 17, 18, 19]), (2221...2720, [16]), (3000...3059, [14]),
        (3090...3099, [14]), (3400...3499, [15]), (3528...3589, [16, 17, 18, 19]),
        (3600...3699, [14, 15, 16, 17, 18, 19]), (3700...3799, [15]), (3800...3999, [14, 16]),
        (4000...4999, [13, 16, 18, 19]), (5018...5018, [12, 13, 14, 15, 16, 17, 18, 19]),
        (5020...5020, [12, 13, 14, 15, 16, 17, 18, 19]),
        (5038...5038, [12, 13, 14, 15, 16, 17, 18, 19]), (5080...5089, [16]), (5100...5599, [16]),
        (5893...5893, [12, 13, 14, 15, 16, 17, 18, 19]), (6011...6011, [16, 17, 18, 19]),
        (6200...6299, [16, 17, 18, 19]), (6304...6304, [12, 13, 14, 15, 16, 17, 18, 19]),
        (6440...6599, [16, 17, 18, 19]), (6759...6763, [12, 13, 14, 15, 16, 17, 18, 19]),
        (8100...8199, [16]), (9792...9792, [16]),
    ]

    private static func isIssued(_ digits: InlineArray<19, UInt8>, _ count: Int) -> Bool {
        var head = 0
        for index in 0..<4 { head = head * 10 + Int(digits[index]) }
        return issuers.contains { $0.contains(head) && $1.contains(count) }
    }
}
