// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The tokens of JSON (RFC 8259), read from arbitrary bytes.
enum JSONText {
    /// Prefixes that prevent browsers from running JSON as a script.
    static let guards = [")]}',", ")]}'", "for (;;);", "for(;;);", "while(1);", "while (1);"]

    /// Returns where the JSON begins: after a byte order mark, comments, and prefixes that prevent
    /// browsers from running it as a script, such as `)]}'` and `for (;;);`.
    static func start(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        var start = range.lowerBound
        if range.count >= 3, bytes[start] == 0xEF, bytes[start + 1] == 0xBB,
            bytes[start + 2] == 0xBF
        {
            start += 3
        }
        guard let first = nextByte(bytes, start, range.upperBound), mayGuard(first.byte) else {
            return start
        }
        start = first.position
        let rest = bytes.extracting(start..<range.upperBound)
        for text in guards where rest.starts(with: text) {
            start += text.utf8.count
            break
        }
        while let end = endOfComment(bytes, start, range.upperBound) { start = end }
        return start
    }

    private static func mayGuard(_ byte: UInt8) -> Bool {
        byte == .ascii(")") || byte == .ascii("f") || byte == .ascii("w") || byte == .ascii("/")
    }

    /// Returns the end of a comment that begins after blanks; `nil` if there is none.
    private static func endOfComment(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        guard let first = nextByte(bytes, start, end), first.byte == .ascii("/"),
            first.position + 1 < end
        else { return nil }
        var position = first.position + 2
        switch bytes[first.position + 1] {
        case .ascii("/"):
            while position < end, bytes[position] != 0x0A { position += 1 }
            return position
        case .ascii("*"):
            while position + 1 < end {
                if bytes[position] == .ascii("*"), bytes[position + 1] == .ascii("/") {
                    return position + 2
                }
                position += 1
            }
            return end
        default:
            return nil
        }
    }

    /// Whether a text is not JSON from its first byte on and not intended as JSON: a page, a
    /// sentence.
    static func isClearlyNotJSON(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = nextByte(bytes, start(bytes, range), range.upperBound) else {
            return false
        }
        switch first.byte {
        case .ascii("{"), .ascii("["), .ascii("\""): return false
        default:
            guard let end = endOfScalar(bytes, first.position, range.upperBound) else {
                return true
            }
            guard let next = nextByte(bytes, end, range.upperBound) else { return false }
            // Several values may follow each other.
            switch next.byte {
            case .ascii("{"), .ascii("["), .ascii("\""), 0x1E: return false
            default: return endOfScalar(bytes, next.position, range.upperBound) == nil
            }
        }
    }

    /// Whether a text without a conclusive type should be read as JSON.
    ///
    /// Logs begin with `[` too, so the following bytes decide.
    static func isLikely(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        guard let first = nextByte(bytes, start(bytes, range), range.upperBound) else {
            return false
        }
        let second = nextByte(bytes, first.position + 1, range.upperBound)
        switch (first.byte, second?.byte) {
        case (.ascii("{"), nil), (.ascii("["), nil): return true
        case (.ascii("{"), .ascii("\"")?), (.ascii("{"), .ascii("}")?): return true
        case (.ascii("["), .ascii("\"")?), (.ascii("["), .ascii("{")?): return true
        case (.ascii("["), .ascii("[")?), (.ascii("["), .ascii("]")?): return true
        default: return false
        }
    }

    /// Whether the first byte that is not blank opens an object or an array.
    static func opensContainer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        let first = nextByte(bytes, start(bytes, range), range.upperBound)?.byte
        return first == .ascii("{") || first == .ascii("[")
    }

    private static func nextByte(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> (byte: UInt8, position: Int)? {
        var position = start
        while position < end {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09, 0x1E: position += 1
            default: return (bytes[position], position)
            }
        }
        return nil
    }

    /// Returns the position after the closing quote of a string, and whether the string has
    /// escapes; `nil` if it is unterminated.
    static func endOfString(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int
    ) -> (end: Int, isEscaped: Bool)? {
        let text = bytes.extracting(0..<end)
        var position = start + 1
        var isEscaped = false
        while position < end {
            position = text.nextQuote(from: position)
            guard position < end else { return nil }
            if text[position] == .ascii("\"") { return (position + 1, isEscaped) }
            isEscaped = true
            position += 2
        }
        return nil
    }

    /// Returns where a number or a word ends; `nil` if neither begins.
    @inline(__always)
    static func endOfScalar(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        guard start < end else { return nil }
        if start <= end - 9 {
            // Most numbers have only a few digits.
            let digits = bytes.digits(from: start)
            if digits > 0, endsNumber(bytes[start + digits]) { return start + digits }
        }
        return endOfOtherScalar(bytes, start, end)
    }

    /// Whether a byte may follow a number in JSON.
    private static func endsNumber(_ byte: UInt8) -> Bool {
        byte == .ascii(",") || byte == .ascii("]") || byte == .ascii("}") || byte <= 0x20
    }

    private static func endOfOtherScalar(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        let text = bytes.extracting(start..<end)
        switch text[0] {
        case .ascii("t"): return text.begins(with: "true") ? start + 4 : nil
        case .ascii("f"): return text.begins(with: "false") ? start + 5 : nil
        case .ascii("n"): return text.begins(with: "null") ? start + 4 : nil
        default: break
        }
        let numberEnd = bytes.extracting(0..<end).nextNoNumber(from: start)
        if numberEnd > start + 1 || (numberEnd > start && bytes[start].isDigit) { return numberEnd }
        // These are not JSON, but Python and JavaScript libraries write them.
        if text.begins(with: "NaN") { return start + 3 }
        if text.begins(with: "Infinity") { return start + 8 }
        return text.begins(with: "-Infinity") ? start + 9 : nil
    }
}

// MARK: - Escapes

extension JSONText {
    /// Appends a text, escaped for a JSON string (RFC 8259 §7).
    static func encode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        var start = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x20 || byte == .ascii("\"") || byte == .ascii("\\") else { continue }
            output.append(copying: bytes.extracting(start..<index))
            start = index + 1
            if byte < 0x20 {
                output.append(contentsOf: "\\u00".utf8)
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 0xF)])
            } else {
                output.append(.ascii("\\"))
                output.append(byte)
            }
        }
        output.append(copying: bytes.extracting(start...))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    /// Appends the unescaped content of a JSON string; invalid escapes stay unchanged.
    static func decode(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            guard byte == .ascii("\\"), position + 1 < bytes.count else {
                let end = bytes.firstIndex(of: .ascii("\\"), from: position + 1) ?? bytes.count
                output.append(copying: bytes.extracting(position..<end))
                position = end
                continue
            }
            if let plain = escape(bytes[position + 1]) {
                output.append(plain)
                position += 2
            } else if let (scalar, length) = unicodeEscape(bytes, position) {
                output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                position += length
            } else {
                output.append(byte)
                position += 1
            }
        }
    }

    private static func escape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case .ascii("\""), .ascii("\\"), .ascii("/"): byte
        case .ascii("b"): 0x08
        case .ascii("f"): 0x0C
        case .ascii("n"): 0x0A
        case .ascii("r"): 0x0D
        case .ascii("t"): 0x09
        default: nil
        }
    }

    /// Decodes `\u0041`, or a surrogate pair for a character beyond the Basic Multilingual Plane.
    private static func unicodeEscape(
        _ bytes: Span<UInt8>,
        _ start: Int
    ) -> (scalar: Unicode.Scalar, length: Int)? {
        guard let first = codeUnit(bytes, start) else { return nil }
        if 0xD800...0xDBFF ~= first, let second = codeUnit(bytes, start + 6),
            0xDC00...0xDFFF ~= second
        {
            let value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
            return Unicode.Scalar(value).map { ($0, 12) }
        }
        return Unicode.Scalar(first).map { ($0, 6) }
    }

    private static func codeUnit(_ bytes: Span<UInt8>, _ start: Int) -> UInt32? {
        guard start + 6 <= bytes.count, bytes[start] == .ascii("\\"),
            bytes[start + 1] == .ascii("u")
        else { return nil }
        var value: UInt32 = 0
        for index in start + 2..<start + 6 {
            guard let digit = bytes[index].hexDigit else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
