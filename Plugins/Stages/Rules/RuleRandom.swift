// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The random numbers of one rule for one exchange.
///
/// They depend only on the seed of the run, the exchange and the rule, so neither lanes nor the
/// order of exchanges affect them.
struct RuleRandom {
    private var state: UInt64

    /// Creates the generator of a rule, given its position in the file.
    init(seed: UInt64, _ exchange: ExchangeID, rule: Int) {
        state = seed
        for part in [exchange.high, exchange.low, UInt64(truncatingIfNeeded: rule)] {
            state = next() ^ part
        }
    }

    /// The next number (SplitMix64).
    ///
    /// **Source**: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Returns whether an event with a probability happens.
    mutating func happens(_ share: Double) -> Bool {
        // 53 bits, the precision of a fraction.
        share >= 1 || Double(next() >> 11) * 0x1p-53 < share
    }

    /// Returns a number within a range.
    mutating func number(in range: ClosedRange<Int64>) -> Int64 {
        let width = UInt64(bitPattern: range.upperBound &- range.lowerBound)
        guard width < .max else { return Int64(bitPattern: next()) }
        let (offset, _) = (width + 1).multipliedFullWidth(by: next())
        return range.lowerBound &+ Int64(bitPattern: offset)
    }

    /// Returns a random UUID (RFC 9562 §5.4).
    mutating func uuid() -> ExchangeID {
        ExchangeID(
            high: next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
            low: next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        )
    }
}
