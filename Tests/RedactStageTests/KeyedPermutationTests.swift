// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@testable import RedactStage

@Suite struct KeyedPermutationTests {
    private static let key = KeyedPermutation(HMACSHA256(key: "one key".utf8.span))
    private static let other = KeyedPermutation(HMACSHA256(key: "another".utf8.span))

    private func next(
        _ number: UInt64,
        of size: UInt64,
        _ permutation: KeyedPermutation = key,
        _ purpose: Purpose = .digits,
        form: [UInt8] = []
    ) -> UInt64? {
        permutation.next(WideNumber(number), of: WideNumber(size), purpose, form: form)?.small
    }

    @Test(arguments: [2, 3, 10, 42, 999, 999_999, 1_000_000, 1_048_577] as [UInt64])
    func allNumbersFormOneCycle(size: UInt64) throws {
        // For large sizes, only the beginning.
        let count = min(size, 2000)
        var seen: Set<UInt64> = []
        var number: UInt64 = 0
        for _ in 0..<count {
            let made = try #require(next(number, of: size))
            #expect(made != number)
            #expect(made < size)
            seen.insert(made)
            number = made
        }
        #expect(UInt64(seen.count) == count)
        #expect((number == 0) == (count == size))
    }

    @Test(arguments: [1000, 5_000_000, UInt64.max])
    func differentNumbersStayDifferent(size: UInt64) throws {
        let made = try (0..<1000).map { try #require(next(UInt64($0), of: size)) }
        #expect(Set(made).count == 1000)
    }

    @Test(arguments: [10_000, 10_000_000] as [UInt64])
    func theResultDependsOnKeyAndPurpose(size: UInt64) throws {
        for (permutation, purpose) in [(Self.other, Purpose.digits), (Self.key, .hex)] {
            let same = (0..<1000).count { number in
                next(number, of: size) == next(number, of: size, permutation, purpose)
            }
            // One in ten thousand is due to chance.
            #expect(same < 4)
        }
    }

    @Test func formsOfEqualSizeDiffer() {
        let same = (0..<1000).count { number in
            next(number, of: 1 << 30) == next(number, of: 1 << 30, form: [1, 2])
        }
        #expect(same == 0)
    }

    @Test func similarNumbersHaveUnrelatedResults() throws {
        // For adjacent numbers, all digits of the results differ as often as expected by chance.
        var equal = 0
        for number in 0..<1000 as Range<UInt64> {
            var one = try #require(next(number * 2, of: 10_000_000_000))
            var two = try #require(next(number * 2 + 1, of: 10_000_000_000))
            for _ in 0..<10 {
                if one % 10 == two % 10 { equal += 1 }
                (one, two) = (one / 10, two / 10)
            }
        }
        #expect(850...1150 ~= equal, "\(equal)")
    }

    @Test func numbersOutOfRangeAreNotPermuted() {
        #expect(next(0, of: 0) == nil)
        #expect(next(0, of: 1) == nil)
        #expect(next(5, of: 5) == nil)
        #expect(next(1 << 40, of: 1 << 40) == nil)
    }

    @Test(arguments: 20...384)
    func theRadixIsTheSmallestThatCoversTheSize(bits: Int) {
        var size = WideNumber(1)
        for _ in 0..<bits { size.multiply(by: 2) }
        size += WideNumber(1)
        let (radix, count) = KeyedPermutation.numerals(for: size)
        func reach(_ radix: Int) -> WideNumber {
            var power = WideNumber(1)
            for _ in 0..<count { power.multiply(by: UInt32(radix)) }
            return power
        }
        #expect(count % 2 == 0)
        #expect(2...65_536 ~= radix)
        #expect(!(reach(radix) < size))
        #expect(reach(radix - 1) < size)
    }

    @Test func theConstructionIsStable() throws {
        // Recordings from different years can be joined as long as these stay; see the page on
        // versions.
        #expect(Pseudonyms.version == 2)
        #expect(next(12_345, of: 90_000) == 51_832)
        #expect(next(1_234_567, of: 10_000_000, form: [10, 10]) == 9_729_619)
    }
}
