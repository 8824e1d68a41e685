// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct WideNumberTests {
    @Test func smallNumbersAreConvertedExactly() {
        for number in [0, 1, 255, 1 << 32 - 1, 1 << 32, UInt64.max] as [UInt64] {
            #expect(WideNumber(number).small == number)
            #expect(WideNumber(number).bitWidth == 64 - number.leadingZeroBitCount)
        }
    }

    @Test func divisionUndoesMultiplication() {
        var number = WideNumber()
        let digits = (0..<120).map { UInt32(($0 * 7 + 3) % 10) }
        for digit in digits { number.multiply(by: 10, adding: digit) }
        #expect(number.small == nil)
        for digit in digits.reversed() { #expect(number.divide(by: 10) == digit) }
        #expect(number == WideNumber())
        number.multiply(by: 5, adding: 0)
        #expect(number == WideNumber(0))
    }

    @Test func sumsAndDifferencesCarry() {
        var number = WideNumber(.max)
        number += WideNumber(1)
        #expect(number.bitWidth == 65)
        var other = number
        other -= WideNumber(1)
        #expect(other.small == .max)
        other += other
        other -= number
        #expect(other.small == UInt64.max - 1)
        other -= other
        #expect(other == WideNumber())
    }

    @Test func numbersAreOrdered() {
        let sorted = [0, 1, 2, 1 << 32 - 1, 1 << 32, .max].map(WideNumber.init)
        var large = WideNumber(.max)
        large.multiply(by: 3)
        let all = sorted + [large]
        for (index, left) in all.enumerated() {
            for (other, right) in all.enumerated() { #expect((left < right) == (index < other)) }
        }
    }
}
