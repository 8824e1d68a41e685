// SPDX-License-Identifier: MIT

import TaplinePlugin
import Testing

@Suite("The pace of batches")
struct BatchPacerTests {
    /// A pacer with short names for its calls.
    private struct Trial {
        var pacer = BatchPacer(delay: 50)

        mutating func fill(_ isDue: Bool, at now: Int64) -> BatchPacer.Decision {
            pacer.fill(isDue: isDue, now: now)
        }
        mutating func rest(at now: Int64) -> Int64? { pacer.rest(now: now) }
        mutating func arrived(full isFull: Bool) -> Bool { pacer.arrived(isFull: isFull) }
    }

    @Test("a full batch is taken at once, a partial one after its delay")
    func fills() {
        var trial = Trial()
        let full = trial.fill(true, at: 0)
        #expect(full == .take)
        // The delay counts from the first call, however often the thread calls again.
        let partial = [0, 49, 50].map { trial.fill(false, at: $0) }
        #expect(partial == [.sleep(until: 50), .sleep(until: 50), .take])
        #expect(!trial.pacer.isAsleep)
    }

    @Test("a thread that fills a batch is woken only by a full one, an idle one by any arrival")
    func wakes() {
        var trial = Trial()
        _ = trial.fill(false, at: 0)
        // A thread that is awake is not woken again.
        let filling = [false, true, true].map { trial.arrived(full: $0) }
        #expect(filling == [false, true, false])
        trial = Trial()
        let end = trial.rest(at: 100)
        #expect(end == nil && trial.pacer.isAsleep)
        let idle = trial.arrived(full: false)
        #expect(idle)
        _ = trial.rest(at: 100)
        trial.pacer.woke()
        let awake = trial.arrived(full: true)
        #expect(!awake)
    }

    @Test("after a batch the thread sleeps for the delay before it sleeps without a limit")
    func lingers() {
        var trial = Trial()
        trial.pacer.took(now: 100)
        let end = trial.rest(at: 110)
        let wakes = trial.arrived(full: false)
        #expect(end == 150 && !wakes)
        // Later arrivals are taken at the end of that delay.
        let partial = [120, 150].map { trial.fill(false, at: $0) }
        #expect(partial == [.sleep(until: 150), .take])
        trial.pacer.took(now: 150)
        let late = trial.rest(at: 200)
        #expect(late == nil)
    }
}
