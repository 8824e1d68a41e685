// SPDX-License-Identifier: MIT

import TaplinePlugin
import TaplineSystem
import Testing

@Suite("The deadline of a stop")
struct StopDeadlineTests {
    @Test("is set once, and ends the waits of threads that began before")
    func set() throws {
        let deadline = StopDeadline()
        #expect(deadline.time == .max)
        let thread = try DedicatedThread.start { #expect(!deadline.wait(for: ThreadEvent())) }
        let time = SteadyClock.microseconds + 1000
        deadline.set(time)
        deadline.set(.max - 1)
        #expect(deadline.time == time)
        thread.join()
    }

    @Test("a verdict that is given before it is known, one that is not given is not")
    func verdict() {
        let deadline = StopDeadline()
        let given = PendingVerdict()
        given.settle(.verdict(.keep))
        #expect(given.wait(until: deadline) != nil)
        deadline.set(0)
        #expect(given.wait(until: deadline) != nil)
        #expect(PendingVerdict().wait(until: deadline) == nil)
    }
}
