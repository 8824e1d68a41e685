// SPDX-License-Identifier: MIT

/// Pseudo-random numbers that are reproducible in each run.
struct Random {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// The next number of SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }

    /// A number from 0 to `bound` - 1.
    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// Bytes of any value.
    mutating func bytes(upTo bound: Int) -> [UInt8] {
        (0..<below(bound + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    /// One of the elements.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
