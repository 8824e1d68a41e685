// SPDX-License-Identifier: MIT

import TaplineSystem
import Testing

@Suite struct SteadyClockTests {
    @Test func runsAsFastAsTheContinuousClock() {
        let clock = ContinuousClock()
        var passed: Int64 = 0
        let around = clock.measure {
            let begun = SteadyClock.microseconds
            let within = clock.measure { while SteadyClock.microseconds < begun + 5_000 {} }
            passed = SteadyClock.microseconds - begun
            #expect(passed >= 5_000)
            // The first microsecond may have begun earlier.
            #expect(.microseconds(passed + 1) >= within)
        }
        #expect(.microseconds(passed - 1) <= around)
    }
}
