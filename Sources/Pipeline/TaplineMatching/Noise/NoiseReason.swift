// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Why a value differs between two runs of the same program.
package enum NoiseReason: String, Sendable, CaseIterable {
    /// Times, in a common notation or as seconds, milliseconds and so on since 1970.
    case time
    /// Identifiers: UUIDs, hexadecimal strings, and such strings after a prefix.
    case id
    /// Long texts of letters and digits, such as tokens.
    case random
    /// Elements of an array in another order.
    case order
    /// Integers.
    case counter
    /// Anything else.
    case other

    /// Whether the shape of the values alone shows that they vary by themselves.
    ///
    /// An integer or a word may have changed because of another request.
    package var isCertain: Bool {
        switch self {
        case .time, .id, .random, .order: true
        case .counter, .other: false
        }
    }

    /// Classifies a difference by the shape of both values.
    package init(_ difference: FoundDifference) {
        let (left, right) = (difference.recorded, difference.found)
        switch difference.kind {
        case .order: self = .order
        case .changed where left.kind == .string || left.kind == .number:
            self = Self.reason(left.bytes.span, right.bytes.span)
        default: self = .other
        }
    }

    private static func reason(_ left: Span<UInt8>, _ right: Span<UInt8>) -> NoiseReason {
        if isTime(left), isTime(right) { return .time }
        if isInteger(left), isInteger(right) { return .counter }
        if isIdentifier(left), isIdentifier(right) { return .id }
        // A path may look like base64, which has slashes, too.
        let isPath = !left.isEmpty && left[0] == .ascii("/")
        if !isPath, isToken(left), isToken(right) { return .random }
        return textWithTokens(left, right)
    }

    // MARK: Shapes

    private static func isInteger(_ text: Span<UInt8>) -> Bool {
        guard 1...20 ~= text.count else { return false }
        for index in text.indices where !text[index].isDigit {
            if index > 0 || text[index] != .ascii("-") || text.count == 1 { return false }
        }
        return true
    }

    private static func isTime(_ text: Span<UInt8>) -> Bool {
        if Timestamp(rfc3339: text) != nil || isDate(text) { return true }
        return isEpoch(text) || isHTTPDate(text)
    }

    /// Whether a text is a date, or a local time such as `2026-11-26T22:30:00.5` without an offset.
    private static func isDate(_ text: Span<UInt8>) -> Bool {
        guard text.count == 10 || text.count >= 16 && text.count <= 40,
            text[4] == .ascii("-"), text[7] == .ascii("-"),
            text.extracting(0..<4).decimal != nil, text.extracting(5..<7).decimal != nil,
            text.extracting(8..<10).decimal != nil
        else { return false }
        return text.count == 10 || text[13] == .ascii(":")
    }

    /// Whether a number is a time from 2001 to 2100 in seconds or a thousandth, a millionth or a
    /// billionth of them, with or without a fraction.
    private static func isEpoch(_ text: Span<UInt8>) -> Bool {
        let point = text.firstIndex(of: .ascii(".")) ?? text.count
        guard [10, 13, 16, 19].contains(point), point > 0,
            let seconds = text.extracting(0..<10).decimal,
            1_000_000_000..<4_102_444_800 ~= seconds
        else { return false }
        for index in text.indices where index != point && !text[index].isDigit { return false }
        return true
    }

    /// Whether a text has the form of an HTTP date (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func isHTTPDate(_ text: Span<UInt8>) -> Bool {
        text.count == 29 && text[3] == .ascii(",") && text[19] == .ascii(":")
            && text[22] == .ascii(":") && text.extracting(5..<7).decimal != nil
            && text.extracting(12..<16).decimal != nil
    }

    /// Whether a text is a UUID or a hexadecimal string, also after a prefix such as `ord_`.
    private static func isIdentifier(_ text: Span<UInt8>) -> Bool {
        if PathTemplate.isVariable(text) { return text.count >= 8 }
        guard text.count <= 64 else { return false }
        var start = 0
        for index in text.indices {
            switch text[index] {
            case .ascii("_"), .ascii("-"), .ascii(":"): start = index + 1
            case let byte where byte.isDigit || byte.isLetter: break
            default: return false
            }
        }
        let rest = text.extracting(start..<text.count)
        return start > 0 && rest.count >= 6 && hasDigit(rest)
    }

    private static func hasDigit(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index].isDigit { return true }
        return false
    }

    /// Whether a text is one long word of mixed letters and digits, as tokens in base64 are.
    private static func isToken(_ text: Span<UInt8>) -> Bool {
        guard text.count >= 12 else { return false }
        var changes = 0
        var last = 0
        for index in text.indices {
            let kind: Int
            switch text[index] {
            case .ascii("-"), .ascii("_"), .ascii("."), .ascii("+"), .ascii("/"), .ascii("="),
                .ascii("~"):
                continue
            case 0x30...0x39: kind = 1
            case 0x41...0x5A: kind = 2
            case 0x61...0x7A: kind = 3
            default: return false
            }
            if last != 0, kind != last { changes += 1 }
            last = kind
        }
        return changes >= 4
    }

    /// The reason why two texts differ if all their words but such ones are equal, as in the path
    /// of a `Location` field or in a sentence with a time.
    private static func textWithTokens(_ left: Span<UInt8>, _ right: Span<UInt8>) -> NoiseReason {
        var found: NoiseReason = .other
        var (leftStart, rightStart) = (0, 0)
        while leftStart < left.count, rightStart < right.count {
            let leftEnd = wordEnd(left, leftStart)
            let rightEnd = wordEnd(right, rightStart)
            let first = left.extracting(leftStart..<leftEnd)
            let second = right.extracting(rightStart..<rightEnd)
            if !first.equals(second) {
                let reason = wordReason(first, second)
                guard reason != .other else { return .other }
                found = reason
            }
            leftStart = leftEnd + 1
            rightStart = rightEnd + 1
        }
        return leftStart >= left.count && rightStart >= right.count ? found : .other
    }

    private static func wordReason(_ left: Span<UInt8>, _ right: Span<UInt8>) -> NoiseReason {
        if isTime(left), isTime(right) { return .time }
        if isIdentifier(left), isIdentifier(right) { return .id }
        return isToken(left) && isToken(right) ? .random : .other
    }

    private static func wordEnd(_ text: Span<UInt8>, _ start: Int) -> Int {
        var end = start
        while end < text.count {
            switch text[end] {
            case .ascii("/"), .ascii("?"), .ascii("&"), .ascii("="), .ascii(" "), .ascii(","),
                .ascii(";"), .ascii("\""), .ascii("<"), .ascii(">"):
                return end
            default: end += 1
            }
        }
        return end
    }
}
