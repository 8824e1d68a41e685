// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Splits a filter's text into tokens.
struct Lexer {
    let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Returns the next token; at the end of the text, `end` for every call.
    mutating func next() throws(FilterError) -> Token {
        while let byte = peek(), byte.isBlank || byte == 0x0A || byte == 0x0D { position += 1 }
        let start = position
        guard let byte = peek() else { return Token(kind: .end, range: start..<start) }
        if Lexer.beginsWord(byte) {
            while let byte = peek(), Lexer.continuesWord(byte) { position += 1 }
            return Token(kind: .word, range: start..<position)
        }
        if 0x30...0x39 ~= byte || byte == .ascii("-") { return try number() }
        if byte == .ascii("\"") { return try string() }
        return try symbol(byte)
    }

    /// Skips white space and a sign after `now`; returns 1 or -1, or `nil` if there is no sign.
    mutating func sign() -> Int64? {
        var next = position
        while next < bytes.count, bytes[next].isBlank || bytes[next] == 0x0A || bytes[next] == 0x0D
        {
            next += 1
        }
        guard next < bytes.count, bytes[next] == .ascii("-") || bytes[next] == .ascii("+") else {
            return nil
        }
        position = next + 1
        return bytes[next] == .ascii("-") ? -1 : 1
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        position + ahead < bytes.count ? bytes[position + ahead] : nil
    }

    private static func beginsWord(_ byte: UInt8) -> Bool {
        0x61...0x7A ~= byte.asciiLowercased || byte == .ascii("_")
    }

    private static func continuesWord(_ byte: UInt8) -> Bool {
        beginsWord(byte) || 0x30...0x39 ~= byte || byte == .ascii(".")
    }

    /// Returns the length of the UTF-8 sequence that a byte begins, so that messages quote it
    /// whole.
    private func characterLength(_ byte: UInt8) -> Int {
        let length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
        return min(length, bytes.count - position)
    }

    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }
}

// MARK: - Symbols and numbers

extension Lexer {
    private mutating func symbol(_ byte: UInt8) throws(FilterError) -> Token {
        let start = position
        let second = peek(1)
        switch byte {
        case .ascii("("), .ascii(")"), .ascii("["), .ascii("]"), .ascii(","), .ascii("~"):
            position += 1
        case .ascii("="), .ascii("!"), .ascii("<"), .ascii(">"):
            position += second == .ascii("=") ? 2 : 1
        default:
            throw unexpected(byte, second)
        }
        let range = start..<position
        switch text(range) {
        case "=":
            throw FilterError(range, "unknown operator '='", help: "write '==' to compare")
        case "!":
            throw FilterError(range, "unknown operator '!'", help: "write 'not'")
        default:
            return Token(kind: .symbol, range: range)
        }
    }

    private func unexpected(_ byte: UInt8, _ second: UInt8?) -> FilterError {
        let isDoubled = second == byte
        let range = position..<position + (isDoubled && byte < 0x80 ? 2 : characterLength(byte))
        let found = text(range)
        switch found {
        case "&&", "&":
            return FilterError(range, "unknown operator '\(found)'", help: "write 'and'")
        case "||", "|":
            return FilterError(range, "unknown operator '\(found)'", help: "write 'or'")
        case "'", "''":
            let quote = position..<position + 1
            return FilterError(
                quote,
                "unexpected single quote",
                help: "write strings in double quotes"
            )
        default:
            let single = position..<position + characterLength(byte)
            guard byte >= 0x20, byte != 0x7F else {
                return FilterError(single, "unexpected control character")
            }
            return FilterError(single, "unexpected character '\(text(single))'")
        }
    }

    private mutating func skipDigits() -> Bool {
        let start = position
        while let byte = peek(), 0x30...0x39 ~= byte { position += 1 }
        return position > start
    }

    /// Reads a number in JSON notation, and the letters of its unit.
    private mutating func number() throws(FilterError) -> Token {
        let start = position
        if peek() == .ascii("-") { position += 1 }
        guard skipDigits() else {
            throw FilterError(start..<position, "unexpected '-'; expected a number after it")
        }
        if peek() == .ascii("."), let digit = peek(1), 0x30...0x39 ~= digit {
            position += 1
            _ = skipDigits()
        }
        if peek()?.asciiLowercased == .ascii("e") {
            let hasSign = peek(1) == .ascii("-") || peek(1) == .ascii("+")
            if let digit = peek(hasSign ? 2 : 1), 0x30...0x39 ~= digit {
                position += hasSign ? 2 : 1
                _ = skipDigits()
            }
        }
        let unit = position
        // The micro sign of `µs` is two bytes; no other non-ASCII letter occurs in a unit.
        while let byte = peek(), Lexer.continuesWord(byte) || byte >= 0x80 { position += 1 }
        return Token(kind: .number(unit: unit..<position), range: start..<position)
    }
}

// MARK: - Strings

extension Lexer {
    /// Reads a string with JSON escapes (RFC 8259 §7).
    private mutating func string() throws(FilterError) -> Token {
        let start = position
        position += 1
        var output: [UInt8] = []
        var isExact = true
        while let byte = peek() {
            switch byte {
            case .ascii("\""):
                position += 1
                return Token(kind: .text(output, exact: isExact), range: start..<position)
            case .ascii("\\"):
                isExact = false
                try escape(into: &output)
            case 0..<0x20:
                throw FilterError(
                    position..<position + 1,
                    "control character in a string",
                    help: "write it as an escape, such as \\n"
                )
            default:
                output.append(byte)
                position += 1
            }
        }
        throw FilterError(start..<position, "unterminated string; expected '\"'")
    }

    private mutating func escape(into output: inout [UInt8]) throws(FilterError) {
        let start = position
        position += 2
        switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
        case .ascii("\""): output.append(.ascii("\""))
        case .ascii("\\"): output.append(.ascii("\\"))
        case .ascii("/"): output.append(.ascii("/"))
        case .ascii("b"): output.append(0x08)
        case .ascii("f"): output.append(0x0C)
        case .ascii("n"): output.append(0x0A)
        case .ascii("r"): output.append(0x0D)
        case .ascii("t"): output.append(0x09)
        case .ascii("u"): try unicodeEscape(from: start, into: &output)
        default:
            position = start + 1
            let length = peek().map(characterLength) ?? 0
            let range = start..<start + 1 + length
            throw FilterError(
                range,
                "unknown escape '\(text(range))' in a string",
                help: "for a backslash, write '\\\\'"
            )
        }
    }

    /// Reads `\u` with four digits, or two such escapes for a character beyond the first plane.
    private mutating func unicodeEscape(
        from start: Int,
        into output: inout [UInt8]
    ) throws(FilterError) {
        guard let first = fourDigits() else {
            let range = start..<min(position, bytes.count)
            throw FilterError(range, "bad escape; expected four hexadecimal digits after '\\u'")
        }
        var value = first
        if 0xD800...0xDBFF ~= first, peek() == .ascii("\\"), peek(1) == .ascii("u") {
            position += 2
            if let second = fourDigits(), 0xDC00...0xDFFF ~= second {
                value = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
            }
        }
        guard let scalar = Unicode.Scalar(value) else {
            let range = start..<min(position, bytes.count)
            throw FilterError(range, "bad escape; expected both halves of a surrogate pair")
        }
        output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private mutating func fourDigits() -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek()?.hexDigit else { return nil }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }
}
