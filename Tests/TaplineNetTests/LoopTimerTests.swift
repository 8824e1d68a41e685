// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TestSupport
import Testing

@Suite struct LoopTimerTests {
    @Test func firesInOrderUnlessCancelled() throws {
        let events = Events()
        let timers = Timers()
        try withLoops { loop, _ in
            let start = loop.now
            timers.add(loop, "cancelled") { events.add("cancelled") }.arm(after: .init(20_000))
            timers.add(loop, "late") {
                events.add("late \(loop.freshNow() - start >= 60_000)")
            }.arm(after: .init(60_000))
            timers.add(loop, "early") {
                events.add("early \(loop.freshNow() - start >= 30_000)")
            }.arm(after: .init(30_000))
            let again = timers.add(loop, "again") { events.add("again") }
            again.arm(after: .init(10_000))
            again.arm(after: .init(90_000))
            timers.all["cancelled"]?.cancel()
            #expect(timers.all["cancelled"]?.isArmed == false)
            #expect(again.isArmed)
        } _: { group in
            let expected = ["early true", "late true", "again"]
            blockingWait(for: "the timers to fire") { events.all == expected }
            group.loops[0].execute { timers.all = [:] }
            _ = openResources(of: group.loops[0])
        }
    }

    /// The timers of one loop, used only on its thread.
    private final class Timers: @unchecked Sendable {
        var all: [String: LoopTimer] = [:]

        @discardableResult
        func add(_ loop: EventLoop, _ name: String, _ action: @escaping () -> Void) -> LoopTimer {
            let timer = LoopTimer(on: loop, action)
            all[name] = timer
            return timer
        }
    }
}
