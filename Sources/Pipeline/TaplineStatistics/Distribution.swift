// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A set of measured numbers, such as durations or sizes, as a log-linear histogram.
///
/// Numbers are sorted into 128 buckets for each power of two, so a quantile is accurate to 1 %.
///
/// **Limits**: 1 KiB for each power of two between the smallest and the largest number.
package struct Distribution: Sendable, Equatable {
    /// How many buckets an octave has; numbers in the first two octaves have a bucket each.
    static let octaveBuckets = 128
    /// The octaves of all numbers that are not negative.
    static let octaveCount = 57
    static let bucketCount = octaveCount * octaveBuckets

    /// The counts of the octaves from `firstOctave` on.
    private var buckets: [Int] = []
    private var firstOctave = 0
    /// How many numbers there are.
    package private(set) var count = 0
    /// The sum of all numbers; stays at the maximum of `Int` if it is larger.
    package private(set) var total = 0
    /// The largest number; 0 if there are none.
    package private(set) var maximum = 0

    /// Creates an empty distribution.
    package init() {}

    /// Creates a distribution from the counts of each octave; `nil` for an octave without any.
    init(octaves: [[Int]?], total: Int, maximum: Int) {
        self.total = total
        self.maximum = maximum
        for (octave, counts) in octaves.enumerated() {
            for (offset, count) in (counts ?? []).enumerated() where count > 0 {
                add(count, to: octave * Self.octaveBuckets + offset)
            }
        }
    }

    /// Adds a number; a negative one counts as zero.
    package mutating func add(_ number: Int) {
        let number = max(number, 0)
        add(1, to: Self.bucket(of: number))
        total = total.addingClamped(number)
        if number > maximum { maximum = number }
    }

    /// Adds the numbers of another distribution.
    package mutating func merge(_ other: Self) {
        let start = other.firstOctave * Self.octaveBuckets
        for (offset, count) in other.buckets.enumerated() where count > 0 {
            add(count, to: start + offset)
        }
        total = total.addingClamped(other.total)
        maximum = max(maximum, other.maximum)
    }

    /// Returns the numbers of both distributions.
    package static func + (left: Self, right: Self) -> Self {
        var sum = left
        sum.merge(right)
        return sum
    }

    /// Returns the number that the given part of all numbers does not exceed, at most 1 % above
    /// the exact one; 0 if there are none.
    ///
    /// **Units**: the part is from 0 to 1; 0.5 is the median.
    package func quantile(_ part: Double) -> Int {
        // NaN counts as 0.
        let part = part > 0 ? min(part, 1) : 0
        let wanted = max(1, Int((Double(count) * part).rounded(.up)))
        var seen = 0
        for (offset, count) in buckets.enumerated() where count > 0 {
            seen += count
            if seen >= wanted {
                let bucket = firstOctave * Self.octaveBuckets + offset
                return min(Self.upperBound(of: bucket), maximum)
            }
        }
        return maximum
    }

    /// Calls a closure with each bucket that has numbers, in order, and how many.
    func forEachBucket(_ body: (_ bucket: Int, _ count: Int) -> Void) {
        let start = firstOctave * Self.octaveBuckets
        for (offset, count) in buckets.enumerated() where count > 0 { body(start + offset, count) }
    }

    private mutating func add(_ number: Int, to bucket: Int) {
        var index = bucket - firstOctave * Self.octaveBuckets
        if !buckets.indices.contains(index) {
            include(octave: bucket / Self.octaveBuckets)
            index = bucket - firstOctave * Self.octaveBuckets
        }
        buckets[index] &+= number
        count &+= number
    }

    /// Extends the buckets to an octave.
    private mutating func include(octave: Int) {
        if buckets.isEmpty { firstOctave = octave }
        let missing = firstOctave - octave
        if missing > 0 {
            buckets.insert(
                contentsOf: repeatElement(0, count: missing * Self.octaveBuckets),
                at: 0
            )
            firstOctave = octave
        }
        let wanted = (octave - firstOctave + 1) * Self.octaveBuckets
        if buckets.count < wanted {
            buckets.append(contentsOf: repeatElement(0, count: wanted - buckets.count))
        }
    }

    /// Returns the bucket of a number: its highest bit and the seven bits below.
    static func bucket(of number: Int) -> Int {
        guard number >= 2 * octaveBuckets else { return number }
        let exponent = Int.bitWidth - 1 - number.leadingZeroBitCount
        return (exponent - 6) * octaveBuckets + (number >> (exponent - 7)) & (octaveBuckets - 1)
    }

    /// Returns the largest number that belongs to a bucket.
    static func upperBound(of bucket: Int) -> Int {
        guard bucket >= 2 * octaveBuckets else { return bucket }
        let shift = bucket / octaveBuckets - 1
        return ((octaveBuckets + bucket % octaveBuckets) << shift) + ((1 << shift) - 1)
    }
}

/// Durations in nanoseconds.
package typealias DurationDistribution = Distribution
