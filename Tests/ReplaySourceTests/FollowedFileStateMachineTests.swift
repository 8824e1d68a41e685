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
        "counts the files that the path has named and that were not read",
        arguments: [
            ([11], 11, 0), ([11, 12], 12, 1), ([11, 12, 11], 11, 0), ([11, 12, 13], 13, 2),
            ([12, 10, 11], 11, 0),
        ] as [([UInt64], UInt64, Int)]
    )
    func missed(named: [UInt64], opened: UInt64, count: Int) {
        var machine = FollowedFileStateMachine(grace: 100)
        #expect(machine.opened(old) == 0)
        for inode in named {
            let file = FileIdentity(device: 1, inode: inode)
            #expect(machine.found(file, now: 0) == .wait)
        }
        machine.read(now: 10)
        #expect(machine.reachedEnd(now: 110) == .close)
        #expect(machine.found(nil, now: 120) == .wait)
        let file = FileIdentity(device: 1, inode: opened)
        #expect(machine.found(file, now: 130) == .open)
        #expect(machine.opened(file) == count)
        #expect(machine.opened(file) == 0)
    }

    @Test("no longer awaits a file that is read, or that cannot be read, after it was moved")
    func between() {
        var machine = FollowedFileStateMachine(grace: 100)
        machine.opened(old)
        let files = (11...14).map { FileIdentity(device: 1, inode: $0) }
        for file in files { _ = machine.found(file, now: 0) }
        #expect(machine.awaited == files)
        #expect(machine.reachedEnd(now: 100) == .close)
        #expect(machine.opened(files[0], isNamed: false) == 0)
        #expect(machine.awaited == Array(files[1...]))
        #expect(machine.found(files[3], now: 200) == .wait)
        #expect(machine.reachedEnd(now: 300) == .close)
        machine.leftOut(files[1])
        #expect(machine.awaited == Array(files[2...]))
        #expect(machine.found(files[3], now: 300) == .open)
        #expect(machine.opened(files[3]) == 1)
        #expect(machine.awaited.isEmpty)
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
