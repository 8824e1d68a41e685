// SPDX-License-Identifier: MIT

/// A SHA-256 hash or authentication code: 32 bytes, held inline.
///
/// Digests sort by their bytes.
@frozen
public struct Digest: Hashable, Comparable, Sendable {
    /// The number of bytes.
    @usableFromInline package static let byteCount = 32

    /// Bytes 0 to 7 as a big-endian number.
    @usableFromInline package let word0: UInt64
    /// Bytes 8 to 15 as a big-endian number.
    @usableFromInline package let word1: UInt64
    /// Bytes 16 to 23 as a big-endian number.
    @usableFromInline package let word2: UInt64
    /// Bytes 24 to 31 as a big-endian number.
    @usableFromInline package let word3: UInt64

    /// Makes a digest from four big-endian numbers.
    @inlinable
    package init(_ word0: UInt64, _ word1: UInt64, _ word2: UInt64, _ word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// Makes a digest from its bytes; `nil` unless there are exactly 32.
    @inlinable
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.byteCount else {
            return nil
        }
        func word(_ start: Int) -> UInt64 {
            var value: UInt64 = 0
            for index in start..<start + 8 {
                value = value << 8 | UInt64(bytes[index])
            }
            return value
        }
        self.init(word(0), word(8), word(16), word(24))
    }

    /// The 32 bytes.
    @inlinable
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(Self.byteCount)
        append(to: &result)
        return result
    }

    /// The hash as 64 lower-case hexadecimal digits.
    public var hex: String {
        var digits: [UInt8] = []
        digits.reserveCapacity(Self.byteCount * 2)
        appendHex(to: &digits)
        return String(decoding: digits, as: UTF8.self)
    }

    /// Appends the 32 bytes.
    @inlinable
    package func append(to output: inout [UInt8]) {
        for index in 0..<Self.byteCount {
            output.append(self[index])
        }
    }

    /// Appends lower-case hexadecimal digits.
    ///
    /// - Parameters:
    ///   - output: The array that the digits are appended to.
    ///   - byteCount: The number of leading bytes to write, as two digits each.
    @inlinable
    package func appendHex(to output: inout [UInt8], byteCount: Int = Digest.byteCount) {
        @inline(__always)
        func digit(_ value: UInt8) -> UInt8 {
            value < 10 ? 0x30 &+ value : 0x57 &+ value
        }
        for index in 0..<max(0, min(byteCount, Self.byteCount)) {
            let byte = self[index]
            output.append(digit(byte >> 4))
            output.append(digit(byte & 0x0f))
        }
    }

    /// One of the 32 bytes; zero if the index is out of range.
    @inlinable
    package subscript(index: Int) -> UInt8 {
        let word: UInt64
        switch index >> 3 {
        case 0: word = word0
        case 1: word = word1
        case 2: word = word2
        case 3: word = word3
        default: return 0
        }
        return UInt8(truncatingIfNeeded: word >> (56 &- UInt64(index & 7) &* 8))
    }

    /// Returns whether a digest sorts before another one by their bytes.
    @inlinable
    public static func < (left: Digest, right: Digest) -> Bool {
        if left.word0 != right.word0 {
            return left.word0 < right.word0
        }
        return (left.word1, left.word2, left.word3) < (right.word1, right.word2, right.word3)
    }
}

extension Digest: CustomStringConvertible {
    /// The hexadecimal digits.
    public var description: String {
        hex
    }
}
