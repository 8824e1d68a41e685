// SPDX-License-Identifier: MIT

/// A name of 1 to 15 bytes as two numbers.
struct ShortName: BitwiseCopyable, Equatable {
    /// The first eight bytes.
    private let low: UInt64
    /// The other bytes, and the count in the most significant byte.
    private let high: UInt64

    /// The value that represents no name.
    static let none = ShortName(low: 0, high: 0)

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Reads the name in a range; returns `nil` if its length is out of range, or if sixteen bytes
    /// from its beginning cannot be read at once.
    @inline(__always)
    init?(_ text: Span<UInt8>, _ range: Range<Int>) {
        let count = range.count
        guard 1...15 ~= count, range.lowerBound >= 0, range.lowerBound <= text.count - 16 else {
            return nil
        }
        let (first, second) = unsafe text.withUnsafeBytes { bytes in
            unsafe (
                bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: range.lowerBound + 8, as: UInt64.self)
            )
        }
        let bits = UInt64(8 &* count)
        let one: UInt64 = 1
        low = UInt64(littleEndian: first) & (count >= 8 ? ~0 : (one &<< bits) &- 1)
        let rest = count > 8 ? (one &<< (bits &- 64)) &- 1 : 0
        high = UInt64(littleEndian: second) & rest | UInt64(count) &<< 56
    }

    /// The number of values of `slot`.
    static let slots = 256

    /// A number below `slots` that distributes names evenly.
    @inline(__always)
    var slot: Int {
        let mixed = (low ^ high &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
        return Int(truncatingIfNeeded: mixed &>> 56)
    }
}
