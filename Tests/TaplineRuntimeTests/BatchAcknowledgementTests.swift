// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineRuntime

@Suite("The acknowledgement of a batch")
struct BatchAcknowledgementTests {
    /// The numbers of the acknowledged batches, in order.
    private final class Acknowledged: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }

        func batch(_ number: Int, of count: Int, sinks: Int = 1) -> RecordBatch {
            RecordBatch(
                records(count),
                memory: 0,
                budget: MemoryBudget(limit: 1 << 30),
                acknowledgement: BatchAcknowledgement(sinks: sinks) {
                    self.numbers.withLock { $0.append(number) }
                }
            )
        }
    }

    private func run(_ effects: SinkQueueStateMachine.Effects?) {
        for callback in effects?.callbacks ?? [] { callback() }
    }

    private func submit(_ batch: RecordBatch, to talk: inout SinkQueueConversation) {
        run(talk.machine.submitted(batch, isLive: false, now: 0) {}.1)
    }

    /// Writes the next batch of the sink.
    private func write(_ count: Int, _ talk: inout SinkQueueConversation) {
        _ = talk(.next)
        run(talk.machine.selected(count))
        _ = talk(.next)
        run(talk.machine.wrote(duplicates: 0))
    }

    @Test("comes after the flush, not after the write")
    func afterFlush() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        write(10, &talk)
        #expect(acknowledged.all == [])
        #expect(talk(.next).hasPrefix("flush sink"))
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(acknowledged.all == [1])
    }

    @Test("comes after a failed flush, when the sink was opened again and has every record")
    func failedFlush() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        write(10, &talk)
        _ = talk(.next)
        let failed = talk.machine.flushed(failure: "disk", now: 0)
        #expect(failed?.notices == [.failing("disk")])
        submit(acknowledged.batch(2, of: 10), to: &talk)
        talk.milliseconds = 50
        #expect(talk(.next).hasPrefix("close and open sink"))
        #expect(talk(.restarted) == "log writingAgain(records: 10)")
        write(10, &talk)
        write(10, &talk)
        #expect(acknowledged.all == [], "only a flush shows what is durable")
        #expect(talk(.next).hasPrefix("flush sink"))
        let flushed = talk.machine.flushed(failure: nil, now: 50_000)
        #expect(flushed?.released.count == 2)
        run(flushed)
        #expect(acknowledged.all == [1, 2])
        let counters = talk.machine.counters
        #expect(counters.repeated == 10 && counters.written == 30 && counters.failures == 0)
        #expect(counters.received == counters.accounted)
    }

    @Test("makes a flush due before more than the limit of the queue waits for it")
    func boundedMemory() {
        var talk = SinkQueueConversation(maxExchanges: 20)
        let acknowledged = Acknowledged()
        for number in 1...3 { submit(acknowledged.batch(number, of: 10), to: &talk) }
        write(10, &talk)
        write(10, &talk)
        #expect(talk.machine.contents.front.count == 10)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk.machine.contents.unflushed.count == 20)
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(talk.machine.contents.unflushed.count == 0 && acknowledged.all == [1, 2])
    }

    @Test(
        "records that a failed flush returns to a queue take no room from others",
        arguments: [QueueOptions.Overflow.dropNewest, .dropOldest]
    )
    func returnedRecords(_ overflow: QueueOptions.Overflow) {
        var talk = SinkQueueConversation(maxExchanges: 20, overflow: overflow)
        let acknowledged = Acknowledged()
        for number in 1...2 {
            submit(acknowledged.batch(number, of: 10), to: &talk)
            write(10, &talk)
        }
        #expect(talk(.next).hasPrefix("flush sink"))
        run(talk.machine.flushed(failure: "disk", now: 0))
        talk.milliseconds = 50
        #expect(talk(.next).hasPrefix("close and open sink"))
        #expect(talk(.restarted) == "log writingAgain(records: 20)")
        for number in 3...4 { submit(acknowledged.batch(number, of: 10), to: &talk) }
        #expect(talk.machine.counters.dropped == 0 && talk.machine.contents.front.count == 40)
        submit(acknowledged.batch(5, of: 10), to: &talk)
        #expect(talk.machine.counters.dropped == 10 && talk.machine.contents.front.count == 40)
        for _ in 0..<2 { write(10, &talk) }
        // The sink has the returned records again.
        #expect(talk.machine.contents.front.count == 20 && talk.machine.contents.returned == (0, 0))
        submit(acknowledged.batch(6, of: 10), to: &talk)
        #expect(talk.machine.counters.dropped == 20 && talk.machine.contents.front.count == 20)
        let counters = talk.machine.counters
        #expect(counters.received == counters.accounted)
    }

    @Test("no record is kept until the flush, and a failed one is only counted, if nobody waits")
    func notAwaited() {
        var talk = SinkQueueConversation()
        _ = talk(.submit(10))
        write(10, &talk)
        #expect(talk.machine.contents.unflushed.count == 0)
        #expect(talk(.next).hasPrefix("flush sink"))
        #expect(talk(.flushFailed) == "log callFailed(\"flush: locked\")")
        #expect(talk.machine.counters.failures == 1)
    }

    @Test("records that no flush made durable are lost when the pipeline stops waiting")
    func abandonedUnflushed() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        write(10, &talk)
        _ = talk(.next)
        run(talk.machine.flushed(failure: "disk", now: 0))
        #expect(talk(.abandon).contains("log lost(records: 10)"))
        #expect(acknowledged.all == [] && talk.machine.counters.errors == 10)
        let counters = talk.machine.counters
        #expect(counters.received == counters.accounted)
    }

    @Test("of an empty batch waits for the records before it")
    func emptyBatch() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(0, of: 0), to: &talk)
        #expect(acknowledged.all == [0])
        submit(acknowledged.batch(1, of: 10), to: &talk)
        submit(acknowledged.batch(2, of: 0), to: &talk)
        #expect(acknowledged.all == [0])
        write(10, &talk)
        _ = talk(.next)
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(acknowledged.all == [0, 1, 2])
    }

    @Test("comes if every record is filtered or refused, after the flush")
    func filtered() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        _ = talk(.next)
        run(talk.machine.selected(0))
        _ = talk(.next)
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(acknowledged.all == [1])
    }

    @Test("of records in the spill waits until they are read back and written")
    func spilled() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        _ = talk(.next)
        run(talk.machine.selected(10))
        _ = talk(.next)
        run(talk.machine.writeFailed(SinkError(.passing, "locked"), now: 0))
        submit(acknowledged.batch(2, of: 10), to: &talk)
        #expect(talk(.takeStaged) == "move 10")
        run(talk.machine.spilled(bytes: 1000, now: 0))
        talk.milliseconds = 60
        _ = talk(.next)
        run(talk.machine.wrote(duplicates: 0))
        talk.milliseconds = 1000
        #expect(talk(.next).hasPrefix("flush sink"), "a flush is due though the queue has records")
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(acknowledged.all == [1])
        #expect(talk(.next).hasPrefix("read back"))
        _ = talk(.readBack(10))
        write(10, &talk)
        talk.milliseconds = 2000
        _ = talk(.next)
        run(talk.machine.flushed(failure: nil, now: 0))
        #expect(acknowledged.all == [1, 2])
    }

    @Test("never comes from a queue that the pipeline abandons")
    func abandoned() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10), to: &talk)
        run(talk.machine.abandoned())
        submit(acknowledged.batch(2, of: 10), to: &talk)
        #expect(acknowledged.all == [])
    }

    @Test("does not wait for a sink whose reader is gone, however far it has come")
    func readerGone() {
        var talk = SinkQueueConversation()
        let acknowledged = Acknowledged()
        let batches = (1...3).map { acknowledged.batch($0, of: 10, sinks: 2) }
        for batch in batches.prefix(2) { submit(batch, to: &talk) }
        _ = talk(.next)
        run(talk.machine.selected(10))
        _ = talk(.next)
        run(talk.machine.writeFailed(SinkError(.closed, "closed pipe"), now: 0))
        submit(batches[2], to: &talk)
        #expect(acknowledged.all == [], "the other sink is not done")
        for batch in batches { batch.acknowledgement?.done() }
        #expect(acknowledged.all == [1, 2, 3])
    }

    @Test("does not wait for a queue on disk that is not written any more")
    func readerGoneBeforeTheDisk() {
        var talk = SinkQueueConversation.onDisk()
        let acknowledged = Acknowledged()
        submit(acknowledged.batch(1, of: 10, sinks: 2), to: &talk)
        _ = talk(.takeStaged)
        _ = talk(.diskWrote)
        let batches = (2...4).map { acknowledged.batch($0, of: 10, sinks: 2) }
        submit(batches[0], to: &talk)
        _ = talk(.takeStaged)
        submit(batches[1], to: &talk)
        _ = talk(.next)
        run(talk.machine.selected(10))
        _ = talk(.next)
        run(talk.machine.writeFailed(SinkError(.closed, "closed pipe"), now: 0))
        submit(batches[2], to: &talk)
        for batch in batches { batch.acknowledgement?.done() }
        #expect(acknowledged.all == [2, 3, 4])
    }

    @Test("never comes if no sink takes part any more")
    func allReadersGone() {
        let acknowledged = Acknowledged()
        let batch = acknowledged.batch(1, of: 0, sinks: 2)
        for _ in 0..<2 { batch.acknowledgement?.withdraw() }
        #expect(acknowledged.all == [])
    }

    @Test("comes when the last of several sinks is done")
    func severalSinks() {
        let acknowledged = Acknowledged()
        let batch = acknowledged.batch(1, of: 0, sinks: 2)
        batch.acknowledgement?.done()
        #expect(acknowledged.all == [])
        batch.acknowledgement?.done()
        #expect(acknowledged.all == [1])
    }
}
