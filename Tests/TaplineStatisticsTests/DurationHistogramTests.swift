// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

@Suite struct DurationHistogramTests {
    @Test(arguments: [0, 1, 3, 4, 5, 7, 8, 9, 1000, 123_456_789, Int.max - 1, Int.max])
    func theBoundOfABucketIsCloseToItsTimes(_ time: Int) {
        let bucket = DurationDistribution.bucket(of: time)
        #expect(bucket < DurationDistribution.bucketCount)
        let bound = DurationDistribution.upperBound(of: bucket)
        #expect(bound >= time)
        #expect(Double(bound) <= Double(time) * 1.25 + 1)
    }

    @Test func bucketsAreInOrder() {
        var last = -1
        for time in 0..<5000 {
            let bucket = DurationDistribution.bucket(of: time)
            #expect(bucket >= last)
            last = bucket
        }
    }

    @Test func quantilesMaximumAndTotalMatchTheTimes() {
        let histogram = DurationHistogram()
        for time in 1...1000 { histogram.add(nanoseconds: time) }
        let times = histogram.distribution
        #expect(times.count == 1000)
        #expect(times.total == 500_500)
        #expect(times.maximum == 1000)
        #expect((500...625).contains(times.quantile(0.5)))
        #expect((990...1000).contains(times.quantile(0.99)))
        #expect(times.quantile(1) == 1000)
        // Values outside of 0 to 1 count as the nearest bound.
        #expect(times.quantile(.nan) == times.quantile(0))
        #expect(times.quantile(.infinity) == 1000 && times.quantile(-1) == times.quantile(0))
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

    @Test func withoutTimesEverythingIsZero() {
        #expect(DurationDistribution().quantile(0.5) == 0)
        #expect(DurationDistribution().count == 0)
    }
}
