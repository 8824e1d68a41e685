// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

@Suite("The counts of a distribution")
struct DistributionBucketsTests {
    private func distribution(_ numbers: [Int]) -> Distribution {
        var distribution = Distribution()
        for number in numbers { distribution.add(number) }
        return distribution
    }

    @Test("make another one with the same quantiles")
    func sparse() {
        let all = distribution([1, 500, 70_000, 70_001, 9_000_000])
        let copy = Distribution(sparseCounts: all.sparseCounts)
        #expect(copy.count == 5)
        #expect(copy.sparseCounts == all.sparseCounts)
        #expect(copy.quantile(0.5) == all.quantile(0.5))
    }

    @Test(
        "are ignored if they cannot be those of a distribution",
        arguments: [[], [1], [-1, 4], [Int.max, 1], [5, -2], [5, 0]]
    )
    func wrong(counts: [Int]) {
        #expect(Distribution(sparseCounts: counts).count == 0)
    }

    @Test("do not trap if they are too many")
    func large() {
        let distribution = Distribution(sparseCounts: [1000, .max, 1000, .max])
        #expect(distribution.total == .max)
    }

    @Test("have a difference")
    func difference() {
        let before = distribution([10, 10, 900])
        let later = before + distribution([10, 4000])
        let new = later.since(before)
        #expect(new.count == 2)
        #expect(new.quantile(0.5) == 10)
        #expect(before.since(later).count == 0)
    }

    @Test("are cumulative up to bounds")
    func bounds() {
        let counts = distribution([1, 10, 11, 5000, 100_000]).counts(upTo: [0, 10, 5000, 1_000_000])
        #expect(counts == [0, 2, 4, 5])
    }

    @Test("of durations may be added at once")
    func several() {
        let histogram = DurationHistogram()
        histogram.add(nanoseconds: 10, count: 3)
        histogram.add(nanoseconds: 20, count: 0)
        #expect(histogram.distribution.count == 3)
        #expect(histogram.distribution.total == 30)
    }

    @Test("have quantiles whatever their sizes")
    func extremes() {
        let half = 1 << 62
        // The sum wraps around to the largest number.
        let all = Distribution(sparseCounts: [1, half, 2, half + 1, 3, .max, 4, .max])
        #expect(all.count == Int.max)
        #expect(all.quantile(0.25) == 1)
        #expect(all.quantile(0.9) == 2)
        #expect(all.quantile(1) == 2)
    }
}
