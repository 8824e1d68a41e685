// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// What stands where a secret was, or will be: masks, hashes that `redact` made, and variables.
enum Placeholder {
    /// Whether a value is `[redacted]`, `****`, `<password>`, `${PASSWORD}`, `{{ password }}` or
    /// the like.
    static func isOne(_ value: Span<UInt8>) -> Bool {
        guard value.count <= 128 else { return false }
        if isHash(value) { return true }
        let first = value.byte(0)
        let last = value.byte(value.count - 1)
        switch (first, last) {
        // Brackets of one kind, with or without a dollar sign, or escaped as in URLs.
        case (0x5B, 0x5D), (0x3C, 0x3E), (0x7B, 0x7D): return true
        case (0x24, 0x7D): return value.byte(1) == 0x7B
        case (0x25, 0x44), (0x25, 0x64):
            return value.count > 6 && value.byte(1) == 0x35 && value.byte(2) | 0x20 == 0x62
                && value.byte(value.count - 3) == 0x25 && value.byte(value.count - 2) == 0x35
        default:
            // One sign that is no letter or digit, again and again.
            guard !ByteSet.word.contains(first) else { return false }
            for index in value.indices where value[index] != first { return false }
            return true
        }
    }

    /// Whether a value is what the action `hash` of `redact` leaves: `h-` and 32 digits.
    static func isHash(_ value: Span<UInt8>) -> Bool {
        guard value.count == 34, value.hasBytes("h-", at: 0) else { return false }
        for index in 2..<34 where !value[index].isDigit && !(0x61...0x66 ~= value[index]) {
            return false
        }
        return true
    }
}
