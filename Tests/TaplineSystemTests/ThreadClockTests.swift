// SPDX-License-Identifier: MIT

import Foundation
import TaplineSystem
import Testing

@Suite struct ThreadClockTests {
    @Test func countsWorkButNotWaiting() {
        let begun = ThreadClock.microseconds
        var number: UInt64 = 1
        while ThreadClock.microseconds < begun + 2_000 { number = number &* 3 &+ 1 }
        #expect(ThreadClock.microseconds >= begun + 2_000, "\(number)")
        let waited = waitHere()
        #expect(waited < 20_000)
    }

    /// The CPU time of a 50 ms wait.
    private func waitHere() -> Int64 {
        let begun = ThreadClock.microseconds
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(50)
        while clock.now < end { usleep(1000) }
        return ThreadClock.microseconds - begun
    }
}
