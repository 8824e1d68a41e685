// SPDX-License-Identifier: MIT

// The counts of a distribution, for programs that keep or compare them.
extension Distribution {
    /// The counts as pairs of a bucket and its count, one after the other, in the order of the
    /// buckets.
    package var sparseCounts: [Int] {
        var counts: [Int] = []
        forEachBucket { bucket, count in counts += [bucket, count] }
        return counts
    }

    /// Creates a distribution from the counts of another one; the total and the maximum are those of
    /// the upper ends of its buckets.
    ///
    /// - Parameter counts: As `sparseCounts`; pairs that cannot be from there are ignored.
    package init(sparseCounts counts: [Int]) {
        self.init()
        var index = 0
        while index + 1 < counts.count {
            add(counts[index + 1], of: counts[index])
            index += 2
        }
    }

    /// Returns the numbers that were added since an earlier state of the distribution.
    ///
    /// - Parameter earlier: The earlier state; if it has more numbers of a kind, these are ignored.
    /// - Returns: The difference.
    package func since(_ earlier: Self) -> Self {
        var former: [Int: Int] = [:]
        earlier.forEachBucket { former[$0] = $1 }
        var counts: [Int] = []
        forEachBucket { bucket, count in
            let rest = count - (former[bucket] ?? 0)
            if rest > 0 { counts += [bucket, rest] }
        }
        return Self(sparseCounts: counts)
    }

    /// Returns how many numbers are at most as large as each of some bounds, accurate to 1 %.
    ///
    /// - Parameter bounds: The bounds, in ascending order.
    /// - Returns: A count for each bound.
    package func counts(upTo bounds: [Int]) -> [Int] {
        var counts = Array(repeating: 0, count: bounds.count)
        forEachBucket { bucket, count in
            let number = min(Self.upperBound(of: bucket), maximum)
            // The bucket that holds a bound counts as below it.
            for (index, bound) in bounds.enumerated()
            where number <= bound || bucket == Self.bucket(of: bound) {
                counts[index] += count
            }
        }
        return counts
    }
}
