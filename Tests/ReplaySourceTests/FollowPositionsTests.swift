// SPDX-License-Identifier: MIT

import Testing

@testable import ReplaySource

@Suite("The positions of followed files")
struct FollowPositionsTests {
    private func mark(_ offset: Int) -> FollowMark {
        FollowMark(identity: FileIdentity(device: 1, inode: 1), head: [], offset: offset)
    }

    @Test("move when all earlier batches are acknowledged, in any order")
    func order() {
        var positions = FollowPositions(["a": mark(5)])
        #expect(positions.issue("a", mark(10)) == 0)
        #expect(positions.issue("b", mark(20)) == 1)
        #expect(positions.issue("a", mark(30)) == 2)
        #expect(positions.acknowledge(2) == false)
        #expect(positions.acknowledge(1) == false)
        #expect(positions.marks == ["a": mark(5)])
        #expect(positions.unconfirmed == 3)
        #expect(positions.acknowledge(0) == true)
        #expect(positions.marks == ["a": mark(30), "b": mark(20)])
        #expect(positions.isComplete)
        #expect(positions.unconfirmed == 0)
    }

    @Test("need bounded memory while a batch is never acknowledged")
    func bounded() {
        var positions = FollowPositions(limit: 8)
        _ = positions.issue("first", mark(1))
        for number in 1...1000 {
            let issued = positions.issue(number.isMultiple(of: 2) ? "a" : "b", mark(number))
            #expect(positions.acknowledge(issued) == false)
            #expect(positions.pendingCount <= 8)
        }
        #expect(positions.marks.isEmpty)
        #expect(positions.unconfirmed == 1001)
        #expect(positions.acknowledge(0) == true)
        #expect(positions.marks == ["first": mark(1), "a": mark(1000), "b": mark(999)])
        #expect(positions.isComplete)
    }

    @Test("never pass a batch that is not acknowledged when some are forgotten")
    func safe() {
        var positions = FollowPositions(limit: 4)
        for number in 0..<100 { _ = positions.issue("a", mark(number)) }
        for number in 0..<99 {
            _ = positions.acknowledge(UInt64(number))
            #expect((positions.marks["a"]?.offset ?? 0) <= number)
            #expect(!positions.isComplete)
        }
        #expect(positions.acknowledge(99) == true)
        #expect(positions.marks == ["a": mark(99)])
    }

    @Test("report a file whose position does not move, once")
    func stalled() {
        let time = FollowPositions.stallTime
        var positions = FollowPositions()
        #expect(positions.stalledPath(now: 0) == nil)
        let first = positions.issue("a", mark(1))
        #expect(positions.stalledPath(now: 10) == nil)
        _ = positions.issue("b", mark(1))
        #expect(positions.stalledPath(now: 9 + time) == nil)
        #expect(positions.stalledPath(now: 10 + time) == "a")
        #expect(positions.stalledPath(now: 20 + time) == nil)
        #expect(positions.acknowledge(first) == true)
        #expect(positions.stalledPath(now: 30 + time) == nil)
        #expect(positions.stalledPath(now: 30 + 2 * time) == "b")
    }

    @Test("report nothing while batches are acknowledged, or there are none")
    func moving() {
        let time = FollowPositions.stallTime
        var positions = FollowPositions()
        for step in 0..<5 {
            let number = positions.issue("a", mark(step))
            #expect(positions.stalledPath(now: Int64(step) * time) == nil)
            #expect(positions.acknowledge(number) == true)
        }
        #expect(positions.stalledPath(now: 9 * time) == nil)
        _ = positions.issue("a", mark(9))
        #expect(positions.stalledPath(now: 10 * time) == nil)
    }
}
