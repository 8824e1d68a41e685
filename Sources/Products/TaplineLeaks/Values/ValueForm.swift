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
        case utf32(isBigEndian: Bool)
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
        if Array(text.utf8) == value { forms += wideForms(of: text) }
        for offset in 0..<3 {
            let standard = base64(of: value, at: offset, isURLSafe: false)
            let urlSafe = base64(of: value, at: offset, isURLSafe: true)
            forms.append(standard)
            if urlSafe.bytes != standard.bytes { forms.append(urlSafe) }
        }
        return forms
    }

    /// Returns the forms of a text in UTF-16 and UTF-32.
    ///
    /// Without the zero bytes at its end, which the next character may supply, Latin text has the
    /// same form in both byte orders.
    private static func wideForms(of text: String) -> [ValueForm] {
        let units = text.utf16.map { UInt32($0) }
        let scalars = text.unicodeScalars.map(\.value)
        return forms(.utf16, .utf16, units, bytesEach: 2)
            + forms(.utf32(isBigEndian: false), .utf32(isBigEndian: true), scalars, bytesEach: 4)
    }

    private static func forms(
        _ littleEndian: Coding,
        _ bigEndian: Coding,
        _ units: [UInt32],
        bytesEach count: Int
    ) -> [ValueForm] {
        func bytes(_ shifts: [UInt32]) -> [UInt8] {
            units.flatMap { unit in shifts.map { UInt8(truncatingIfNeeded: unit >> $0) } }
        }
        let shifts = (0..<count).map { UInt32(8 * $0) }
        var little = bytes(shifts)
        var big = bytes(shifts.reversed())
        // Fewer bytes than a key cannot be searched for.
        for _ in 1..<count where little.last == 0 && little.count > ValueIndex.keyBytes {
            little.removeLast()
        }
        for _ in 1..<count where big.first == 0 && big.count > ValueIndex.keyBytes {
            big.removeFirst()
        }
        let form = folded(littleEndian, little)
        return little == big ? [form] : [form, folded(bigEndian, big)]
    }

    private static func folded(_ coding: Coding, _ bytes: [UInt8]) -> ValueForm {
        ValueForm(coding: coding, bytes: bytes.map(\.asciiLowercased), ignoresCase: true)
    }

    private static func hexadecimal(_ value: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return value.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
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
