// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import Testing

@testable import TaplineServe

private typealias Machine = ConnectionLimitStateMachine

@Suite("The connections of a server")
struct ConnectionLimitTests {
    private static let first = IPAddress(v4: 0xC000_0201)
    private static let second = IPAddress(v4: 0xC000_0202)

    private static func machine(limit: Int = 2, ofClient: Int = .max) -> Machine {
        Machine(limit: limit, ofClient: ofClient, grace: Microseconds(50))
    }

    @Test("one too many takes the place of the one that has waited longest")
    func oldest() {
        var machine = Self.machine()
        #expect(machine.opened(1, by: nil, now: 0) == .none)
        #expect(machine.opened(2, by: nil, now: 10) == .none)
        #expect(machine.opened(3, by: nil, now: 60) == .close(1))
        #expect(machine.opened(4, by: nil, now: 60) == .close(2))
        #expect(machine.closed(1, now: 61) == .none)
        #expect(machine.closed(2, now: 61) == .none)
    }

    @Test("one too many waits until another one has had its time for a request")
    func grace() {
        var machine = Self.machine()
        _ = machine.opened(1, by: nil, now: 0)
        _ = machine.opened(2, by: nil, now: 10)
        #expect(machine.opened(3, by: nil, now: 20) == .pause(lookAfter: Microseconds(30)))
        #expect(machine.timeIsUp(now: 49) == .pause(lookAfter: Microseconds(1)))
        #expect(machine.timeIsUp(now: 50) == .close(1))
        #expect(machine.timeIsUp(now: 100) == .none)
    }

    @Test("one whose request is answered stays; the next one waits for the first answer")
    func answering() {
        var machine = Self.machine()
        _ = machine.opened(1, by: nil, now: 0)
        _ = machine.opened(2, by: nil, now: 0)
        for id in [1, 2] as [Machine.ID] { machine.answers(id) }
        #expect(machine.opened(3, by: nil, now: 100) == .pause(lookAfter: Microseconds(50)))
        machine.answers(3)
        #expect(machine.timeIsUp(now: 150) == .pause(lookAfter: nil))
        #expect(machine.waits(2, now: 200) == .pause(lookAfter: Microseconds(50)))
        #expect(machine.timeIsUp(now: 250) == .close(2))
        // Each answer begins the time anew.
        #expect(machine.waits(1, now: 260) == .none)
        #expect(machine.opened(4, by: nil, now: 270) == .pause(lookAfter: Microseconds(40)))
    }

    @Test("all are accepted again when one closes by itself")
    func resumes() {
        var machine = Self.machine()
        for id in [1, 2, 3] as [Machine.ID] {
            _ = machine.opened(id, by: nil, now: 0)
            machine.answers(id)
        }
        #expect(machine.closed(2, now: 5) == .resume)
        #expect(machine.closed(3, now: 5) == .none)
        #expect(machine.opened(4, by: nil, now: 6) == .none)
    }

    @Test("a client may not have more than its share, however many the server may have")
    func clients() {
        var machine = Self.machine(limit: 10, ofClient: 1)
        #expect(machine.opened(1, by: Self.first, now: 0) == .none)
        #expect(machine.opened(2, by: Self.first, now: 0) == .refuse)
        #expect(machine.opened(3, by: Self.second, now: 0) == .none)
        // One that was refused is unknown.
        #expect(machine.closed(2, now: 0) == .none)
        #expect(machine.closed(1, now: 0) == .none)
        #expect(machine.opened(4, by: Self.first, now: 0) == .none)
    }

    @Test("events of a connection that is closing or unknown change nothing")
    func late() {
        var machine = Self.machine(limit: 1)
        _ = machine.opened(1, by: nil, now: 0)
        #expect(machine.opened(2, by: nil, now: 50) == .close(1))
        machine.answers(1)
        #expect(machine.waits(1, now: 51) == .none)
        #expect(machine.waits(9, now: 51) == .none)
        #expect(machine.closed(9, now: 51) == .none)
        #expect(machine.closed(1, now: 52) == .none)
        #expect(machine.opened(3, by: nil, now: 100) == .close(2))
    }
}
