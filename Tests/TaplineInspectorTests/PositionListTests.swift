// SPDX-License-Identifier: MIT

import TaplineStore
import Testing

@testable import TaplineInspector

@Suite struct PositionListTests {
    private static let gapless = PositionList.gapless(first: 3, last: 9)
    private static let growing = PositionList.growing(newer: [12, 15, 20], older: [9, 7, 3])

    private func numbers(_ list: PositionList, _ range: Range<Int>, _ last: Int64) -> [Int64] {
        list.positions(range, through: last).map(\.number)
    }

    @Test("a list without gaps counts down from its head")
    func gapless() {
        #expect(Self.gapless.count(through: .max) == 7)
        #expect(Self.gapless.count(through: 5) == 3)
        #expect(Self.gapless.count(through: 2) == 0)
        #expect(numbers(Self.gapless, 0..<3, .max) == [9, 8, 7])
        #expect(numbers(Self.gapless, 1..<9, 5) == [4, 3])
        #expect(numbers(Self.gapless, 10..<12, 5) == [])
    }

    @Test(
        "a list that grows shows the same order under each head",
        arguments: [
            (.max, [20, 15, 12, 9, 7, 3]), (20, [20, 15, 12, 9, 7, 3]),
            (19, [15, 12, 9, 7, 3]), (12, [12, 9, 7, 3]), (11, [9, 7, 3]), (8, [7, 3]), (3, [3]),
            (2, []),
        ] as [(Int64, [Int64])]
    )
    func growing(_ last: Int64, _ expected: [Int64]) {
        #expect(Self.growing.count(through: last) == expected.count)
        #expect(numbers(Self.growing, 0..<10, last) == expected)
        for (index, number) in expected.enumerated() {
            #expect(numbers(Self.growing, index..<index + 1, last) == [number])
            let position = StorePosition(number: number)
            #expect(Self.growing.index(of: position, through: last) == index)
        }
        for number in [1, 8, 13, 21] as [Int64] {
            let position = StorePosition(number: number)
            #expect(Self.growing.index(of: position, through: last) == nil)
        }
    }

    @Test("an index is found in a list without gaps")
    func gaplessIndex() {
        #expect(Self.gapless.index(of: StorePosition(number: 9), through: .max) == 0)
        #expect(Self.gapless.index(of: StorePosition(number: 3), through: 5) == 2)
        #expect(Self.gapless.index(of: StorePosition(number: 6), through: 5) == nil)
        #expect(Self.gapless.index(of: StorePosition(number: 2), through: 5) == nil)
    }
}
