// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineSystem

@Suite("Notices to the service manager")
struct ServiceStateMachineTests {
    @Test("follow the life of a run")
    func life() {
        var machine = ServiceStateMachine()
        let alive = machine.provedAlive()
        #expect(alive == nil)
        let early = machine.reloadBegan(at: 1, "reloading")
        #expect(early == nil)
        let ready = machine.becameReady("running")
        #expect(ready == "READY=1\nSTATUS=running")
        let beat = machine.provedAlive()
        #expect(beat == "WATCHDOG=1")
        let begun = machine.reloadBegan(at: 7, "reloading")
        #expect(begun == "RELOADING=1\nMONOTONIC_USEC=7\nSTATUS=reloading")
        let ended = machine.reloadEnded("done")
        #expect(ended == "READY=1\nSTATUS=done")
        let stopping = machine.stopBegan("writing")
        #expect(stopping == "STOPPING=1\nSTATUS=writing")
    }

    @Test("report overlapping reloads as one")
    func overlap() {
        var machine = ServiceStateMachine()
        _ = machine.becameReady("")
        _ = machine.reloadBegan(at: 1, "")
        let second = machine.reloadBegan(at: 2, "")
        #expect(second == nil)
        let first = machine.reloadEnded("")
        #expect(first == nil)
        let last = machine.reloadEnded("")
        #expect(last == "READY=1\nSTATUS=")
    }

    @Test("end with the stop")
    func stopped() {
        var machine = ServiceStateMachine()
        _ = machine.stopBegan("")
        let notices = [
            machine.becameReady(""), machine.reloadBegan(at: 1, ""), machine.reloadEnded(""),
            machine.stopBegan(""), machine.provedAlive(),
        ]
        #expect(notices == [nil, nil, nil, nil, nil])
    }

    @Test("keep a status on one line, cut at its limit")
    func status() {
        var machine = ServiceStateMachine()
        let notice = machine.becameReady("a\nWATCHDOG=1" + String(repeating: "x", count: 1000))
        #expect(notice?.hasPrefix("READY=1\nSTATUS=a WATCHDOG=1x") == true)
        let limit = "READY=1\nSTATUS=".utf8.count + ServiceStateMachine.maxStatus
        #expect(notice?.utf8.count == limit)
    }
}
