// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A form of a value that is a fixed run of bytes, which can be found without decoding.
///
/// Forms with alternatives for each byte (percent-encoding, JSON escapes) have no fixed run; they
/// are found by decoding.
struct ValueForm: Sendable {
    /// The coding of the value.
    enum Coding: Sendable, Hashable {
        case plain
        case hex
        case utf16
        case base64
    }

    let coding: Coding
    /// The bytes to find; in lower case if case is ignored.
    let bytes: [UInt8]
    /// Whether ASCII letters match in either case.
    let ignoresCase: Bool
    /// In base64, the bits of the value in the digits before and after `bytes`; these digits also
    /// hold bits of the neighbouring bytes.
    var before: PartialDigit?
    var after: PartialDigit?

    /// A base64 digit of which only some bits are known.
    struct PartialDigit: Sendable {
        let mask: UInt8
        let bits: UInt8

        func matches(_ digit: UInt8) -> Bool {
            guard let value = digit.base64Digit else { return false }
            return value & mask == bits
        }
    }
}

extension ValueForm {
    /// Returns all forms of a value, in all letter cases that are searched.
    static func all(of value: [UInt8]) -> [ValueForm] {
        letterCases(of: value).flatMap { forms(of: $0) }
    }

    private static func forms(of value: [UInt8]) -> [ValueForm] {
        var forms = [folded(.plain, value), folded(.hex, hexadecimal(value))]
        // In form data a space is a plus (WHATWG URL §5.1); other characters are percent-encoded,
        // and found by decoding.
        let plus = value.map { $0 == 0x20 ? UInt8(ascii: "+") : $0 }
        if plus != value { forms.append(folded(.plain, plus)) }
        let text = String(decoding: value, as: UTF8.self)
        if Array(text.utf8) == value {
            // Without the zero byte at its end, which the next character may supply, Latin text has
            // the same form in both byte orders.
            let little = text.utf16.flatMap { bytes(of: $0, isBig: false) }
            let big = text.utf16.flatMap { bytes(of: $0, isBig: true) }
            // It stays if fewer bytes than a key would be left.
            let isShort = little.count <= ValueIndex.keyBytes
            let first = little.last == 0 && !isShort ? little.dropLast() : little[...]
            let second = big.first == 0 && !isShort ? big.dropFirst() : big[...]
            forms.append(folded(.utf16, Array(first)))
            if first != second { forms.append(folded(.utf16, Array(second))) }
        }
        for offset in 0..<3 {
            let standard = base64(of: value, at: offset, isURLSafe: false)
            let urlSafe = base64(of: value, at: offset, isURLSafe: true)
            forms.append(standard)
            if urlSafe.bytes != standard.bytes { forms.append(urlSafe) }
        }
        return forms
    }

    private static func folded(_ coding: Coding, _ bytes: [UInt8]) -> ValueForm {
        ValueForm(coding: coding, bytes: bytes.map(\.asciiLowercased), ignoresCase: true)
    }

    private static func hexadecimal(_ value: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    private static func bytes(of unit: UInt16, isBig: Bool) -> [UInt8] {
        let high = UInt8(truncatingIfNeeded: unit >> 8)
        let low = UInt8(truncatingIfNeeded: unit)
        return isBig ? [high, low] : [low, high]
    }

    /// Returns the base64 of a value that begins at an offset in its group of three (RFC 4648 §4,
    /// §5).
    ///
    /// Digits whose six bits all belong to the value are fixed. The digits at its ends share bits
    /// with the neighbouring bytes.
    private static func base64(
        of value: [UInt8],
        at offset: Int,
        isURLSafe: Bool
    ) -> ValueForm {
        let padded = [UInt8](repeating: 0, count: offset) + value + [0]
        func digit(_ index: Int) -> UInt8 {
            let bit = index * 6
            let pair =
                UInt16(padded[bit / 8]) << 8 | UInt16(padded[min(bit / 8 + 1, padded.count - 1)])
            return UInt8(truncatingIfNeeded: pair >> (10 - UInt16(bit % 8))) & 63
        }
        let firstBit = offset * 8
        let endBit = firstBit + value.count * 8
        let first = (firstBit + 5) / 6
        let end = endBit / 6
        var form = ValueForm(
            coding: .base64,
            bytes: (first..<end).map { UInt8.base64Character(digit($0), isURLSafe: isURLSafe) },
            ignoresCase: false
        )
        if firstBit % 6 != 0 {
            let mask = UInt8(1 << (first * 6 - firstBit)) - 1
            form.before = PartialDigit(mask: mask, bits: digit(first - 1) & mask)
        }
        if endBit % 6 != 0 {
            let mask = 63 & ~(UInt8(1 << (6 - endBit % 6)) - 1)
            form.after = PartialDigit(mask: mask, bits: digit(end) & mask)
        }
        return form
    }
}

extension UInt8 {
    /// The value of a base64 digit of either alphabet; `nil` for other bytes.
    var base64Digit: UInt8? {
        switch self {
        case 0x41...0x5A: self - 0x41
        case 0x61...0x7A: self - 0x47
        case 0x30...0x39: self + 4
        case 0x2B, 0x2D: 62
        case 0x2F, 0x5F: 63
        default: nil
        }
    }

    /// Returns the base64 digit for six bits.
    static func base64Character(_ value: UInt8, isURLSafe: Bool) -> UInt8 {
        switch value {
        case 0..<26: value + 0x41
        case 26..<52: value + 0x47
        case 52..<62: value - 4
        case 62: isURLSafe ? 0x2D : 0x2B
        default: isURLSafe ? 0x5F : 0x2F
        }
    }
}
