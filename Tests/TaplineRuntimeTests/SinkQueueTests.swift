// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

@testable import TaplineRuntime

private let budget = MemoryBudget(limit: 1 << 30)

/// A batch of that many plain records.
private func batch(_ count: Int) -> RecordBatch {
    var chain = RecordChain()
    var records: [Record] = []
    for exchange in Exchange.examples(count) {
        if case .sealed(let record) = chain.seal(exchange) { records.append(record) }
    }
    return RecordBatch(
        records,
        memory: records.reduce(0) { $0 + $1.memory },
        budget: budget
    )
}

private func queue(
    _ options: QueueOptions = QueueOptions(),
    limit: Int = 10,
    delay: Int64 = 50_000
) -> SinkQueue {
    SinkQueue(options, batchLimit: limit, batchDelay: Microseconds(delay))
}

/// What the sink's thread would do next, in a word.
private func next(_ queue: SinkQueue) -> String {
    switch queue.next() {
    case .records(let entries): "\(entries.reduce(0) { $0 + $1.range.count }) records"
    case .active(let opened, let ended): "\(opened.count) opened, \(ended.count) ended"
    case .flush: "flush"
    case .reopen: "reopen"
    case .end: "end"
    }
}

@Suite("The queue before a sink")
struct SinkQueueTests {
    @Test("gives a full batch at once, a part of one after its delay, then a flush, then the end")
    func order() {
        let queue = queue(delay: 1000)
        _ = queue.submit(batch(10)) {}
        _ = queue.submit(batch(3)) {}
        #expect(next(queue) == "10 records")
        #expect(next(queue) == "3 records")
        #expect(next(queue) == "flush")
        queue.close()
        #expect(next(queue) == "end")
    }

    @Test(
        "lets nothing that comes in between hold up a batch beyond its delay",
        .timeLimit(.minutes(1))
    )
    func delayHolds() {
        let queue = queue(delay: 20_000)
        _ = queue.submit(batch(1)) {}
        let id = ExchangeID(high: 1, low: 2)
        let stop = Atomic<Bool>(false)
        DispatchQueue(label: "live").async {
            // As live traffic would: more often than the delay, and without end.
            while !stop.load(ordering: .relaxed) {
                queue.ended([id])
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
            }
        }
        // Without an end to the wait this loop would have none either.
        while next(queue) != "1 records" {}
        stop.store(true, ordering: .relaxed)
    }

    @Test("wakes the sink once for many exchanges that have begun", .timeLimit(.minutes(1)))
    func activeInBatches() {
        let queue = queue(limit: 3, delay: 3_600_000_000)
        let begun = ActiveExchange(.example())
        queue.opened(begun)
        let seen = Mutex("")
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "sink").async {
            seen.withLock { $0 = next(queue) }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        for _ in 0..<2 { queue.opened(begun) }
        #expect(done.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(seen.withLock { $0 } == "3 opened, 0 ended")
        // Who waits for a flush waits for no batch.
        queue.opened(begun)
        queue.flush {}
        #expect(next(queue) == "1 opened, 0 ended")
        #expect(next(queue) == "flush")
    }

    @Test("takes together what follows a batch within its delay", .timeLimit(.minutes(1)))
    func lingers() {
        let queue = queue(limit: 100, delay: 500_000)
        _ = queue.submit(batch(1)) {}
        #expect(next(queue) == "1 records")
        #expect(next(queue) == "flush")
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "live").async {
            for _ in 0..<5 { _ = queue.submit(batch(1)) {} }
            done.signal()
        }
        #expect(next(queue) == "5 records")
        #expect(next(queue) == "flush")
        done.wait()
    }

    @Test("keeps no more of what begins and ends than is open, while the sink takes nothing")
    func activeIsBounded() {
        let queue = queue(QueueOptions(maxExchanges: 100), limit: 10)
        func id(_ number: Int) -> ExchangeID { ExchangeID(high: 7, low: UInt64(number)) }
        func begun(_ number: Int) -> ActiveExchange {
            ActiveExchange(Exchange(id: id(number), request: Request(method: "GET")))
        }
        // These the sink knows of.
        for number in [1, 2] { queue.opened(begun(number)) }
        #expect(next(queue) == "2 opened, 0 ended")
        for number in 3..<203 { queue.opened(begun(number)) }
        queue.ended([id(1)])
        for number in 1000..<20_000 {
            queue.opened(begun(number))
            queue.ended([id(number)])
        }
        queue.ended([id(2)])
        guard case .active(let opened, let ended) = queue.next() else {
            return #expect(Bool(false))
        }
        // All that is open, all that has ended of what was told, and what came since the last look.
        #expect(opened.prefix(200).map(\.id) == (3..<203).map(id) && opened.count < 410)
        #expect(ended.first == id(1) && ended.last == id(2) && ended.count < 410)
    }

    @Test("comes to records and to a flush, though exchanges begin all the time")
    func turns() {
        let queue = queue(limit: 4)
        for _ in 0..<3 { _ = queue.submit(batch(4)) {} }
        queue.flush {}
        var seen: [String] = []
        for _ in 0..<5 {
            // As when the sink takes long over each piece of work.
            queue.opened(ActiveExchange(.example()))
            seen.append(next(queue))
        }
        #expect(
            seen == ["1 opened, 0 ended", "4 records", "4 records", "4 records", "flush"]
        )
        #expect(next(queue) == "4 opened, 0 ended")
    }

    @Test("puts active exchanges and new files before records")
    func precedence() {
        let queue = queue()
        _ = queue.submit(batch(10)) {}
        queue.opened(ActiveExchange(.example()))
        queue.reopen()
        #expect(next(queue) == "reopen")
        #expect(next(queue) == "1 opened, 0 ended")
        #expect(next(queue) == "10 records")
    }

    @Test("never splits what was submitted together over the limit of a batch")
    func wholeBatches() {
        let queue = queue(limit: 10)
        for count in [4, 4, 4, 15] { _ = queue.submit(batch(count)) {} }
        queue.close()
        #expect(next(queue) == "8 records")
        #expect(next(queue) == "4 records")
        #expect(next(queue) == "15 records")
    }

    @Test("calls a paused source back once, when half of the room is free")
    func callsBack() {
        let queue = queue(QueueOptions(maxExchanges: 20), limit: 10)
        let calls = Atomic<Int>(0)
        let ready: @Sendable () -> Void = { calls.add(1, ordering: .relaxed) }
        #expect(queue.submit(batch(10), ready: ready) == .open)
        #expect(queue.submit(batch(10), ready: ready) == .paused)
        #expect(next(queue) == "10 records")
        queue.settle()
        #expect(calls.load(ordering: .relaxed) == 1)
        #expect(next(queue) == "10 records")
        queue.settle()
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test("makes nobody wait for a sink that is degraded or gone, and counts what it loses")
    func degraded() {
        let queue = queue(QueueOptions(maxExchanges: 20), limit: 10)
        let calls = Atomic<Int>(0)
        let ready: @Sendable () -> Void = { calls.add(1, ordering: .relaxed) }
        _ = queue.submit(batch(20), ready: ready)
        queue.setDegraded(true)
        #expect(calls.load(ordering: .relaxed) == 1)
        #expect(queue.submit(batch(5), ready: ready) == .open)
        #expect(queue.counters.errors == 5)
        queue.finish(lost: true)
        #expect(queue.counters.errors == 25)
        #expect(queue.submit(batch(5), ready: ready) == .closed)
        #expect(queue.counters.dropped == 5)
        #expect(queue.counters.received == 30)
        queue.count { $0.written += 20 }
        #expect(queue.counters.written == 0)
    }
}

@Suite("What the lanes share")
struct LaneSharedTests {
    @Test("memory is given back when the last holder of a batch lets go")
    func budget() {
        let budget = MemoryBudget(limit: 1000)
        var held: RecordBatch? = RecordBatch([], memory: 1200, budget: budget)
        #expect(budget.isExhausted)
        #expect(held?.memory == 1200)
        held = nil
        #expect(!budget.isExhausted)
        #expect(budget.peak == 1200)
    }

    @Test("a hook that fails each time fills no log")
    func failures() {
        let lines = Mutex<[String]>([])
        let log = Log(component: "lua") { entry in lines.withLock { $0.append(entry.message) } }
        let failures = FailureLog()
        for _ in 0..<1000 { failures.report("lua.request", log) { "it failed" } }
        failures.report("lua.record", log) { "so did this" }
        let written = lines.withLock { $0 }
        #expect(written.count == 5 + 7 + 1)
        #expect(written[5] == "it failed (8 times so far)")
        #expect(written.last == "so did this")
    }
}
