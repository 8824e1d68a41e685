// SPDX-License-Identifier: MIT

import Testing

@testable import NATSSource

@Suite("The number of messages of a fetch")
struct FetchLimitTests {
    @Test("begins low and at most doubles")
    func growth() {
        var limit = FetchLimit(most: 100, bytes: 1 << 24, time: 1_000_000)
        var counts = [limit.count]
        for _ in 0..<4 {
            limit.fetched(limit.count, largest: 100, in: 1)
            counts.append(limit.count)
        }
        #expect(counts == [16, 32, 64, 100, 100])
        limit.fetched(1, largest: 100, in: 1)
        #expect(limit.count == 32)
        #expect(FetchLimit(most: 3, bytes: 1 << 24, time: 1).count == 3)
    }

    @Test("is bounded by the largest message and by the time that each takes")
    func bounds() {
        var limit = FetchLimit(most: 10_000, bytes: 1 << 24, time: 1_000_000)
        limit.fetched(16, largest: 1 << 20, in: 16)
        #expect(limit.count == 16)
        limit.fetched(16, largest: 1 << 26, in: 16)
        #expect(limit.count == 1)
        limit.fetched(16, largest: 1, in: 3_200_000)
        #expect(limit.count == 5)
        limit.fetched(1, largest: 0, in: .max)
        #expect(limit.count == 1)
    }
}
