// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import SQLiteSink

@Suite struct BodySetTests {
    /// Compares the set with a dictionary over random insertions and removals; few low bits differ,
    /// so that keys displace each other.
    @Test(arguments: [UInt64.max, 0xFFFF_0000_0000_003F])
    func behavesLikeADictionary(mask: UInt64) {
        var random = Random(seed: mask)
        var set = BodySet()
        var expected: [UInt64: Int64] = [:]
        for step in 1...8000 {
            let key = random.next() & mask
            if step % 3 == 0, let (key, body) = expected.first {
                set.remove(key, body)
                expected[key] = nil
            } else {
                set.insert(key, Int64(step))
                expected[key] = expected[key] ?? Int64(step)
            }
            set.remove(key ^ 1, -1)
        }
        #expect(set.count == expected.count)
        #expect(expected.allSatisfy { set.find($0.key) == $0.value })
        #expect(
            !(0..<1000).contains { _ in set.find(random.next() | 1 << 63) != nil } || mask != .max
        )
    }

    @Test func memoryIsPredicted() {
        for count in [0, 767, 768, 1535, 1536, 10_000] {
            var set = BodySet()
            for key in 0..<count { set.insert(UInt64(key), Int64(key + 1)) }
            #expect(set.memory <= BodySet.memory(for: count))
            #expect(set.memory * 4 >= BodySet.memory(for: count))
        }
    }

    @Test func zeroIsAValidKey() {
        var set = BodySet()
        #expect(set.find(0) == nil)
        set.insert(0, 7)
        #expect(set.find(0) == 7)
        set.remove(0, 8)
        #expect(set.find(0) == 7)
        set.remove(0, 7)
        #expect(set.find(0) == nil)
    }
}
