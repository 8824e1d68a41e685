// SPDX-License-Identifier: MIT

import TaplineOperations
import TestSupport
import Testing

@Suite("Contiguous positions")
struct ContiguousPositionsTests {
    @Test("end at the first gap for any order, repeated positions included", arguments: 0..<50)
    func anyOrder(seed: UInt64) {
        var random = SplitMix(seed)
        var positions = ContiguousPositions()
        var known: Set<UInt64> = []
        for _ in 0..<200 {
            let position = UInt64.random(in: 0..<60, using: &random)
            let before = positions.end
            let hasGrown = positions.acknowledge(position)
            known.insert(position)
            let expected = (0...60).first { !known.contains($0) } ?? 0
            #expect(positions.end == expected)
            #expect(hasGrown == (expected > before))
        }
    }

    @Test("accept the last position without a trap")
    func last() {
        var positions = ContiguousPositions()
        let hasGrown = positions.acknowledge(.max)
        #expect(!hasGrown && positions.end == 0)
    }
}

private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
