// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Splits a script into tokens, as Lua does (reference manual of Lua 5.4, §3.1).
struct LuaLexer {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private func peek(_ ahead: Int = 0) -> UInt8? {
        let index = position + ahead
        return index < bytes.count ? bytes[index] : nil
    }

    private mutating func skipLine() {
        while let byte = peek(), byte != .ascii("\n"), byte != .ascii("\r") { position += 1 }
    }

    /// Returns the next token; after the last one, always the end token.
    mutating func next() throws(LuaSyntaxError) -> LuaToken {
        try skipBlanks()
        let start = position
        guard let byte = peek() else { return LuaToken(kind: .end, range: start..<start) }
        if byte.isLuaNameStart { return name() }
        if byte.isLuaDigit || (byte == .ascii(".") && peek(1)?.isLuaDigit == true) {
            return try number()
        }
        if byte == .ascii("\"") || byte == .ascii("'") { return try shortString(byte) }
        if byte == .ascii("["), let level = longBracket() { return try longString(level) }
        return try symbol()
    }

    // MARK: Blanks

    private mutating func skipBlanks() throws(LuaSyntaxError) {
        while let byte = peek() {
            if byte == .ascii("-"), peek(1) == .ascii("-") {
                try skipComment()
            } else if byte == .ascii(" ") || (9...13).contains(byte) {
                position += 1
            } else {
                return
            }
        }
    }

    private mutating func skipComment() throws(LuaSyntaxError) {
        let start = position
        position += 2
        guard peek() == .ascii("["), let level = longBracket() else { return skipLine() }
        guard skipLong(level) != nil else {
            throw LuaSyntaxError(message: "comment is not closed", range: start..<start + 2)
        }
    }

    // MARK: Long brackets

    /// The number of equal signs of the long bracket at this position; `nil` if there is none.
    private func longBracket() -> Int? {
        var level = 0
        while peek(1 + level) == .ascii("=") { level += 1 }
        return peek(1 + level) == .ascii("[") ? level : nil
    }

    /// Skips a long bracket; returns the range of its content, or `nil` if it is not closed.
    private mutating func skipLong(_ level: Int) -> Range<Int>? {
        position += level + 2
        if peek() == .ascii("\r") || peek() == .ascii("\n") {
            let isPair = peek(1) == .ascii("\r") || peek(1) == .ascii("\n")
            position += isPair && peek() != peek(1) ? 2 : 1
        }
        let start = position
        while let byte = peek() {
            if byte == .ascii("]") {
                var count = 0
                while peek(1 + count) == .ascii("=") { count += 1 }
                if count == level, peek(1 + count) == .ascii("]") {
                    defer { position += level + 2 }
                    return start..<position
                }
                position += count
            }
            position += 1
        }
        return nil
    }

    private mutating func longString(_ level: Int) throws(LuaSyntaxError) -> LuaToken {
        let start = position
        guard let content = skipLong(level) else {
            throw LuaSyntaxError(message: "string is not closed", range: start..<start + level + 2)
        }
        return LuaToken(kind: .string, range: start..<position, text: text(content))
    }

    // MARK: Words

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private mutating func name() -> LuaToken {
        let start = position
        while peek()?.isLuaName == true { position += 1 }
        let word = text(start..<position)
        let kind = LuaToken.keywords.contains(word) ? LuaToken.Kind.symbol(word) : .name
        return LuaToken(kind: kind, range: start..<position, text: word)
    }

    /// Reads a number.
    ///
    /// Everything that starts like a number and continues with digits, letters, points and signs
    /// after an exponent must be a valid number as a whole.
    private mutating func number() throws(LuaSyntaxError) -> LuaToken {
        let start = position
        let isHex = peek() == .ascii("0") && peek(1)?.asciiLowercased == .ascii("x")
        if isHex { position += 2 }
        let exponent: UInt8 = isHex ? .ascii("p") : .ascii("e")
        while let byte = peek() {
            if byte.asciiLowercased == exponent {
                position += peek(1) == .ascii("+") || peek(1) == .ascii("-") ? 2 : 1
            } else if byte.isLuaName || byte == .ascii(".") {
                position += 1
            } else {
                break
            }
        }
        guard isNumber(start..<position, isHex) else {
            throw LuaSyntaxError(message: "malformed number", range: start..<position)
        }
        return LuaToken(kind: .number, range: start..<position)
    }

    private func isNumber(_ range: Range<Int>, _ isHex: Bool) -> Bool {
        var index = range.lowerBound + (isHex ? 2 : 0)
        func digits(_ hex: Bool) -> Int {
            let first = index
            while index < range.upperBound,
                hex ? bytes[index].hexDigit != nil : bytes[index].isLuaDigit
            { index += 1 }
            return index - first
        }
        var count = digits(isHex)
        if index < range.upperBound, bytes[index] == .ascii(".") {
            index += 1
            count += digits(isHex)
        }
        guard count > 0 else { return false }
        let exponent: UInt8 = isHex ? .ascii("p") : .ascii("e")
        if index < range.upperBound, bytes[index].asciiLowercased == exponent {
            index += 1
            if index < range.upperBound,
                bytes[index] == .ascii("+") || bytes[index] == .ascii("-")
            {
                index += 1
            }
            guard digits(false) > 0 else { return false }
        }
        return index == range.upperBound
    }

    // MARK: Strings

    private mutating func shortString(_ quote: UInt8) throws(LuaSyntaxError) -> LuaToken {
        let start = position
        var hasEscapes = false
        position += 1
        while let byte = peek() {
            switch byte {
            case quote:
                position += 1
                let content = hasEscapes ? "" : text(start + 1..<position - 1)
                return LuaToken(kind: .string, range: start..<position, text: content)
            case .ascii("\\"):
                hasEscapes = true
                try escape()
            case .ascii("\n"), .ascii("\r"):
                throw LuaSyntaxError(
                    message: "string is not closed on its line",
                    range: start..<position,
                    help: "close it, or write '\\n' for a line break"
                )
            default: position += 1
            }
        }
        throw LuaSyntaxError(message: "string is not closed", range: start..<position)
    }

    /// Skips an escape sequence (§3.1).
    private mutating func escape() throws(LuaSyntaxError) {
        let start = position
        position += 1
        guard let byte = peek() else { return }
        position += 1
        switch byte {
        case .ascii("x"):
            for _ in 0..<2 {
                guard peek()?.hexDigit != nil else { throw badEscape(start) }
                position += 1
            }
        case .ascii("u"): try unicodeEscape(start)
        case .ascii("z"):
            while let blank = peek(), blank == .ascii(" ") || (9...13).contains(blank) {
                position += 1
            }
        case .ascii("\r"), .ascii("\n"):
            if let next = peek(), next == .ascii("\r") || next == .ascii("\n"), next != byte {
                position += 1
            }
        case 0x30...0x39:
            var value = Int(byte - 0x30)
            for _ in 0..<2 {
                guard let digit = peek(), digit.isLuaDigit else { break }
                value = value * 10 + Int(digit - 0x30)
                position += 1
            }
            if value > 255 { throw badEscape(start) }
        default:
            guard "abfnrtv\\\"'".utf8.contains(byte) else { throw badEscape(start) }
        }
    }

    private mutating func unicodeEscape(_ start: Int) throws(LuaSyntaxError) {
        guard peek() == .ascii("{") else { throw badEscape(start) }
        position += 1
        var value = 0
        var count = 0
        while let digit = peek()?.hexDigit {
            value = value << 4 | Int(digit)
            count += 1
            position += 1
            if value > 0x7FFF_FFFF { throw badEscape(start) }
        }
        guard count > 0, peek() == .ascii("}") else { throw badEscape(start) }
        position += 1
    }

    private func badEscape(_ start: Int) -> LuaSyntaxError {
        LuaSyntaxError(
            message: "unknown escape in a string",
            range: start..<min(max(position, start + 1), bytes.count),
            help: "write '\\\\' for a backslash"
        )
    }

    // MARK: Symbols

    private static let singles = Dictionary(
        uniqueKeysWithValues: "+-*/%^#&~|<>=(){}[];:,.".utf8.map {
            ($0, String(Unicode.Scalar($0)))
        }
    )
    private static let pairs = Dictionary(
        uniqueKeysWithValues: ["==", "~=", "<=", ">=", "//", "::", "<<", ">>", ".."].map {
            (Array($0.utf8), $0)
        }
    )

    private mutating func symbol() throws(LuaSyntaxError) -> LuaToken {
        let start = position
        var mark = Self.singles[bytes[start]]
        if let second = peek(1), let pair = Self.pairs[[bytes[start], second]] {
            mark = pair == ".." && peek(2) == .ascii(".") ? "..." : pair
        }
        if let mark {
            position += mark.utf8.count
            return LuaToken(kind: .symbol(mark), range: start..<position, text: mark)
        }
        throw LuaSyntaxError(
            message: "unexpected character; found a byte of \(bytes[start])",
            range: start..<start + 1
        )
    }
}

extension UInt8 {
    fileprivate var isLuaDigit: Bool { 0x30...0x39 ~= self }
    fileprivate var isLuaNameStart: Bool {
        0x41...0x5A ~= self || 0x61...0x7A ~= self || self == .ascii("_")
    }
    fileprivate var isLuaName: Bool { isLuaNameStart || isLuaDigit }
}
