// SPDX-License-Identifier: MIT

/// The form of a text in UTF-16 (RFC 2781).
struct UTF16Form: Equatable, Sendable {
    var isBigEndian = false
    var hasMark = false
}

/// Decodes and encodes UTF-16.
///
/// A lone surrogate is decoded to three bytes, which encode to the same surrogate, so that any text
/// survives the round trip.
enum UTF16Text {
    /// Returns the form of a text; `nil` if it is not in UTF-16.
    ///
    /// Without a byte order mark, most characters must be Latin letters and digits.
    static func form(of bytes: Span<UInt8>) -> UTF16Form? {
        guard bytes.count >= 2, bytes.count % 2 == 0 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0xFF, 0xFE): return UTF16Form(isBigEndian: false, hasMark: true)
        case (0xFE, 0xFF): return UTF16Form(isBigEndian: true, hasMark: true)
        default: break
        }
        guard bytes.count >= 8 else { return nil }
        let units = min(bytes.count, 64) / 2
        // Texts in other encodings do not contain NUL.
        let head = bytes.extracting(0..<2 * units)
        guard ByteBlocks.nextNUL(head, from: 0) < head.count else { return nil }
        var zeros = (even: 0, odd: 0)
        for unit in 0..<units {
            if bytes[2 * unit] == 0 { zeros.even += 1 }
            if bytes[2 * unit + 1] == 0 { zeros.odd += 1 }
        }
        if zeros.odd * 4 >= units * 3, zeros.even * 8 <= units { return UTF16Form() }
        if zeros.even * 4 >= units * 3, zeros.odd * 8 <= units {
            return UTF16Form(isBigEndian: true)
        }
        return nil
    }

    /// Appends a text as UTF-8 without its mark; returns `false` if it could not be encoded back.
    static func decode(
        _ bytes: Span<UInt8>,
        _ form: UTF16Form,
        appendingTo output: inout [UInt8]
    ) -> Bool {
        guard bytes.count % 2 == 0 else { return false }
        func unit(_ position: Int) -> UInt32 {
            let (first, second) = (UInt32(bytes[position]), UInt32(bytes[position + 1]))
            return form.isBigEndian ? first << 8 | second : second << 8 | first
        }
        output.reserveCapacity(output.count + bytes.count / 2)
        var position = form.hasMark ? 2 : 0
        while position < bytes.count {
            var scalar = unit(position)
            position += 2
            if 0xD800...0xDBFF ~= scalar, position < bytes.count {
                let low = unit(position)
                if 0xDC00...0xDFFF ~= low {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
                    position += 2
                }
            }
            append(scalar, &output)
        }
        return true
    }

    /// Appends a character or a lone surrogate as UTF-8.
    static func append(_ scalar: UInt32, _ output: inout [UInt8]) {
        func rest(_ shift: UInt32) -> UInt8 {
            0x80 | UInt8(truncatingIfNeeded: scalar >> shift) & 0x3F
        }
        switch scalar {
        case 0..<0x80:
            output.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            output.append(0xC0 | UInt8(truncatingIfNeeded: scalar >> 6))
            output.append(rest(0))
        case 0x800..<0x10000:
            output.append(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
            output.append(rest(6))
            output.append(rest(0))
        default:
            output.append(0xF0 | UInt8(truncatingIfNeeded: scalar >> 18))
            output.append(rest(12))
            output.append(rest(6))
            output.append(rest(0))
        }
    }

    /// Appends a UTF-8 text as UTF-16; invalid UTF-8 becomes U+FFFD.
    static func encode(
        _ bytes: Span<UInt8>,
        _ form: UTF16Form,
        appendingTo output: inout [UInt8]
    ) {
        func put(_ unit: UInt32) {
            let high = UInt8(truncatingIfNeeded: unit >> 8)
            let low = UInt8(truncatingIfNeeded: unit)
            output.append(form.isBigEndian ? high : low)
            output.append(form.isBigEndian ? low : high)
        }
        output.reserveCapacity(output.count + 2 * bytes.count)
        if form.hasMark { put(0xFEFF) }
        var position = 0
        while position < bytes.count {
            let (scalar, length) = scalar(bytes, position)
            position += length
            if scalar < 0x10000 {
                put(scalar)
            } else {
                put(0xD800 + (scalar - 0x10000) >> 10)
                put(0xDC00 + (scalar - 0x10000) & 0x3FF)
            }
        }
    }

    /// Returns the character or lone surrogate at a position, and its length.
    static func scalar(_ bytes: Span<UInt8>, _ position: Int) -> (UInt32, Int) {
        let lead = bytes[position]
        let length = UTF8Text.length(of: lead)
        guard length > 0, position + length <= bytes.count else { return (0xFFFD, 1) }
        guard length > 1 else { return (UInt32(lead), 1) }
        var scalar = UInt32(lead) & (0x7F >> UInt32(length))
        for index in position + 1..<position + length {
            guard bytes[index] & 0xC0 == 0x80 else { return (0xFFFD, 1) }
            scalar = scalar << 6 | UInt32(bytes[index] & 0x3F)
        }
        return scalar < 0x110000 ? (scalar, length) : (0xFFFD, 1)
    }
}

/// Recognises text in UTF-8.
enum UTF8Text {
    /// Returns the length of a character from its first byte; zero if the byte cannot begin one.
    static func length(of lead: UInt8) -> Int {
        switch lead {
        case 0..<0x80: 1
        case 0xC2...0xDF: 2
        case 0xE0...0xEF: 3
        case 0xF0...0xF4: 4
        default: 0
        }
    }

    /// Returns whether all bytes are printable characters and blanks in UTF-8; the last character
    /// may be cut off.
    static func isPrintable(_ bytes: Span<UInt8>) -> Bool {
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            // Logs also contain bells, backspaces and terminal escapes.
            if 0x20..<0x7F ~= byte || 0x07...0x0D ~= byte || byte == 0x1B {
                position += 1
                continue
            }
            let length = length(of: byte)
            guard length > 1 else { return false }
            for index in position + 1..<min(position + length, bytes.count)
            where bytes[index] & 0xC0 != 0x80 {
                return false
            }
            position += length
        }
        return true
    }
}
