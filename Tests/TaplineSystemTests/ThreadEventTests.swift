// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineSystem

@Suite("An event that threads wait for")
struct ThreadEventTests {
    @Test("a wait ends at its time, but not before")
    func times() {
        let event = ThreadEvent()
        let begun = SteadyClock.microseconds
        #expect(!event.wait(until: begun - 1))
        #expect(!event.wait(until: begun + 5000))
        #expect(SteadyClock.microseconds >= begun + 5000)
        event.signal()
        #expect(event.wait(until: .min))
        #expect(event.take(until: .min))
        #expect(!event.take(until: begun) && !event.wait(until: begun))
    }

    @Test("a signal ends all waits, with and without a time")
    func signal() throws {
        let event = ThreadEvent()
        let threads = try (0..<4).map { number in
            try DedicatedThread.start {
                if number % 2 == 0 { event.wait() } else { #expect(event.wait(until: .max)) }
            }
        }
        event.signal()
        for thread in threads { thread.join() }
        #expect(threads.allSatisfy { $0.hasReturned })
    }
}
