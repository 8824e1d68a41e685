// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@Suite("Numbers that stay in their range")
struct ClampedArithmeticTests {
    @Test func sumsThatOverflowStayAtTheEnds() {
        #expect(Int.max.addingClamped(1) == .max)
        #expect(Int.min.addingClamped(-1) == .min)
        #expect(Int64.max.addingClamped(.max) == .max)
        #expect(UInt8(250).addingClamped(9) == .max)
        #expect((-1).addingClamped(.max) == .max - 1)
    }

    @Test func differencesThatOverflowStayAtTheEnds() {
        #expect(Int.min.subtractingClamped(1) == .min)
        #expect(Int64.max.subtractingClamped(-1) == .max)
        #expect(Int64(0).subtractingClamped(.min) == .max)
        #expect(UInt8(3).subtractingClamped(9) == 0)
        #expect((-1).subtractingClamped(.max) == .min)
    }

    @Test func productsThatOverflowStayAtTheEnds() {
        #expect(Int.max.multipliedClamped(by: 2) == .max)
        #expect(Int.max.multipliedClamped(by: -2) == .min)
        #expect(Int64.min.multipliedClamped(by: -1) == .max)
        #expect((-3).multipliedClamped(by: 4) == -12)
    }
}
