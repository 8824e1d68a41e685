// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineNet

@Suite struct TimerWheelTests {
    var wheel = TimerWheel(granule: 10, slots: 64, now: 1000)

    /// Advances to a time, and returns the timers that fired.
    private mutating func fired(at now: Int64) -> [TimerWheel.ID] {
        wheel.advance(to: now)
        var all: [TimerWheel.ID] = []
        while let id = wheel.next() { all.append(id) }
        return all
    }

    @Test mutating func firesInOrderAndNeverEarly() {
        let late = wheel.insert()
        let early = wheel.insert()
        wheel.arm(late, at: 1055)
        wheel.arm(early, at: 1021)
        #expect(wheel.nextWake == 1030)
        #expect(fired(at: 1029) == [])
        #expect(fired(at: 1030) == [early])
        #expect(fired(at: 1059) == [])
        #expect(fired(at: 1060) == [late])
        #expect(wheel.nextWake == nil)
        #expect(!wheel.isArmed(late))
    }

    @Test mutating func catchesUpInOrder() {
        let ids = (0..<5).map { _ in wheel.insert() }
        for (place, id) in ids.enumerated() { wheel.arm(id, at: 1100 - Int64(place) * 20) }
        #expect(fired(at: 5000) == ids.reversed())
    }

    @Test mutating func postponesTimers() {
        let id = wheel.insert()
        wheel.arm(id, at: 1020)
        wheel.arm(id, at: 1200)
        // It is visited in its old slot, and moved.
        #expect(wheel.nextWake == 1020)
        #expect(fired(at: 1100) == [])
        #expect(wheel.nextWake == 1200)
        #expect(fired(at: 1200) == [id])
    }

    @Test mutating func bringsTimersForward() {
        let id = wheel.insert()
        wheel.arm(id, at: 1200)
        wheel.arm(id, at: 1020)
        #expect(fired(at: 1020) == [id])
        #expect(fired(at: 2000) == [])
    }

    @Test mutating func firesAfterMoreThanATurn() {
        let id = wheel.insert()
        wheel.arm(id, at: 1000 + 64 * 10 * 3 + 5)
        var moments: [Int64] = []
        while let wake = wheel.nextWake {
            moments.append(wake)
            if !fired(at: wake).isEmpty { break }
        }
        #expect(moments.count <= 5)
        #expect(moments.last == 2930)
    }

    @Test mutating func cancelsTimersThatAreDue() {
        let first = wheel.insert()
        let second = wheel.insert()
        wheel.arm(first, at: 1010)
        wheel.arm(second, at: 1010)
        wheel.advance(to: 1050)
        #expect(wheel.next() == first)
        wheel.cancel(second)
        #expect(wheel.next() == nil)
        wheel.arm(second, at: 1060)
        wheel.remove(second)
        #expect(fired(at: 2000) == [])
        #expect(wheel.count == 1)
        #expect(wheel.insert() == second)
    }

    @Test mutating func firesPastDeadlinesWithTheNextGranule() {
        let id = wheel.insert()
        wheel.arm(id, at: 0)
        #expect(fired(at: 1009) == [])
        #expect(fired(at: 1010) == [id])
    }

    /// Compares the wheel with a list that is searched each time.
    @Test mutating func agreesWithAPlainList() {
        var random = Random(seed: 94)
        var now: Int64 = 1000
        var deadlines: [TimerWheel.ID: Int64] = [:]
        let ids = (0..<50).map { _ in wheel.insert() }
        for _ in 0..<20_000 {
            let id = ids.randomElement(using: &random) ?? 0
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                wheel.cancel(id)
                deadlines[id] = nil
            case 1..<6:
                let deadline = now + Int64.random(in: 0..<2000, using: &random)
                wheel.arm(id, at: deadline)
                deadlines[id] = deadline
            default:
                now += Int64.random(in: 0..<60, using: &random)
                let due = deadlines.filter { $0.value <= now / 10 * 10 }.keys.sorted()
                let all = fired(at: now).sorted()
                // A timer that is armed within the current granule fires with the next one.
                #expect(Set(all).isSubset(of: due))
                for id in all { deadlines[id] = nil }
                for id in due where deadlines[id] != nil {
                    #expect((deadlines[id] ?? 0) > now / 10 * 10 - 10)
                }
            }
        }
        #expect(Set(fired(at: now + 5000)) == Set(deadlines.keys))
    }
}
