// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineStatistics

@Suite struct DistributionTests {
    @Test(arguments: [0, 1, 3, 255, 256, 257, 511, 512, 1000, 123_456_789, Int.max - 1, Int.max])
    func theBoundOfABucketIsCloseToItsNumbers(_ number: Int) {
        let bucket = Distribution.bucket(of: number)
        #expect(bucket < Distribution.bucketCount)
        let bound = Distribution.upperBound(of: bucket)
        #expect(bound >= number)
        #expect(Double(bound) <= Double(number) * 1.01)
        #expect(Distribution.bucket(of: bound) == bucket)
    }

    @Test(arguments: [0, 1, 2047, 2048, 2049, 4096, 123_456_789, Int.max - 1, Int.max])
    func theBoundOfAFineBucketHasThreeDigits(_ number: Int) {
        let bucket = Distribution.bucket(of: number, .threeDigits)
        let bound = Distribution.upperBound(of: bucket, .threeDigits)
        #expect(bound >= number)
        #expect(Double(bound) <= Double(number) * 1.001)
        #expect(Distribution.bucket(of: bound, .threeDigits) == bucket)
    }

    @Test func quantilesOfAFineDistributionHaveThreeDigits() {
        var times = Distribution(.threeDigits)
        let numbers = (1...20_000).map { $0 * $0 }
        for number in numbers.reversed() { times.add(number) }
        for part in [0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1] {
            let exact = numbers[Int((Double(numbers.count) * part).rounded(.up)) - 1]
            let found = times.quantile(part)
            #expect(found >= exact && Double(found) <= Double(exact) * 1.001)
        }
    }

    @Test func aFineDistributionCanBeAddedToACoarseOne() {
        var (fine, coarse) = (Distribution(.threeDigits), Distribution())
        for number in [5, 300, 70_000, 1 << 40] {
            fine.add(number)
            coarse.add(number)
        }
        #expect(Distribution() + fine == coarse)
    }

    @Test func bucketsAreInOrder() {
        var last = -1
        for number in 0..<5000 {
            let bucket = Distribution.bucket(of: number)
            #expect(bucket == last || bucket == last + 1)
            last = bucket
        }
    }

    @Test func quantilesOfEqualNumbersAreExact() {
        var sizes = Distribution()
        for _ in 0..<7 { sizes.add(12_000_000) }
        #expect([0, 0.5, 0.99, 1].map(sizes.quantile) == Array(repeating: 12_000_000, count: 4))
    }

    @Test func partsOutsideOfZeroToOneCountAsTheNearestBound() {
        var sizes = Distribution()
        for number in 1...1000 { sizes.add(number) }
        #expect(sizes.quantile(.nan) == 1 && sizes.quantile(-1) == 1)
        #expect(sizes.quantile(.infinity) == 1000)
    }

    /// The order in which octaves appear does not matter.
    @Test func mergedPartsEqualTheWhole() {
        let numbers = [70_000, 3, 1 << 40, 0, 3, 900, -4, .max]
        var whole = Distribution()
        for number in numbers { whole.add(number) }
        for split in 0...numbers.count {
            var (left, right) = (Distribution(), Distribution())
            for number in numbers[..<split].reversed() { left.add(number) }
            for number in numbers[split...] { right.add(number) }
            #expect(left + right == whole)
            #expect(right + left == whole)
        }
    }

    @Test func sumsThatOverflowStayAtTheLargestNumber() {
        var sizes = Distribution()
        for _ in 0..<3 { sizes.add(.max) }
        #expect(sizes.total == .max && sizes.count == 3)
    }

    @Test func withoutNumbersEverythingIsZero() {
        #expect(Distribution().quantile(0.5) == 0)
        #expect(Distribution().count == 0)
    }
}
