// SPDX-License-Identifier: MIT

extension UInt8 {
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
