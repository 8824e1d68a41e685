// SPDX-License-Identifier: MIT

/// How much the numbers of one distribution differ from those of another, and whether that is more
/// than chance.
///
/// **Source**: the test of Mann and Whitney (1947) with the normal approximation and the correction
/// for ties, on the buckets of the histograms. It compares ranks, so that outliers count no more
/// than other numbers.
package struct DistributionShift: Sendable, Equatable {
    /// How many numbers each distribution needs for the approximation.
    package static let minCount = 20

    /// The probability that a number of the second distribution is larger than one of the first,
    /// ties counting half; 0.5 if there is no shift.
    package let superiority: Double
    /// The probability of such a shift if both were samples of the same numbers.
    package let probability: Double

    /// Compares two distributions; `nil` if one of them has fewer than 20 numbers.
    package init?(_ first: Distribution, _ second: Distribution) {
        guard first.count >= Self.minCount, second.count >= Self.minCount else { return nil }
        let counts = Self.merged(first, second)
        let (m, n) = (Double(first.count), Double(second.count))
        let all = m + n
        // Pairs in which the second number is larger, in halves for ties.
        var larger = 0.0
        var ties = 0.0
        var before = 0.0
        for (left, right) in counts {
            larger += right * (before + left / 2)
            before += left
            let tied = left + right
            ties += tied * tied * tied - tied
        }
        superiority = larger / (m * n)
        let variance = m * n / 12 * (all + 1 - ties / (all * (all - 1)))
        guard variance > 0 else {
            probability = 1
            return
        }
        let distance = (larger - m * n / 2).magnitude - 0.5
        probability = Self.tail(max(distance, 0) / variance.squareRoot())
    }

    /// Returns the counts of both distributions in each bucket that has any, in order.
    private static func merged(
        _ first: Distribution,
        _ second: Distribution
    ) -> [(Double, Double)] {
        var counts: [Int: (Double, Double)] = [:]
        first.forEachBucket { counts[$0, default: (0, 0)].0 += Double($1) }
        second.forEachBucket { counts[$0, default: (0, 0)].1 += Double($1) }
        return counts.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns the probability that a normal variable is at least this far from its mean, in
    /// standard deviations, on either side.
    private static func tail(_ distance: Double) -> Double {
        guard distance < 8 else { return 0 }
        // The series of the normal integral around its mean.
        var term = distance
        var sum = distance
        var divisor = 1.0
        while term > sum * 1e-17 {
            divisor += 2
            term *= distance * distance / divisor
            sum += term
        }
        let density = exponential(-distance * distance / 2) / (2 * Double.pi).squareRoot()
        return min(max(1 - 2 * density * sum, 0), 1)
    }

    /// The exponential function for numbers from -32 to 0; this module does not use the C library.
    private static func exponential(_ number: Double) -> Double {
        let part = number / 64
        var term = 1.0
        var result = 1.0
        for index in 1...20 {
            term *= part / Double(index)
            result += term
        }
        for _ in 0..<6 { result *= result }
        return result
    }
}
