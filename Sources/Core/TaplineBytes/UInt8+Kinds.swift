// SPDX-License-Identifier: MIT

extension UInt8 {
    /// The byte with an ASCII capital letter converted to lower case.
    @inlinable
    package var asciiLowercased: UInt8 {
        0x41...0x5A ~= self ? self | 0x20 : self
    }

    /// Whether this is a space or a tab.
    @inlinable
    package var isBlank: Bool { self == 0x20 || self == 0x09 }

    /// Whether this is an ASCII digit.
    @inlinable
    package var isDigit: Bool { 0x30...0x39 ~= self }

    /// Whether this is an ASCII letter of either case.
    @inlinable
    package var isLetter: Bool { 0x61...0x7A ~= self | 0x20 }

    /// Whether a token may contain this byte (RFC 9110 §5.6.2).
    @inlinable
    @inline(__always)
    package var isTokenByte: Bool {
        // One bit for each of the 128 ASCII characters.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        let half = self & 0x40 == 0 ? low : high
        return self < 0x80 && half &>> UInt64(self & 0x3F) & 1 == 1
    }

    /// The value of a hexadecimal digit of either case; `nil` for other bytes.
    @inlinable
    package var hexDigit: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// An ASCII character as a byte, for readable comparisons.
    @inlinable
    package static func ascii(_ character: Unicode.Scalar) -> UInt8 {
        UInt8(truncatingIfNeeded: character.value)
    }
}
