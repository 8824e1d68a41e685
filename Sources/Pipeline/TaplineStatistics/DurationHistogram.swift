// SPDX-License-Identifier: MIT

/// Durations that one lane measures and any thread may read.
///
/// Times are sorted into buckets, four for each power of two, so a quantile is accurate to a fifth.
package final class DurationHistogram: Sendable {
    private static let total = DurationDistribution.bucketCount
    private static let maximum = total + 1
    private let bank = CounterBank(count: DurationDistribution.bucketCount + 2)

    /// Creates an empty histogram.
    package init() {}

    /// Adds a time; a negative one, from a clock that was set back, counts as zero.
    package func add(nanoseconds: Int) {
        let time = max(nanoseconds, 0)
        bank.add(to: DurationDistribution.bucket(of: time))
        bank.add(time, to: DurationHistogram.total)
        bank.raise(to: time, at: DurationHistogram.maximum)
    }

    /// The distribution of the times so far.
    package var distribution: DurationDistribution {
        let counts = bank.counts
        return DurationDistribution(
            buckets: Array(counts.prefix(DurationDistribution.bucketCount)),
            total: counts[DurationHistogram.total],
            maximum: counts[DurationHistogram.maximum]
        )
    }
}

/// A set of measured times.
package struct DurationDistribution: Sendable, Equatable {
    static let bucketCount = 64 * 4

    private var buckets: [Int]
    /// The sum of all times, in nanoseconds.
    package private(set) var total: Int
    /// The longest time, in nanoseconds.
    package private(set) var maximum: Int

    /// Creates an empty distribution.
    package init() {
        self.init(
            buckets: Array(repeating: 0, count: DurationDistribution.bucketCount),
            total: 0,
            maximum: 0
        )
    }

    init(buckets: [Int], total: Int, maximum: Int) {
        self.buckets = buckets
        self.total = total
        self.maximum = maximum
    }

    /// The number of times.
    package var count: Int { buckets.reduce(0, &+) }

    /// Returns the time in nanoseconds that the given part of all times does not exceed, accurate
    /// to a fifth; 0 if there are no times.
    ///
    /// **Units**: the part is from 0 to 1; 0.5 is the median.
    package func quantile(_ part: Double) -> Int {
        // NaN counts as 0.
        let part = part > 0 ? min(part, 1) : 0
        let wanted = max(1, Int((Double(count) * part).rounded(.up)))
        var seen = 0
        for (bucket, count) in buckets.enumerated() where count > 0 {
            seen += count
            if seen >= wanted {
                return min(DurationDistribution.upperBound(of: bucket), maximum)
            }
        }
        return maximum
    }

    /// Returns the times of both distributions.
    package static func + (left: Self, right: Self) -> Self {
        Self(
            buckets: zip(left.buckets, right.buckets).map { $0 &+ $1 },
            total: left.total &+ right.total,
            maximum: max(left.maximum, right.maximum)
        )
    }

    /// Returns the bucket of a time: its highest bit and the two bits below.
    static func bucket(of time: Int) -> Int {
        guard time >= 4 else { return time }
        let exponent = Int.bitWidth - 1 - time.leadingZeroBitCount
        return exponent * 4 + (time >> (exponent - 2)) & 3
    }

    /// Returns the longest time that belongs to a bucket.
    static func upperBound(of bucket: Int) -> Int {
        guard bucket >= 8 else { return bucket }
        let exponent = bucket / 4
        return ((4 + bucket % 4) << (exponent - 2)) + ((1 << (exponent - 2)) - 1)
    }
}
