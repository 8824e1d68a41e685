// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// The notations in which single characters are escaped.
struct EscapeStyles: OptionSet, Sendable {
    let rawValue: UInt8

    /// `%41` (RFC 3986 §2.1), `%u0041` (ECMAScript annex B.2.1.1).
    static let percent = EscapeStyles(rawValue: 1)
    /// `\u0041`, `\n`, `\/` (RFC 8259 §7), `\x41`, `\u{41}` (ECMAScript §12.9.4).
    static let backslash = EscapeStyles(rawValue: 2)
    /// `&#65;`, `&#x41;`, `&amp;` (HTML §13.5, XML §4.1).
    static let reference = EscapeStyles(rawValue: 4)
    /// `+` for a space, as in form data (WHATWG URL §5.1).
    static let plus = EscapeStyles(rawValue: 8)
}

/// An escaped character: its length and the bytes it represents.
struct EscapeUnit {
    /// The number of bytes of the escape.
    var length = 1
    /// The bytes it represents, at most four, the first one in the lowest byte.
    var bytes: UInt32 = 0
    /// The number of these bytes.
    var count = 1
    var style = EscapeStyles.percent

    /// Reads the escape at a position; `nil` if the byte there is not the start of one.
    ///
    /// `mayBegin` must return true for the byte at the position.
    @inline(__always)
    init?(_ bytes: Span<UInt8>, _ position: Int) {
        switch bytes[position] {
        case UInt8(ascii: "%"):
            guard position + 2 < bytes.count else { return nil }
            if let high = bytes[position + 1].hexDigit, let low = bytes[position + 2].hexDigit {
                self.bytes = UInt32(high << 4 | low)
                length = 3
            } else {
                guard let (scalar, length) = EscapeUnit.codePoint(bytes, position) else {
                    return nil
                }
                self.length = length
                set(scalar)
            }
        case UInt8(ascii: "\\"):
            style = .backslash
            guard position + 1 < bytes.count else { return nil }
            if let plain = EscapeUnit.backslashed(bytes[position + 1]) {
                self.bytes = UInt32(plain)
                length = 2
            } else {
                guard let (scalar, length) = EscapeUnit.codePoint(bytes, position) else {
                    return nil
                }
                self.length = length
                set(scalar)
            }
        default:
            style = .reference
            guard let (scalar, length) = EscapeUnit.reference(bytes, position) else { return nil }
            self.length = length
            set(scalar)
        }
    }

    /// Returns whether an escape can begin with a byte.
    static func mayBegin(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "&")
    }

    /// Returns the byte that a backslash and one character represent; `nil` if there is no such
    /// escape.
    @inline(__always)
    static func plain(_ bytes: Span<UInt8>, _ position: Int) -> UInt8? {
        guard bytes[position] == UInt8(ascii: "\\"), position + 1 < bytes.count else { return nil }
        return backslashed(bytes[position + 1])
    }

    @inline(__always)
    private static func backslashed(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"): byte
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        default: nil
        }
    }

    /// Reads `\u0041` or `%u0041`, two of them for a surrogate pair, `\x41` or `\u{41}`.
    private static func codePoint(_ bytes: Span<UInt8>, _ start: Int) -> (UInt32, Int)? {
        guard let first = codeUnit(bytes, start) else { return scriptCodePoint(bytes, start) }
        if 0xD800...0xDBFF ~= first, let second = codeUnit(bytes, start + 6),
            0xDC00...0xDFFF ~= second
        {
            return (0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), 12)
        }
        return (first, 6)
    }

    private static func codeUnit(_ bytes: Span<UInt8>, _ start: Int) -> UInt32? {
        guard start + 6 <= bytes.count,
            bytes[start] == UInt8(ascii: "\\") || bytes[start] == UInt8(ascii: "%"),
            bytes[start + 1] == UInt8(ascii: "u")
        else { return nil }
        return hexValue(bytes, start + 2..<start + 6)
    }

    /// Reads the escapes of scripts that JSON lacks: `\x41`, `\u{41}`.
    private static func scriptCodePoint(_ bytes: Span<UInt8>, _ start: Int) -> (UInt32, Int)? {
        guard bytes[start] == UInt8(ascii: "\\"), start + 3 < bytes.count else { return nil }
        switch (bytes[start + 1], bytes[start + 2]) {
        case (UInt8(ascii: "x"), _):
            return hexValue(bytes, start + 2..<start + 4).map { ($0, 4) }
        case (UInt8(ascii: "u"), UInt8(ascii: "{")):
            var end = start + 3
            while end < bytes.count, end < start + 9, bytes[end].hexDigit != nil { end += 1 }
            guard end > start + 3, end < bytes.count, bytes[end] == UInt8(ascii: "}"),
                let value = hexValue(bytes, start + 3..<end), value < 0x11_0000
            else { return nil }
            return (value, end + 1 - start)
        default:
            return nil
        }
    }

    /// Returns the value of at most eight hexadecimal digits; `nil` if the range has any other
    /// byte.
    private static func hexValue(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32? {
        var value: UInt32 = 0
        for index in range {
            guard let digit = bytes[index].hexDigit else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    /// Reads `&#65;`, `&#x41;`, or one of the five named references of XML.
    private static func reference(_ bytes: Span<UInt8>, _ start: Int) -> (UInt32, Int)? {
        var end = start + 1
        // The longest is `&#x10FFFF;`; leading zeros are not worth supporting.
        while end < bytes.count, end < start + 12, bytes[end] != UInt8(ascii: ";") { end += 1 }
        guard end < bytes.count, end < start + 12, end > start + 2 else { return nil }
        let length = end + 1 - start
        guard bytes[start + 1] == UInt8(ascii: "#") else {
            return named(bytes.extracting(start + 1..<end)).map { (UInt32($0), length) }
        }
        let isHex = bytes[start + 2] | 0x20 == UInt8(ascii: "x")
        var value: UInt32 = 0
        let digits = start + (isHex ? 3 : 2)..<end
        guard !digits.isEmpty else { return nil }
        for index in digits {
            guard let digit = bytes[index].hexDigit, isHex || digit < 10, value < 0x11_0000 else {
                return nil
            }
            value = isHex ? value << 4 | UInt32(digit) : value * 10 + UInt32(digit)
        }
        // HTML §13.2.5.84: a reference to a surrogate stands for U+FFFD.
        if 0xD800...0xDFFF ~= value { value = 0xFFFD }
        return value < 0x11_0000 ? (value, length) : nil
    }

    private static func named(_ name: Span<UInt8>) -> UInt8? {
        func equals(_ text: StaticString) -> Bool {
            guard name.count == text.utf8CodeUnitCount else { return false }
            for index in 0..<name.count {
                guard unsafe name[index] == text.utf8Start[index] else { return false }
            }
            return true
        }
        if equals("amp") { return UInt8(ascii: "&") }
        if equals("quot") { return UInt8(ascii: "\"") }
        if equals("lt") { return UInt8(ascii: "<") }
        if equals("gt") { return UInt8(ascii: ">") }
        return equals("apos") ? UInt8(ascii: "'") : nil
    }

    /// Sets the bytes to a code point in UTF-8; lone surrogates are encoded alike, so that none is
    /// lost.
    private mutating func set(_ scalar: UInt32) {
        switch scalar {
        case 0..<0x80:
            (bytes, count) = (scalar, 1)
        case 0x80..<0x800:
            (bytes, count) = (0xC0 | scalar >> 6 | (0x80 | scalar & 0x3F) << 8, 2)
        case 0x800..<0x10000:
            bytes = 0xE0 | scalar >> 12 | (0x80 | scalar >> 6 & 0x3F) << 8
            bytes |= (0x80 | scalar & 0x3F) << 16
            count = 3
        default:
            bytes = 0xF0 | scalar >> 18 | (0x80 | scalar >> 12 & 0x3F) << 8
            bytes |= (0x80 | scalar >> 6 & 0x3F) << 16 | (0x80 | scalar & 0x3F) << 24
            count = 4
        }
    }
}
