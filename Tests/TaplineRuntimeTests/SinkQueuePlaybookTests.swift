// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

/// A line of a playbook: the time in milliseconds, the event, and the expected effects.
private typealias Line = (Int64, QueueEvent, String)

/// Expects the effects of each event, in order.
private func expect(
    _ talk: inout SinkQueueConversation,
    _ lines: [Line],
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for (number, (time, event, expected)) in lines.enumerated() {
        talk.milliseconds = time
        let answer = talk(event)
        #expect(answer == expected, "line \(number + 1), \(event)", sourceLocation: sourceLocation)
    }
}

/// A thread that has taken ten records and is writing them.
private let writesTen: [Line] = [
    (0, .submit(10), "-"),
    (0, .next, "select 10"),
    (0, .selected(10), "-"),
    (0, .next, "write 0..<10; look at 5000"),
]

@Suite("Playbooks of a sink's queue")
struct SinkQueuePlaybookTests {
    @Test("a full queue makes a recording wait until half of the queue is free")
    func fullQueue() {
        var talk = SinkQueueConversation()
        expect(
            &talk,
            [
                (0, .next, "sleep"),
                (0, .submit(10), "wake"),
                (0, .submit(10), "paused"),
                (1, .next, "select 10"),
                (1, .selected(10), "-"),
                (1, .next, "write 0..<10; look at 5001"),
                (9, .wrote(), "call 1 back"),
                (9, .submit(10), "paused"),
                (9, .next, "select 10"),
            ]
        )
        #expect(talk.state == "selecting 10, 10 queued")
        let counters = talk.machine.counters
        #expect(counters.queued == 20 && counters.written == 10)
    }

    @Test("a full queue of live traffic moves to the disk, and back in order")
    func liveTraffic() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .submit(20, live: true), "-"),
                (1, .submit(4, live: true), "-"),
                (1, .submit(6, live: true), "start moving"),
                (1, .takeStaged, "move 10"),
                (2, .submit(3, live: true), "-"),
                (2, .spilled(), "log spilling(records: 10, bytes: 1000)"),
                (2, .takeStaged, "nothing to move"),
                (3, .wrote(), "-"),
                (3, .next, "select 20"),
                (3, .selected(20), "-"),
                (3, .next, "write 0..<20"),
                (4, .wrote(), "-"),
                (4, .next, "read back up to 10"),
                (4, .readBack(10), "-"),
                (4, .next, "select 10"),
                (4, .selected(10), "-"),
                (4, .next, "write 0..<10"),
                (5, .wrote(), "-"),
                // Records that were never moved are next.
                (5, .next, "sleep until 54; log spillEmpty(records: 10)"),
                (54, .next, "select 3"),
            ]
        )
    }

    @Test("a failed write lets sources continue and is retried with growing delays")
    func failingWrite() {
        var talk = SinkQueueConversation()
        expect(&talk, [(0, .submit(10), "-"), (0, .submit(10), "paused")])
        expect(
            &talk,
            [
                (0, .next, "select 10"),
                (0, .selected(10), "-"),
                (0, .next, "write 0..<10; look at 5000"),
                (3, .writeFailed(.passing), "call 1 back; log failing(\"locked\")"),
                (3, .submit(10), "start moving"),
                (3, .next, "sleep until 53"),
                (53, .next, "write 0..<10"),
                (54, .writeFailed(.passing), "-"),
                (54, .next, "sleep until 154"),
                (154, .next, "write 0..<10"),
                (155, .writeFailed(.passing), "-"),
                (155, .next, "sleep until 355"),
                (355, .next, "write 0..<10"),
                (356, .wrote(), "-"),
                (356, .next, "select 10"),
            ]
        )
        #expect(talk.state == "selecting 10, 10 staged")
        #expect(talk.machine.counters.retries == 3)
    }

    @Test("after max_elapsed a sink is degraded, keeps its records, and recovers")
    func degraded() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.passing), "log failing(\"locked\")"),
                (51, .next, "write 0..<10"),
                (30_000, .writeFailed(.passing), "log degraded(Optional(\"locked\"))"),
                (30_000, .next, "sleep until 30100"),
                (30_100, .next, "write 0..<10"),
                (30_100, .writeFailed(.passing), "-"),
                (30_300, .next, "write 0..<10"),
                (30_301, .wrote(), "log recovered"),
            ]
        )
        #expect(talk.machine.counters.errors == 0 && !talk.machine.counters.isDegraded)
    }

    @Test("a write that has not returned for 5 s counts as failed until it returns")
    func hangs() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (10, .submit(20), "paused"),
                (4999, .looked, "look at 5000"),
                (5000, .looked, "look at 30000; call 1 back; log hanging"),
                (5001, .submit(10), "start moving"),
                (5001, .takeStaged, "move 10"),
                (5002, .spilled(), "log spilling(records: 10, bytes: 1000)"),
                (30_000, .looked, "log degraded(nil)"),
                (40_000, .wrote(), "log recovered"),
                (40_000, .next, "select 20"),
                (40_000, .selected(20), "-"),
                // The call is watched again.
                (40_000, .next, "write 0..<20; look at 45000"),
            ]
        )
    }

    @Test("a call that returns in time is no longer watched")
    func watch() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (10, .wrote(), "-"),
                (10, .next, "flush sink"),
                (12, .flushed, "-"),
                (5000, .looked, "-"),
                (5000, .submit(10), "-"),
                (5000, .next, "select 10"),
                (5000, .selected(10), "-"),
                (5000, .next, "write 0..<10; look at 10000"),
            ]
        )
    }

    @Test("queued records are retried after a stop until the pipeline stops waiting")
    func stopDuringBackOff() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.passing), "log failing(\"locked\")"),
                (2, .submit(5), "-"),
                (3, .close, "wake"),
                (3, .next, "sleep until 51"),
                (40, .abandon, "wake; log lost(records: 15)"),
                (40, .next, "end"),
            ]
        )
        let counters = talk.machine.counters
        #expect(counters.errors == 15 && counters.queued == 0)
    }

    @Test("a call that returns after the pipeline has stopped waiting changes no counter")
    func drainTimeout() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .flush, "wake"),
                (2, .abandon, "wake; call 1 back; log lost(records: 10)"),
                (2, .submit(3), "closed"),
                (9, .wrote(), "-"),
                (9, .next, "end"),
            ]
        )
        let counters = talk.machine.counters
        #expect(counters.errors == 10 && counters.written == 0 && counters.dropped == 3)
    }

    @Test("a closing queue hands over all records, flushes, and ends")
    func close() {
        var talk = SinkQueueConversation()
        expect(
            &talk,
            [
                (0, .submit(3), "-"),
                (0, .next, "sleep until 50"),
                (1, .close, "wake"),
                (1, .next, "select 3"),
                (1, .selected(2), "-"),
                (1, .next, "write 0..<2; look at 5001"),
                (2, .wrote(duplicates: 1), "-"),
                (2, .next, "flush sink"),
                (2, .flushed, "-"),
                (2, .next, "end"),
                (3, .submit(1), "closed"),
            ]
        )
        let counters = talk.machine.counters
        #expect(counters.filtered == 1 && counters.written == 1 && counters.duplicates == 1)
    }

    @Test("records that the destination has discarded count as errors")
    func rejected() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(&talk, [(1, .wrote(duplicates: 1, rejected: 2), "-")])
        let counters = talk.machine.counters
        #expect(counters.written == 7 && counters.duplicates == 1 && counters.errors == 2)
    }

    @Test("a refused record is found by halving; the others are written in order")
    func splitting() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.refused), "-"),
                (1, .next, "write 0..<5"),
                (1, .wrote(), "-"),
                (1, .next, "write 5..<10"),
                (1, .writeFailed(.refused), "-"),
                (1, .next, "write 5..<7"),
                (1, .writeFailed(.refused), "-"),
                (1, .next, "write 5..<6"),
                (1, .wrote(), "-"),
                (1, .next, "write 6..<7"),
                (1, .writeFailed(.refused), "-"),
                // A temporary failure does not hide it.
                (1, .next, "write 7..<10"),
                (2, .writeFailed(.passing), "log failing(\"locked\")"),
                (52, .next, "write 7..<10"),
                (53, .wrote(), "log refused(soFar: 1, \"locked\")"),
            ]
        )
        let counters = talk.machine.counters
        #expect(counters.written == 9 && counters.errors == 1)
    }

    @Test("a full disk is reported once; the newest records are dropped until there is room")
    func fullDisk() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.passing), "log failing(\"locked\")"),
                (1, .submit(20), "paused; start moving"),
                (1, .takeStaged, "move 20"),
                (
                    2, .spillFailed,
                    "try the disk at 1002; call 1 back; log spillFull(\"disk full\")"
                ),
                (2, .submit(5), "-"),
                (3, .submit(5), "-"),
                // The disk is tried again a second later.
                (1001, .diskPauseEnded, "-"),
                (1002, .submit(5), "-"),
                (1002, .diskPauseEnded, "start moving"),
                (1002, .takeStaged, "move 20"),
                (1003, .spillFailed, "try the disk at 2003"),
                (1004, .takeStaged, "nothing to move"),
                (1500, .diskPauseEnded, "-"),
                (2003, .submit(5), "-"),
                (2003, .diskPauseEnded, "start moving"),
                (2003, .takeStaged, "move 20"),
                (2004, .spilled(), "log spilling(records: 20, bytes: 1000)"),
                (2005, .submit(5), "-"),
            ]
        )
        let counters = talk.machine.counters
        #expect(counters.dropped == 20 && counters.unspilled == 20 && counters.queued == 35)
    }

    @Test("unreadable records of the spill are lost, counted and reported")
    func unreadable() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.passing), "log failing(\"locked\")"),
                (1, .submit(15), "start moving"),
                (1, .takeStaged, "move 15"),
                (2, .spilled(), "log spilling(records: 15, bytes: 1000)"),
                (60, .next, "write 0..<10"),
                (60, .wrote(), "-"),
                (60, .next, "read back up to 10"),
                (60, .readBack(8, lost: 2), "log spillUnreadable(records: 2, \"torn\")"),
                (60, .next, "select 8"),
                (60, .selected(8), "-"),
                (60, .next, "write 0..<8"),
                (61, .wrote(), "-"),
                (160, .next, "read back up to 5"),
                (
                    160, .readBack(0),
                    "log spillUnreadable(records: 5, \"torn\"); log spillEmpty(records: 15)"
                ),
            ]
        )
        #expect(talk.machine.counters.errors == 7 && talk.machine.counters.written == 18)
    }

    @Test("a failed note of unfinished exchanges is repeated after the next batch")
    func notes() {
        var talk = SinkQueueConversation()
        expect(
            &talk,
            [
                (0, .opened, "-"),
                (0, .next, "sleep until 50"),
                (50, .next, "note 1 opened, 0 ended; look at 5050"),
                (51, .noteFailed, "log notesOutdated(\"locked\")"),
                (60, .submit(10), "-"),
                (60, .next, "select 10"),
                (60, .selected(10), "-"),
                (60, .next, "write 0..<10"),
                (61, .wrote(), "-"),
                (61, .next, "note 0 opened, 0 ended"),
                (62, .noteFailed, "-"),
                (62, .close, "wake"),
                (62, .next, "flush sink"),
                (62, .flushed, "-"),
                (62, .next, "note again, end"),
            ]
        )
    }

    @Test("failed notes are logged once, even if other exchanges begin meanwhile")
    func repeatedNotes() {
        var talk = SinkQueueConversation()
        expect(
            &talk,
            [
                (0, .opened, "-"),
                (0, .next, "sleep until 50"),
                (50, .next, "note 1 opened, 0 ended; look at 5050"),
                (51, .noteFailed, "log notesOutdated(\"locked\")"),
                (52, .opened, "-"),
                (52, .next, "sleep until 100"),
                (100, .next, "note 1 opened, 0 ended"),
                (101, .noteFailed, "-"),
            ]
        )
    }

    @Test("records and flushes are not starved by a stream of new exchanges")
    func turns() {
        var talk = SinkQueueConversation(maxExchanges: 100, batchLimit: 4)
        for _ in 0..<3 { _ = talk(.submit(4)) }
        _ = talk(.flush)
        var seen: [String] = []
        for _ in 0..<5 {
            // Each step of the sink takes long.
            _ = talk(.opened)
            let step = talk(.next)
            seen.append(step)
            switch step.prefix(4) {
            case "note": _ = talk(.noted)
            case "flus": _ = talk(.flushed)
            default:
                _ = talk(.selected(4))
                _ = talk(.next)
                _ = talk(.wrote())
            }
        }
        #expect(
            seen == [
                "note 1 opened, 0 ended; look at 5000", "select 4", "select 4", "select 4",
                "flush sink",
            ]
        )
        let last = talk(.next)
        #expect(last == "note 4 opened, 0 ended")
    }

    @Test("files are reopened before anything else, even during a back-off")
    func reopens() {
        var talk = SinkQueueConversation()
        expect(&talk, writesTen)
        expect(
            &talk,
            [
                (1, .writeFailed(.passing), "log failing(\"locked\")"),
                (2, .reopen, "wake"),
                (2, .next, "reopen sink"),
                (3, .reopenFailed, "log callFailed(\"open: locked\")"),
                (3, .next, "sleep until 51"),
                (51, .next, "write 0..<10"),
            ]
        )
        #expect(talk.machine.counters.failures == 1)
    }

    @Test("records that are submitted together are never split at the batch limit")
    func wholeBatches() {
        var talk = SinkQueueConversation(maxExchanges: 100)
        for count in [4, 4, 4, 15] { _ = talk(.submit(count)) }
        var seen: [String] = []
        _ = talk(.close)
        for count in [8, 4, 15] {
            seen.append(talk(.next))
            _ = talk(.selected(count))
            _ = talk(.next)
            _ = talk(.wrote())
        }
        #expect(seen == ["select 8", "select 4", "select 15"])
    }

    @Test("pending notifications are bounded by the open exchanges while the sink is stuck")
    func activeIsBounded() {
        var talk = SinkQueueConversation(maxExchanges: 100)
        func id(_ number: Int) -> ExchangeID { ExchangeID(high: 7, low: UInt64(number)) }
        func begun(_ number: Int) -> ActiveExchange {
            ActiveExchange(Exchange(id: id(number), request: Request(method: "GET")))
        }
        // The sink knows of these.
        for number in [1, 2] { _ = talk.machine.opened(begun(number)) }
        _ = talk(.next)
        talk.milliseconds = 60
        _ = talk(.next)
        _ = talk(.noted)
        for number in 3..<203 { _ = talk.machine.opened(begun(number)) }
        _ = talk.machine.ended([id(1)])
        for number in 1000..<20_000 {
            _ = talk.machine.opened(begun(number))
            _ = talk.machine.ended([id(number)])
        }
        _ = talk.machine.ended([id(2)])
        let active = talk.machine.active
        // All open exchanges, the ended ones that the sink knows of, and those since the last
        // removal.
        #expect(active.opened.prefix(200).map(\.id) == (3..<203).map(id))
        #expect(active.opened.count < 410 && active.ended.count < 410)
        #expect(active.ended.first == id(1) && active.ended.last == id(2))
    }
}
