// SPDX-License-Identifier: MIT

extension UInt8 {
    /// Whether a token may hold this byte (RFC 9110 §5.6.2).
    @inlinable
    @inline(__always)
    package var isTokenByte: Bool {
        // One bit for each of the 128 ASCII characters.
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        let half = self & 0x40 == 0 ? low : high
        return self < 0x80 && half &>> UInt64(self & 0x3F) & 1 == 1
    }

    /// Whether a field value or a reason may hold this byte (RFC 9110 §5.5).
    @inlinable
    @inline(__always)
    package var isTextByte: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }

    /// Whether this is one of the bytes that would end a field, or could be read as its end.
    ///
    /// **Source**: RFC 9110 §5.5, by which CR, LF and NUL are dangerous in a value, while other control
    /// characters may be kept as they were received.
    @inlinable
    package var endsField: Bool { self == 0x0D || self == 0x0A || self == 0x00 }
}
