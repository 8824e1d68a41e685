// SPDX-License-Identifier: MIT

/// Pseudo-random numbers that are the same in each run (SplitMix64).
package struct Random: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator; each seed gives another sequence.
    package init(seed: UInt64) { state = seed }

    /// Returns the next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// Returns a number from 0 to `bound` - 1.
    package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Returns a byte of any value.
    package mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }

    /// Returns at most `bound` bytes of any value.
    package mutating func bytes(upTo bound: Int) -> [UInt8] {
        (0..<below(bound + 1)).map { _ in byte() }
    }

    /// Returns one of the elements.
    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
