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

    @Test func productsThatOverflowStayAtTheEnds() {
        #expect(Int.max.multipliedClamped(by: 2) == .max)
        #expect(Int.max.multipliedClamped(by: -2) == .min)
        #expect(Int64.min.multipliedClamped(by: -1) == .max)
        #expect((-3).multipliedClamped(by: 4) == -12)
    }
}
