// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// Placeholders for secrets: masks, hashes made by `redact`, and variables.
enum Placeholder {
    /// Returns whether a value is a placeholder, such as `[redacted]`, `****`, `<password>`,
    /// `${PASSWORD}` or `{{ password }}`.
    static func isOne(_ value: Span<UInt8>) -> Bool {
        guard value.count <= 128 else { return false }
        if isHash(value) { return true }
        let first = value.byte(0)
        let last = value.byte(value.count - 1)
        switch (first, last) {
        // Matching brackets, with or without a dollar sign, or percent-encoded.
        case (0x5B, 0x5D), (0x3C, 0x3E), (0x7B, 0x7D): return true
        case (0x24, 0x7D): return value.byte(1) == 0x7B
        case (0x25, 0x44), (0x25, 0x64):
            return value.count > 6 && value.byte(1) == 0x35 && value.byte(2) | 0x20 == 0x62
                && value.byte(value.count - 3) == 0x25 && value.byte(value.count - 2) == 0x35
        default:
            // A single character, not a letter or digit, repeated.
            guard !ByteSet.word.contains(first) else { return false }
            for index in value.indices where value[index] != first { return false }
            return true
        }
    }

    /// Returns whether a value is a hash made by the action `hash` of `redact`: `h-` and 32 digits.
    static func isHash(_ value: Span<UInt8>) -> Bool {
        guard value.count == 34, value.hasBytes("h-", at: 0) else { return false }
        for index in 2..<34 where !value[index].isDigit && !(0x61...0x66 ~= value[index]) {
            return false
        }
        return true
    }
}
