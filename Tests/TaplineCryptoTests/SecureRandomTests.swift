// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@Suite struct SecureRandomTests {
    @Test func neverRepeats() {
        let first = SecureRandom()
        let second = SecureRandom()
        var seen: Set<UInt64> = []
        for _ in 0..<10_000 {
            seen.insert(first.next())
            seen.insert(second.next())
        }
        #expect(seen.count == 20_000)
    }

    @Test func usesAllBitsEvenly() {
        let random = SecureRandom()
        var counts = [Int](repeating: 0, count: 64)
        for _ in 0..<4_000 {
            let value = random.next()
            for bit in 0..<64 where value >> UInt64(bit) & 1 == 1 {
                counts[bit] += 1
            }
        }
        // Each count is 2,000 ± 32 (one standard deviation); the test allows eleven of these.
        #expect(counts.allSatisfy { (1_650...2_350).contains($0) })
    }

    @Test(arguments: [-1, 0, 1, 7, 8, 9, 511, 512, 513, 5_000])
    func fillsAnyLength(count: Int) {
        let bytes = SecureRandom().bytes(count: count)
        #expect(bytes.count == max(0, count))
        if count >= 511 {
            #expect(Set(bytes).count > 150)
        }
    }

    @Test func worksWithTheStandardLibrary() {
        var random = SecureRandom()
        let values = (0..<100).map { _ in Int.random(in: 1...6, using: &random) }
        #expect(Set(values) == Set(1...6))
    }
}
