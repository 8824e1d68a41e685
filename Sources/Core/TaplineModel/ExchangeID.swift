// SPDX-License-Identifier: MIT

/// The id of an exchange: a UUID of version 7 (RFC 9562 §5.7), so that ids sort by start time.
@frozen
public struct ExchangeID: Sendable, Hashable, Comparable {
    /// The first eight bytes: 48 bits of milliseconds since 1970, the version, 12 bits.
    public let high: UInt64
    /// The last eight bytes: the variant and 62 bits.
    public let low: UInt64

    /// Creates an id from two halves, unchecked.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Creates an id for a moment; the remaining bits come from the two numbers.
    ///
    /// **Units**: the microseconds within the millisecond fill the upper 10 of the 12 bits after
    /// the version (RFC 9562 §6.2, method 3), so that ids of the same millisecond sort too.
    @inlinable
    public init(started: Timestamp, random: UInt64, _ more: UInt64) {
        let microseconds = UInt64(bitPattern: Swift.max(started.microseconds, 0))
        let fraction = (microseconds % 1000) << 2 | random & 0b11
        high = (microseconds / 1000) << 16 | 0x7000 | fraction
        low = 0x8000_0000_0000_0000 | more >> 2
    }

    /// Whether an id sorts before another, byte by byte.
    @inlinable
    public static func < (left: ExchangeID, right: ExchangeID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Whether version and variant are those of a version 7 UUID.
    public var isVersion7: Bool { high >> 12 & 0xF == 7 && low >> 62 == 0b10 }
}

// MARK: - Text

extension ExchangeID: CustomStringConvertible {
    /// Appends the 36 characters of RFC 9562 §4, in lower case.
    public func append(to output: inout [UInt8]) {
        var text = InlineArray<36, UInt8>(repeating: .ascii("-"))
        text.write(HexWord(UInt32(truncatingIfNeeded: high >> 32)), 0..<8, at: 0)
        let middle = HexWord(UInt32(truncatingIfNeeded: high))
        text.write(middle, 0..<4, at: 9)
        text.write(middle, 4..<8, at: 14)
        let last = HexWord(UInt32(truncatingIfNeeded: low >> 32))
        text.write(last, 0..<4, at: 19)
        text.write(last, 4..<8, at: 24)
        text.write(HexWord(UInt32(truncatingIfNeeded: low)), 0..<8, at: 28)
        output.append(copying: text.span)
    }

    /// The 36 characters of the id.
    public var description: String {
        var output: [UInt8] = []
        output.reserveCapacity(36)
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Parses the 36 characters of a UUID, of either case; `nil` if they are not a UUID.
    public init?(_ text: Span<UInt8>) {
        guard text.count == 36,
            text[8] == .ascii("-"), text[13] == .ascii("-"), text[18] == .ascii("-"),
            text[23] == .ascii("-"),
            let first = HexWord(text: text.word(at: 0)).value,
            // Four digits each; those of the second word follow a hyphen.
            let second = HexWord(text.word(at: 9), text.word(at: 14)).value,
            let third = HexWord(text.word(at: 19), text.word(at: 24)).value,
            let fourth = HexWord(text: text.word(at: 28)).value
        else { return nil }
        self.init(
            high: UInt64(first) << 32 | UInt64(second),
            low: UInt64(third) << 32 | UInt64(fourth)
        )
    }

    /// Parses the 36 characters of a UUID.
    public init?(_ text: String) {
        self.init(text.utf8.span)
    }
}

// MARK: - Bytes

extension ExchangeID {
    /// Reads the 16 bytes of an id; `nil` if there are more or fewer.
    package init?(bytes: Span<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        for index in 0..<8 {
            halves.0 = halves.0 << 8 | UInt64(bytes[index])
            halves.1 = halves.1 << 8 | UInt64(bytes[index + 8])
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// Appends the 16 bytes of the id, which sort as ids do.
    package func appendBytes(to output: inout [UInt8]) {
        for half in [high, low] {
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                output.append(UInt8(truncatingIfNeeded: half >> shift))
            }
        }
    }

    /// The 16 bytes of the id, which sort as ids do.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        appendBytes(to: &bytes)
        return bytes
    }
}

/// Eight hexadecimal digits as in the text, with the first one in the lowest bits.
///
/// All digits are read and written at once: whether a digit is a letter is random, so branches
/// would be mispredicted.
private struct HexWord {
    private let digits: UInt64

    /// The digits of a number.
    init(_ value: UInt32) {
        // Puts each half byte into its own byte, the highest one first.
        var spread = UInt64(value.byteSwapped)
        spread = (spread | spread << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        spread = (spread >> 4 | spread << 8) & 0x0F0F_0F0F_0F0F_0F0F
        let isLetter = (spread &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        digits = spread &+ 0x3030_3030_3030_3030 &+ isLetter &* 0x27
    }

    /// Eight bytes of a text, in lower case if they are digits.
    init(text: UInt64) { digits = text | (text & 0x4040_4040_4040_4040) >> 1 }

    /// Two times four bytes of a text.
    init(_ first: UInt64, _ second: UInt64) {
        self.init(text: first & 0xFFFF_FFFF | second << 32)
    }

    /// The number; `nil` if some bytes are not digits.
    var value: UInt32? {
        let letters = digits >> 6 & 0x0101_0101_0101_0101
        var packed = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ letters &* 9
        packed = (packed << 4 | packed >> 8) & 0x00FF_00FF_00FF_00FF
        packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
        packed = packed | packed >> 16
        let value = UInt32(truncatingIfNeeded: packed).byteSwapped
        return HexWord(value).digits == digits ? value : nil
    }

    /// One of the digits.
    subscript(_ position: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: digits >> UInt64(8 * position))
    }
}

extension InlineArray<36, UInt8> {
    /// Writes some of the digits of a word.
    @inline(__always)
    fileprivate mutating func write(_ word: HexWord, _ digits: Range<Int>, at start: Int) {
        for digit in digits { self[start + digit - digits.lowerBound] = word[digit] }
    }
}
