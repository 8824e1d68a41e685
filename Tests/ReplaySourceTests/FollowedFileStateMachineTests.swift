// SPDX-License-Identifier: MIT

import Testing

@testable import ReplaySource

@Suite("The state machine of a followed file")
struct FollowedFileStateMachineTests {
    private let old = FileIdentity(device: 1, inode: 10)
    private let new = FileIdentity(device: 1, inode: 11)

    @Test("opens a file when it appears, and waits without one")
    func absent() {
        var machine = FollowedFileStateMachine(grace: 100)
        #expect(machine.found(nil, now: 0) == .wait)
        #expect(machine.truncated() == .wait)
        #expect(machine.reachedEnd(now: 0) == .wait)
        let isAbsent = machine.isAbsent
        #expect(isAbsent)
        #expect(machine.found(old, now: 0) == .open)
        machine.opened(old)
        #expect(machine.found(old, now: 0) == .wait)
        let isStillAbsent = machine.isAbsent
        #expect(!isStillAbsent)
    }

    @Test("asks again to open a file that could not be opened, whichever it is then")
    func notOpened() {
        var machine = FollowedFileStateMachine(grace: 100)
        #expect(machine.found(old, now: 0) == .open)
        #expect(machine.reachedEnd(now: 500) == .wait)
        #expect(machine.found(nil, now: 500) == .wait)
        #expect(machine.found(old, now: 600) == .open)
        #expect(machine.found(new, now: 700) == .open)
        machine.opened(new)
        #expect(machine.found(new, now: 800) == .wait)
        let isAbsent = machine.isAbsent
        #expect(!isAbsent)
    }

    @Test("reads a moved file to its end and waits until it is quiet, then opens the next")
    func rotated() {
        var machine = FollowedFileStateMachine(grace: 100)
        machine.opened(old)
        #expect(machine.reachedEnd(now: 1000) == .wait)
        #expect(machine.found(nil, now: 1000) == .wait)
        #expect(machine.found(new, now: 1000) == .wait)
        machine.read(now: 1050)
        #expect(machine.reachedEnd(now: 1149) == .wait)
        #expect(machine.truncated() == .startAgain)
        #expect(machine.reachedEnd(now: 1150) == .close)
        #expect(machine.found(new, now: 1150) == .open)
    }

    @Test(
        "knows whether the file that is opened is the one that replaced the last",
        arguments: [
            ([11], 11, false), ([11, 12], 12, true), ([11, 12, 11], 11, false),
            ([11, 12, 13], 13, true), ([12, 10, 11], 11, false),
        ] as [([UInt64], UInt64, Bool)]
    )
    func missed(named: [UInt64], opened: UInt64, isMissed: Bool) {
        var machine = FollowedFileStateMachine(grace: 100)
        #expect(machine.opened(old) == false)
        for inode in named {
            let file = FileIdentity(device: 1, inode: inode)
            #expect(machine.found(file, now: 0) == .wait)
        }
        machine.read(now: 10)
        #expect(machine.reachedEnd(now: 110) == .close)
        #expect(machine.found(nil, now: 120) == .wait)
        let file = FileIdentity(device: 1, inode: opened)
        #expect(machine.found(file, now: 130) == .open)
        #expect(machine.opened(file) == isMissed)
        #expect(machine.opened(file) == false)
    }

    @Test("goes on with a file that is moved back")
    func movedBack() {
        var machine = FollowedFileStateMachine(grace: 100)
        machine.opened(old)
        _ = machine.found(new, now: 0)
        #expect(machine.found(old, now: 50) == .wait)
        #expect(machine.reachedEnd(now: 1000) == .wait)
    }
}
