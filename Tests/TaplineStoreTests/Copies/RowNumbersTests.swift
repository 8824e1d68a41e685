// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineStore

@Suite("A set of row numbers")
struct RowNumbersTests {
    private func all(_ numbers: RowNumbers) -> [Int64] {
        var found: [Int64] = []
        numbers.forEach { found.append($0) }
        return found
    }

    @Test("has the same numbers as a set, in whatever order they are added")
    func model() {
        var random = Random(seed: 24)
        for bound in [10, 200, 100_000] {
            var model: Set<Int64> = []
            var numbers = RowNumbers()
            for _ in 0..<200 {
                let number = Int64(random.below(bound)) - Int64(bound / 4)
                model.insert(number)
                numbers.insert(number)
            }
            let sorted = model.sorted()
            #expect(all(numbers) == sorted)
            #expect(all(RowNumbers(sorted.reversed() + sorted)) == sorted)
            #expect(numbers.count == model.count)
            for _ in 0..<200 {
                let lower = Int64(random.below(bound)) - Int64(bound / 3)
                let upper = lower + Int64(random.below(bound / 5 + 2))
                #expect(numbers.contains(lower) == model.contains(lower))
                #expect(numbers.count(through: lower) == model.count { $0 <= lower })
                let isEmpty = !model.contains { $0 > lower && $0 < upper }
                #expect(numbers.isEmpty(in: RowRange(lower: lower, upper: upper)) == isEmpty)
            }
        }
    }

    @Test("has the largest and the smallest number, and none at first")
    func ends() {
        #expect(RowNumbers().isEmpty)
        #expect(RowNumbers().isEmpty(in: .all))
        #expect(!RowNumbers().contains(0))
        let ends = RowNumbers([.max, .min])
        #expect(all(ends) == [.min, .max])
        #expect(ends.contains(.max) && ends.contains(.min) && !ends.contains(0))
        #expect(ends.count(through: .max) == 2)
        #expect(ends.count(through: .max - 1) == 1)
        #expect(ends.isEmpty(in: .all))
    }
}
