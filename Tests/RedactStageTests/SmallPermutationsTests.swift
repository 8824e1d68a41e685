// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@testable import RedactStage

@Suite struct SmallPermutationsTests {
    private let tables: SmallPermutations

    init() throws {
        tables = try #require(Self.tables([UInt8](repeating: 7, count: 32)))
    }

    private static func tables(_ key: [UInt8]) -> SmallPermutations? {
        AESKey(key.span).map(SmallPermutations.init)
    }

    @Test(arguments: [2, 3, 10, 4097, 8193, 900_000])
    func aTableIsOneCycleOfAllNumbers(size: Int) throws {
        var number = 0
        for step in 1...size {
            // An expectation in each round would take most of the time.
            guard let next = tables.next(number, of: size, .digits) else {
                Issue.record("there is no number after \(number)")
                return
            }
            number = next
            if number == 0 {
                #expect(step == size)
                return
            }
        }
        Issue.record("the cycle is longer than \(size)")
    }

    @Test func tablesDependOnSizeAndPurpose() throws {
        func row(_ size: Int, _ purpose: Purpose) -> [Int?] {
            (0..<50).map { tables.next($0, of: size, purpose) }
        }
        #expect(row(1000, .digits) == row(1000, .digits))
        #expect(row(1000, .digits) != row(1000, .date))
        #expect(row(1000, .digits) != row(1001, .digits))
    }

    @Test func allCyclesAreEquallyLikely() throws {
        // Four numbers have six cycles; keys choose among them evenly.
        var counts: [[Int?]: Int] = [:]
        for index in 0..<1200 {
            var bytes = [UInt8](repeating: 0, count: 32)
            bytes[0] = UInt8(truncatingIfNeeded: index)
            bytes[1] = UInt8(truncatingIfNeeded: index >> 8)
            let tables = try #require(Self.tables(bytes))
            counts[(0..<4).map { tables.next($0, of: 4, .digits) }, default: 0] += 1
        }
        #expect(counts.count == 6)
        #expect(counts.values.allSatisfy { 140...260 ~= $0 }, "\(counts.values)")
    }

    @Test func numbersOutOfRangeHaveNoResult() {
        #expect(tables.next(0, of: 1, .digits) == nil)
        #expect(tables.next(5, of: 5, .digits) == nil)
        #expect(tables.next(-1, of: 5, .digits) == nil)
        #expect(tables.next(0, of: SmallPermutations.limit, .digits) == nil)
    }
}
