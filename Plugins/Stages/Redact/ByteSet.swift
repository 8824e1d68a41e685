// SPDX-License-Identifier: MIT

/// A set of ASCII characters; if one non-ASCII byte is inserted, all of them are members.
struct ByteSet: Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var hasOthers = false

    init(_ bytes: [UInt8]) {
        for byte in bytes { insert(byte) }
    }

    /// Inserts a byte.
    mutating func insert(_ byte: UInt8) {
        switch byte {
        case 0..<64: low |= 1 << UInt64(byte)
        case 64..<128: high |= 1 << UInt64(byte - 64)
        default: hasOthers = true
        }
    }

    /// Inserts the members of another set.
    mutating func formUnion(_ other: ByteSet) {
        low |= other.low
        high |= other.high
        hasOthers = hasOthers || other.hasOthers
    }

    /// Whether a byte is a member.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        guard byte < 128 else { return hasOthers }
        return (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }
}
