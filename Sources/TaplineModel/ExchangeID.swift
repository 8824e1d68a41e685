// SPDX-License-Identifier: MIT

/// The id of an exchange: a UUID of version 7 (RFC 9562 §5.7), so that ids sort by start time.
@frozen
public struct ExchangeID: Sendable, Hashable, Comparable {
    /// The first eight bytes: 48 bits of milliseconds since 1970, the version, 12 bits.
    public let high: UInt64
    /// The last eight bytes: the variant and 62 bits.
    public let low: UInt64

    /// An id of these two halves, taken as they are.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// An id for a moment; what is not time comes from the two numbers.
    ///
    /// **Units**: the microseconds within the millisecond fill the upper 10 of the 12 bits after
    /// the version (RFC 9562 §6.2, method 3), so that exchanges of one millisecond sort too.
    @inlinable
    public init(started: Timestamp, random: UInt64, _ more: UInt64) {
        let microseconds = UInt64(bitPattern: Swift.max(started.microseconds, 0))
        let fraction = (microseconds % 1000) << 2 | random & 0b11
        high = (microseconds / 1000) << 16 | 0x7000 | fraction
        low = 0x8000_0000_0000_0000 | more >> 2
    }

    /// Whether one comes before the other, in the order of their bytes.
    @inlinable
    public static func < (left: ExchangeID, right: ExchangeID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }

    /// Whether version and variant are those of a version 7 UUID.
    public var isVersion7: Bool { high >> 12 & 0xF == 7 && low >> 62 == 0b10 }
}

// MARK: - Text

extension ExchangeID: CustomStringConvertible {
    /// Appends the 36 characters of RFC 9562 §4, in small letters.
    public func append(to output: inout [UInt8]) {
        for position in 0..<16 {
            if position == 4 || position == 6 || position == 8 || position == 10 {
                output.append(.ascii("-"))
            }
            let half = position < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: half >> UInt64(56 - position % 8 * 8))
            output.append(ExchangeID.digit(byte >> 4))
            output.append(ExchangeID.digit(byte & 0xF))
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }

    /// The 36 characters of the id.
    public var description: String {
        var output: [UInt8] = []
        output.reserveCapacity(36)
        append(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    /// Reads the 36 characters of a UUID, of either case; `nil` if they are no UUID.
    public init?(_ text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digits = 0
        for index in text.indices {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard text[index] == .ascii("-") else { return nil }
                continue
            }
            guard let digit = text[index].hexDigit else { return nil }
            if digits < 16 {
                halves.0 = halves.0 << 4 | UInt64(digit)
            } else {
                halves.1 = halves.1 << 4 | UInt64(digit)
            }
            digits += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// Reads the 36 characters of a UUID.
    public init?(_ text: String) {
        self.init(text.utf8.span)
    }
}
