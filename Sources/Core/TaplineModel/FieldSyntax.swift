// SPDX-License-Identifier: MIT

extension UInt8 {
    /// Whether a field value or a reason may contain this byte (RFC 9110 §5.5).
    @inlinable
    @inline(__always)
    package var isTextByte: Bool { (self >= 0x20 && self != 0x7F) || self == 0x09 }

    /// Whether this byte would end a field, or could be taken for its end.
    ///
    /// **Source**: RFC 9110 §5.5: CR, LF and NUL are dangerous in a value, while other control
    /// characters may be kept as received.
    @inlinable
    package var endsField: Bool { self == 0x0D || self == 0x0A || self == 0x00 }
}
