// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

@Suite struct DurationHistogramTests {
    @Test func quantilesMaximumAndTotalMatchTheTimes() {
        let histogram = DurationHistogram()
        for time in 1...1000 { histogram.add(nanoseconds: time) }
        let times = histogram.distribution
        #expect(times.count == 1000)
        #expect(times.total == 500_500)
        #expect(times.maximum == 1000)
        #expect((500...505).contains(times.quantile(0.5)))
        #expect((990...1000).contains(times.quantile(0.99)))
        #expect(times.quantile(1) == 1000)
    }

    @Test func twoLanesAddUp() {
        let (first, second) = (DurationHistogram(), DurationHistogram())
        first.add(nanoseconds: 10)
        second.add(nanoseconds: 70)
        second.add(nanoseconds: -5)
        let both = first.distribution + second.distribution
        #expect(both.count == 3)
        #expect(both.total == 80)
        #expect(both.maximum == 70)
    }

    @Test func itHasTheSameTimesAsADistribution() {
        let histogram = DurationHistogram()
        var times = Distribution()
        for time in [5, 90_000_000_000, 0, 1_234_567, .max] {
            histogram.add(nanoseconds: time)
            times.add(time)
        }
        for part in [0, 0.2, 0.5, 0.7, 0.9, 1] {
            #expect(histogram.distribution.quantile(part) == times.quantile(part))
        }
    }
}
