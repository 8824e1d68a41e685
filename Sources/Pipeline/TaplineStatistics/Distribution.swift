// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A set of measured numbers, such as durations or sizes, as a log-linear histogram.
///
/// Numbers are sorted into 128 or 1,024 buckets for each power of two, so a quantile is accurate to
/// 1 % or 0.1 %.
///
/// **Limits**: 1 or 8 KiB for each power of two between the smallest and the largest number.
package struct Distribution: Sendable, Equatable {
    /// How accurate quantiles are.
    package enum Precision: Int, Sendable {
        /// To 1 %; the raw value is the number of bits below the highest one.
        case percent = 7
        /// To 0.1 %, three digits.
        case threeDigits = 10

        /// How many buckets an octave has; numbers in the first two octaves have a bucket each.
        var octaveBuckets: Int { 1 << rawValue }
    }

    /// How many buckets an octave has at a precision of 1 %.
    static let octaveBuckets = Precision.percent.octaveBuckets
    /// The octaves of all numbers that are not negative.
    static let octaveCount = 57
    static let bucketCount = octaveCount * octaveBuckets

    /// How accurate quantiles are.
    package let precision: Precision
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
    package init(_ precision: Precision = .percent) { self.precision = precision }

    /// Creates a distribution from the counts of each octave; `nil` for an octave without any.
    init(octaves: [[Int]?], total: Int, maximum: Int) {
        precision = .percent
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
        add(1, to: Self.bucket(of: number, precision))
        total = total.addingClamped(number)
        if number > maximum { maximum = number }
    }

    /// Adds the numbers of another distribution.
    package mutating func merge(_ other: Self) {
        let start = other.firstOctave * other.precision.octaveBuckets
        for (offset, count) in other.buckets.enumerated() where count > 0 {
            let bucket = start + offset
            let isSame = other.precision == precision
            let number = isSame ? 0 : Self.upperBound(of: bucket, other.precision)
            add(count, to: isSame ? bucket : Self.bucket(of: number, precision))
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

    /// Returns the number that the given part of all numbers does not exceed, at most 1 % or 0.1 %
    /// above the exact one; 0 if there are none.
    ///
    /// **Units**: the part is from 0 to 1; 0.5 is the median.
    package func quantile(_ part: Double) -> Int {
        // NaN counts as 0.
        let part = part > 0 ? min(part, 1) : 0
        let wanted = max(1, Int(exactly: (Double(count) * part).rounded(.up)) ?? .max)
        var seen = 0
        for (offset, count) in buckets.enumerated() where count > 0 {
            seen = seen.addingClamped(count)
            if seen >= wanted {
                let bucket = firstOctave * precision.octaveBuckets + offset
                return min(Self.upperBound(of: bucket, precision), maximum)
            }
        }
        return maximum
    }

    /// Calls a closure with each bucket that has numbers, in order, and how many.
    func forEachBucket(_ body: (_ bucket: Int, _ count: Int) -> Void) {
        let start = firstOctave * Self.octaveBuckets
        for (offset, count) in buckets.enumerated() where count > 0 { body(start + offset, count) }
    }

    /// Adds numbers of a bucket, with its upper end; a bucket that does not exist is ignored.
    mutating func add(_ number: Int, of bucket: Int) {
        guard 0..<Self.bucketCount ~= bucket, number > 0 else { return }
        add(number, to: bucket)
        let value = Self.upperBound(of: bucket, precision)
        total = total.addingClamped(value.multipliedClamped(by: number))
        maximum = max(maximum, value)
    }

    private mutating func add(_ number: Int, to bucket: Int) {
        var index = bucket - firstOctave * precision.octaveBuckets
        if !buckets.indices.contains(index) {
            include(octave: bucket / precision.octaveBuckets)
            index = bucket - firstOctave * precision.octaveBuckets
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
                contentsOf: repeatElement(0, count: missing * precision.octaveBuckets),
                at: 0
            )
            firstOctave = octave
        }
        let wanted = (octave - firstOctave + 1) * precision.octaveBuckets
        if buckets.count < wanted {
            buckets.append(contentsOf: repeatElement(0, count: wanted - buckets.count))
        }
    }

    /// Returns the bucket of a number: its highest bit and the bits below that the precision has.
    static func bucket(of number: Int, _ precision: Precision = .percent) -> Int {
        let (bits, buckets) = (precision.rawValue, precision.octaveBuckets)
        guard number >= 2 * buckets else { return number }
        let exponent = Int.bitWidth - 1 - number.leadingZeroBitCount
        return (exponent - bits + 1) * buckets + (number >> (exponent - bits)) & (buckets - 1)
    }

    /// Returns the largest number that belongs to a bucket.
    static func upperBound(of bucket: Int, _ precision: Precision = .percent) -> Int {
        let buckets = precision.octaveBuckets
        guard bucket >= 2 * buckets else { return bucket }
        let shift = bucket / buckets - 1
        return ((buckets + bucket % buckets) << shift) + ((1 << shift) - 1)
    }
}

/// Durations in nanoseconds.
package typealias DurationDistribution = Distribution
