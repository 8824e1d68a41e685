// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import ProxySource

@Suite("The clock of an exchange") struct ExchangeClockTests {
    @Test("does not count the time spent waiting for a decision")
    func pauses() {
        var clock = ExchangeClock(begun: 1000)
        #expect(clock.age(1400) == 400)
        #expect(clock.pauseLeft(1400) == nil)
        clock.paused(1500, for: Microseconds(60_000))
        #expect(clock.isPaused)
        #expect(clock.age(40_000) == 500)
        #expect(clock.pauseLeft(41_500) == Microseconds(20_000))
        // The timer of the pause may be late.
        #expect(clock.pauseLeft(90_000) == Microseconds(1000))
        #expect(clock.resumed(51_500) == Microseconds(50_000))
        #expect(!clock.isPaused)
        #expect(clock.lastActive == 51_500)
        #expect(clock.age(51_600) == 600)
        clock.paused(52_000, for: Microseconds(10))
        #expect(clock.resumed(52_010) == Microseconds(10))
        #expect(clock.age(52_020) == 1010)
        #expect(clock.resumed(52_020) == Microseconds(0))
    }
}
