// SPDX-License-Identifier: MIT

package import TaplineModel

/// The first characters of an id: all ids that begin with them.
package struct IDPrefix: Sendable, Equatable {
    /// The lowest id.
    package let first: ExchangeID
    /// The highest id.
    package let last: ExchangeID

    /// The minimum number of hexadecimal digits.
    package static let minDigits = 4

    /// Parses the first characters of an id, with or without the dashes, of either case.
    ///
    /// `nil` unless there are at least `minDigits` digits; 32 are a whole id.
    package init?(_ text: String) {
        var high: UInt64 = 0
        var low: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "-") { continue }
            guard let digit = byte.hexDigit, count < 32 else { return nil }
            if count < 16 {
                high = high << 4 | UInt64(digit)
            } else {
                low = low << 4 | UInt64(digit)
            }
            count += 1
        }
        guard count >= Self.minDigits else { return nil }
        let highBits = UInt64(4 * (16 - min(count, 16)))
        let lowBits = UInt64(4 * (32 - max(count, 16)))
        // A shift by 64 bits leaves zero.
        let highRest = (UInt64(1) << highBits) &- 1
        let lowRest = (UInt64(1) << lowBits) &- 1
        first = ExchangeID(high: high << highBits, low: low << lowBits)
        last = ExchangeID(high: first.high | highRest, low: first.low | lowRest)
    }

    /// Whether this is a whole id.
    package var isWhole: Bool { first == last }

    /// Whether an id begins with the prefix.
    package func matches(_ id: ExchangeID) -> Bool { first <= id && id <= last }
}
