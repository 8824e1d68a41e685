// SPDX-License-Identifier: MIT

import TaplineCrypto
import Testing

@testable import RedactStage

@Suite struct KeyedPermutationTests {
    private static let key = HMACSHA256(key: "one key".utf8.span)
    private static let other = HMACSHA256(key: "another".utf8.span)

    /// All numbers of some radices.
    private func all(_ radices: [UInt8]) -> [[UInt8]] {
        radices.reduce([[]]) { numbers, radix in
            numbers.flatMap { number in (0..<radix).map { number + [$0] } }
        }
    }

    private func permuted(
        _ number: [UInt8],
        _ radices: [UInt8],
        _ key: HMACSHA256 = key,
        where isAllowed: ([UInt8]) -> Bool = { _ in true }
    ) -> [UInt8]? {
        var digits = number
        let isMade = KeyedPermutation(key).permute(&digits, radices, .digits, where: isAllowed)
        return isMade ? digits : nil
    }

    @Test(
        arguments: [
            [2], [10], [9, 10], [3, 4, 5], [10, 10, 10], [42, 42], [2, 2, 2, 2, 2, 2],
        ] as [[UInt8]]
    )
    func allNumbersAreOneCycle(radices: [UInt8]) throws {
        let numbers = all(radices)
        var seen: Set<[UInt8]> = []
        var number = numbers[0]
        for _ in numbers {
            let next = try #require(permuted(number, radices))
            #expect(next != number)
            #expect(zip(next, radices).allSatisfy { $0 < $1 })
            seen.insert(next)
            number = next
        }
        #expect(seen.count == numbers.count)
        #expect(number == numbers[0])
    }

    @Test func theKeyDecides() throws {
        var same = 0
        for number in all([10, 10, 10]) {
            let one = try #require(permuted(number, [10, 10, 10]))
            if one == permuted(number, [10, 10, 10], Self.other) { same += 1 }
        }
        // One in a thousand is chance.
        #expect(same < 10)
    }

    @Test func similarNumbersBecomeUnlikeOnes() throws {
        // Numbers that differ in their last digit alone: all digits of what they become differ as
        // often as chance has it.
        var equal = 0
        for start in all([10, 10, 10]) {
            let radices = [UInt8](repeating: 10, count: 4)
            let one = try #require(permuted(start + [1], radices))
            let two = try #require(permuted(start + [2], radices))
            equal += zip(one, two).count { $0 == $1 }
        }
        #expect(300...500 ~= equal, "\(equal)")
    }

    @Test func allowedNumbersStayAllowedAndDifferent() throws {
        let allowed = all([9, 10]).filter { $0[0] * 10 + $0[1] < 30 }
        let made = try allowed.map { number in
            try #require(permuted(number, [9, 10]) { $0[0] * 10 + $0[1] < 30 })
        }
        #expect(Set(made) == Set(allowed))
        #expect(zip(made, allowed).allSatisfy { $0 != $1 })
    }

    @Test func whatCannotBePermutedIsNot() {
        #expect(permuted([], []) == nil)
        #expect(permuted([1], [10]) { $0 == [1] } == nil)
        let long = [UInt8](repeating: 1, count: 65)
        #expect(permuted(long, [UInt8](repeating: 10, count: 65)) == nil)
        #expect(permuted(Array(long[1...]), [UInt8](repeating: 10, count: 64)) != nil)
    }
}
