// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineSegments
import TaplineSystem
import Testing

@testable import TaplineRuntime

@Suite("The states of a queue on disk")
struct DurableQueueStatesTests {
    private let acknowledged = Acknowledged()

    private final class Acknowledged: Sendable {
        private let count = Mutex(0)
        var all: Int { count.withLock { $0 } }

        func batch(of count: Int) -> RecordBatch {
            RecordBatch(
                records(count),
                memory: 0,
                budget: MemoryBudget(limit: 1 << 30),
                acknowledgement: BatchAcknowledgement(sinks: 1) { self.count.withLock { $0 += 1 } }
            )
        }
    }

    private func position(_ record: Int) -> SegmentPosition {
        SegmentPosition(segment: 0, offset: 16 + 10 * record, record: UInt64(record))
    }

    private func talk(
        _ overflow: QueueOptions.Overflow = .block,
        found: Int = 0
    ) -> SinkQueueConversation {
        var talk = SinkQueueConversation(overflow: overflow, disk: "queue")
        run(talk.machine.diskOpened(next: position(0), end: position(found)))
        return talk
    }

    private func run(_ effects: SinkQueueStateMachine.Effects?) {
        for callback in effects?.callbacks ?? [] { callback() }
    }

    private func submit(_ count: Int, _ talk: inout SinkQueueConversation) -> SubmitResult {
        let batch = acknowledged.batch(of: count)
        let (result, effects) = talk.machine.submitted(batch, isLive: false, now: 0) {}
        run(effects)
        return result
    }

    /// Has the disk take what is staged; the records then end at `end`.
    private func store(_ count: Int, end: Int, _ talk: inout SinkQueueConversation) {
        #expect(talk(.takeStaged) == "move \(count)")
        run(talk.machine.diskWrote([position(end)], bytes: 100))
    }

    @Test("a batch is acknowledged when it is on disk, before the sink has it")
    func acknowledgesWhenDurable() {
        var talk = talk()
        _ = submit(5, &talk)
        #expect(acknowledged.all == 0 && talk.machine.contents.front.count == 0)
        store(5, end: 5, &talk)
        #expect(acknowledged.all == 1)
        #expect(talk.machine.contents.front.count == 5)
    }

    @Test("a batch is not acknowledged when the disk fails, and is tried again")
    func failsOnce() {
        var talk = talk()
        _ = submit(5, &talk)
        #expect(talk(.takeStaged) == "move 5")
        #expect(talk.machine.diskFailed("full", now: 0)?.notices == [.diskFull("full")])
        #expect(acknowledged.all == 0 && talk.machine.contents.staged.count == 5)
        talk.milliseconds = 1001
        #expect(talk(.diskPauseEnded) == "start moving")
        store(5, end: 5, &talk)
        #expect(acknowledged.all == 1)
    }

    @Test(
        "a full disk is tried again, and the source goes on, whatever the sink does meanwhile",
        arguments: ["hangs", "was told to wait", "is closed"]
    )
    func fullWhileTheSinkStands(_ what: String) {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        _ = talk(.next)
        _ = talk(.selected(10))
        _ = talk(.next)
        if what == "is closed" {
            _ = talk(.wrote())
            _ = talk(.next)
            _ = talk(.flushFailed)
        } else if what == "was told to wait" {
            let wait = Microseconds(3_600_000_000)
            let error = SinkError(.passing, "busy", retryAfter: wait)
            run(talk.machine.writeFailed(error, now: 0))
        }
        talk.milliseconds = 5000
        _ = talk(.looked)
        #expect(submit(10, &talk) == .open)
        #expect(submit(10, &talk) == .paused)
        #expect(talk(.takeStaged) == "move 20")
        #expect(talk.machine.diskFailed("full", now: 5_000_000)?.retryDiskAt == 6_000_000)
        talk.milliseconds = 6000
        #expect(talk(.diskPauseEnded) == "start moving")
        #expect(talk(.takeStaged) == "move 20")
        let effects = talk.machine.diskWrote([position(20), position(30)], bytes: 100)
        // Two batches and the source that waits.
        #expect(effects?.callbacks.count == 3)
    }

    @Test("a full disk is tried with fewer records, down to one, and gets more again")
    func fewerRecords() {
        var talk = talk()
        for _ in 0..<2 { _ = submit(5, &talk) }
        for count in [10, 5, 2, 1] {
            #expect(talk(.takeStaged) == "move \(count)")
            let effects = talk.machine.diskWasFull("full", now: 0)
            #expect(effects?.notices == (count == 1 ? [.diskFull("full")] : []))
        }
        #expect(talk.machine.contents.staged.count == 10 && talk(.takeStaged) == "nothing to move")
        talk.milliseconds = 1001
        #expect(talk(.diskPauseEnded) == "start moving")
        store(1, end: 1, &talk)
        store(1, end: 2, &talk)
        #expect(acknowledged.all == 0, "a part of a batch is no reason")
        store(3, end: 5, &talk)
        #expect(acknowledged.all == 1)
        store(5, end: 10, &talk)
        #expect(acknowledged.all == 2 && talk.machine.contents.front.count == 10)
        #expect(talk(.next).hasPrefix("select 10"))
    }

    @Test("a disk that was full is tried at once if records were committed meanwhile")
    func committedMeanwhile() {
        var talk = talk()
        _ = submit(1, &talk)
        for _ in 0..<2 {
            #expect(talk(.takeStaged) == "move 1")
            run(talk.machine.diskCommitted(bytes: 0))
            #expect(talk.machine.diskWasFull("full", now: 0)?.retryDiskAt == nil)
        }
        #expect(talk(.takeStaged) == "move 1")
        #expect(talk.machine.diskWasFull("full", now: 0)?.retryDiskAt == 1_000_000)
    }

    @Test("the oldest that make room in memory may be parts of a batch, which ends once")
    func dropsParts() {
        var talk = talk(.dropOldest)
        _ = submit(20, &talk)
        #expect(talk(.takeStaged) == "move 20")
        run(talk.machine.diskWasFull("full", now: 0))
        #expect(talk(.takeStaged) == "move 10")
        run(talk.machine.diskFailed("full", now: 0))
        _ = submit(5, &talk)
        #expect(acknowledged.all == 0 && talk.machine.counters.dropped == 10)
        for _ in 0..<2 { _ = submit(5, &talk) }
        #expect(acknowledged.all == 1 && talk.machine.counters.dropped == 20)
        let counters = talk.machine.counters
        #expect(counters.received == counters.accounted)
    }

    @Test("the sink flushes at once when the disk is full, since that may make room")
    func flushesForRoom() {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        write(&talk)
        _ = talk(.next)
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(10))
        _ = submit(10, &talk)
        store(10, end: 20, &talk)
        write(&talk)
        _ = submit(1, &talk)
        #expect(talk(.takeStaged) == "move 1")
        #expect(talk(.next).hasPrefix("sleep"))
        #expect(talk.machine.diskWasFull("full", now: 0)?.wakes == true)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(20))
        #expect(talk.machine.diskCommitted(bytes: 0).spills)
    }

    @Test("the position is committed after the flush")
    func commits() {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        #expect(talk(.next).hasPrefix("select 10"))
        _ = talk(.selected(10))
        _ = talk(.next)
        #expect(talk.machine.wrote(duplicates: 0)?.commits == nil)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(10))
    }

    /// Has the sink write the next ten records.
    private func write(_ talk: inout SinkQueueConversation) {
        #expect(talk(.next).hasPrefix("select 10"))
        _ = talk(.selected(10))
        _ = talk(.next)
        _ = talk(.wrote())
    }

    @Test("after a failed flush the sink is opened again and gets what follows the last one")
    func failedFlush() {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        write(&talk)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(10))
        _ = submit(10, &talk)
        store(10, end: 20, &talk)
        write(&talk)
        #expect(talk(.next).hasPrefix("flush sink"))
        let failed = talk.machine.flushed(failure: "flush: locked", now: 0)
        #expect(failed?.commits == nil && failed?.notices == [.failing("flush: locked")])
        #expect(talk(.next) == "sleep until 50")
        // Further records wait on disk.
        _ = submit(10, &talk)
        store(10, end: 30, &talk)
        talk.milliseconds = 50
        #expect(talk(.next) == "close and open sink")
        #expect(talk(.restartFailed) == "-")
        #expect(talk(.next) == "sleep until 150", "the pause doubles")
        talk.milliseconds = 150
        #expect(talk(.next) == "close and open sink")
        #expect(talk(.restarted) == "log writingAgain(records: 10)")
        #expect(talk.machine.state(now: 0).queue.isUnflushed)
        #expect(talk.machine.state(now: 0).state == .failing)
        #expect(talk(.next) == "read up to 10 from 10")
        #expect(talk(.diskRead(10)) == "-")
        write(&talk)
        #expect(talk.machine.state(now: 0).state == .failing, "only a flush shows that it works")
        talk.milliseconds = 1000
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(20))
        #expect(talk.machine.state(now: 0).state == .running)
        #expect(!talk.machine.state(now: 0).queue.isUnflushed)
        #expect(talk(.next) == "read up to 10 from 20")
        let counters = talk.machine.counters
        #expect(counters.repeated == 10 && counters.written == 30)
        #expect(counters.received == counters.accounted)
    }

    @Test("a sink that fails leaves its records to its successor with its next step")
    func leaves() {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        #expect(talk(.next).hasPrefix("select 10"))
        _ = talk(.selected(8))
        _ = talk(.next)
        _ = talk(.writeFailed(.passing))
        _ = submit(5, &talk)
        #expect(talk(.leave) == "wake")
        #expect(talk(.next) == "sleep", "not before all records are on disk")
        store(5, end: 15, &talk)
        #expect(talk(.next).hasPrefix("end"))
        let counters = talk.machine.counters
        #expect(counters.handedOver == 15 && counters.kept == 0 && counters.errors == 0)
        #expect(counters.received == counters.accounted)
        #expect(talk.machine.state(now: 0).state == .ended)
    }

    @Test("a sink that leaves flushes what it has written, so that its successor does not get it")
    func leavesWritten() {
        var talk = talk()
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        _ = submit(10, &talk)
        store(10, end: 20, &talk)
        write(&talk)
        _ = talk(.leave)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(10))
        #expect(talk(.next).hasPrefix("end"))
        #expect(talk.machine.counters.handedOver == 10)
        #expect(talk.machine.counters.accounted == 20)
    }

    @Test("records of a predecessor are those of this run")
    func takesOver() {
        var talk = SinkQueueConversation(disk: "queue")
        run(talk.machine.diskOpened(next: position(0), end: position(8), left: 6))
        let counters = talk.machine.counters
        #expect(counters.takenOver == 6 && counters.repeated == 2 && counters.recovered == 0)
        #expect(counters.received == counters.accounted)
        var former = SinkCounters()
        former.received = 6
        former.handedOver = 6
        former += counters
        #expect(former.takenOver == 0 && former.handedOver == 0 && former.queued == 8)
        #expect(former.received == former.accounted)
    }

    @Test("records of an earlier run are read first, then those in memory")
    func recovers() {
        var talk = talk(found: 10)
        _ = submit(2, &talk)
        store(2, end: 12, &talk)
        #expect(talk.machine.contents.stored == 12 && talk.machine.contents.front.count == 0)
        #expect(talk(.next) == "read up to 10 from 0")
        run(talk.machine.diskRead(batch(10), end: position(10), lost: 0, ""))
        #expect(talk.machine.contents.stored == 2 && talk.machine.contents.front.count == 10)
        #expect(talk.machine.counters.recovered == 10)
    }

    @Test("unreadable records count as errors, and a read that gets nowhere does not repeat")
    func unreadable() {
        var talk = talk(found: 24)
        _ = talk(.next)
        let effects = talk.machine.diskRead(nil, end: position(4), lost: 4, "torn")
        #expect(effects?.notices == [.diskUnreadable(records: 4, "torn")])
        #expect(talk(.next) == "read up to 10 from 4")
        _ = talk.machine.diskRead(nil, end: position(4), lost: 0, "")
        #expect(talk.machine.counters.errors == 24 && talk.machine.contents.stored == 0)
        #expect(talk(.next).hasPrefix("flush sink"), "the position moves on")
        #expect(talk.machine.flushed(failure: nil, now: 0)?.commits == position(24))
    }

    @Test("a read that fails is tried again after a second, loses nothing and is logged once")
    func failingRead() {
        var talk = talk(found: 10)
        #expect(talk(.next) == "read up to 10 from 0")
        let first = talk.machine.readFailed("too many open files", now: 0)
        #expect(first?.notices == [.diskReadFailing("too many open files")])
        #expect(talk(.next) == "sleep until 1000")
        #expect(talk.machine.counters.errors == 0 && talk.machine.contents.stored == 10)
        #expect(talk.machine.state(now: 0).queue.readFailure == "too many open files")
        talk.milliseconds = 1001
        #expect(talk(.next) == "read up to 10 from 0")
        let second = talk.machine.readFailed("too many open files", now: 1_001_000)
        #expect(second?.notices == [])
        talk.milliseconds = 2002
        #expect(talk(.next) == "read up to 10 from 0")
        run(talk.machine.diskRead(batch(10), end: position(10), lost: 0, ""))
        #expect(talk.machine.contents.front.count == 10 && talk.machine.counters.errors == 0)
        #expect(talk.machine.state(now: 0).queue.readFailure == nil)
    }

    @Test("records that are dropped while they are read are not written")
    func droppedMeanwhile() {
        var talk = talk(.dropOldest, found: 10)
        _ = talk(.next)
        run(talk.machine.diskDropped(until: position(6)))
        #expect(talk.machine.counters.dropped == 6)
        run(talk.machine.diskRead(batch(8), end: position(8), lost: 0, ""))
        #expect(talk.machine.contents.front.count == 0 && talk.machine.contents.stored == 4)
        let counters = talk.machine.counters
        #expect(counters.received == counters.accounted)
    }

    @Test("recordings wait when too much waits for the disk, even if the sink fails")
    func pauses() {
        var talk = talk()
        #expect(submit(10, &talk) == .open)
        #expect(talk(.takeStaged) == "move 10")
        _ = talk.machine.diskFailed("full", now: 0)
        #expect(submit(10, &talk) == .paused)
    }

    @Test("at the limit the oldest make room until the new ones fit")
    func makesRoom() throws {
        var drops = 0
        let result = try QueueRoom.append(onFullDisk: false) { () throws(SegmentError) -> Int in
            if drops < 3 { throw SegmentError.limit(1000) }
            return drops
        } droppingOldest: {
            drops += 1
            return true
        }
        #expect(result == 3)
    }

    @Test("on a full disk, which others may fill again, one file is dropped for each try")
    func makesLittleRoom() {
        let full = SegmentError.file(FileError("write to", "queue", code: 28))
        let broken = SegmentError.file(FileError("write to", "queue", code: 5))
        let cases: [(SegmentError, Bool, Int)] = [
            (full, true, 1), (full, false, 0), (broken, true, 0), (.inUse("queue"), true, 0),
        ]
        for (error, drops, expected) in cases {
            var (tries, dropped) = (0, 0)
            #expect(throws: SegmentError.self) {
                try QueueRoom.append(onFullDisk: drops) { () throws(SegmentError) -> Void in
                    tries += 1
                    throw error
                } droppingOldest: {
                    dropped += 1
                    return true
                }
            }
            #expect(dropped == expected && tries == expected + 1)
        }
    }

    @Test("records whose file was dropped are lost with the process, even if they are in memory")
    func droppedFromDisk() {
        var talk = talk(.dropOldest)
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        run(talk.machine.diskDropped(until: position(6)))
        #expect(talk.machine.counters.dropped == 0, "they are in memory")
        _ = talk(.abandon)
        let counters = talk.machine.counters
        #expect(counters.kept == 4 && counters.errors == 6)
        #expect(counters.received == counters.accounted)
    }

    @Test("a refused record is held until it can be set aside")
    func heldDeadLetter() {
        var talk = SinkQueueConversation(disk: "queue", deadLetters: "refused.ndjson")
        run(talk.machine.diskOpened(next: position(0), end: position(0)))
        _ = submit(10, &talk)
        store(10, end: 10, &talk)
        _ = talk(.next)
        _ = talk(.selected(1))
        #expect(talk(.next).hasPrefix("write 0..<1"))
        _ = talk(.writeFailed(.refused))
        #expect(talk(.next).hasPrefix("set 0 aside: locked"))
        run(talk.machine.wroteDeadLetter(failure: "no space left on device", now: 0))
        #expect(talk.machine.counters.errors == 0 && talk.machine.isFailing)
        #expect(talk(.next).hasPrefix("sleep until"))
        talk.milliseconds = 10_000
        #expect(talk(.next).hasPrefix("set 0 aside: locked"))
        run(talk.machine.wroteDeadLetter(failure: nil, now: 10_000_000))
        #expect(talk.machine.counters.deadLetters == 1 && talk.machine.counters.errors == 0)
        let isFailing = talk.machine.isFailing
        #expect(!isFailing)
        #expect(talk(.next).hasPrefix("flush sink"))
    }

    @Test("what is on disk is kept when the pipeline stops waiting; what is not is lost")
    func abandoned() {
        var talk = talk(found: 3)
        _ = submit(2, &talk)
        store(2, end: 5, &talk)
        _ = submit(4, &talk)
        _ = talk(.abandon)
        let counters = talk.machine.counters
        #expect(counters.kept == 5 && counters.errors == 4)
        #expect(counters.received == counters.accounted)
        #expect(acknowledged.all == 1)
    }
}
