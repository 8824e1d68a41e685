// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

private let budget = MemoryBudget(limit: 1 << 30)

/// Sample records.
func records(_ count: Int, from first: Int = 0) -> [Record] {
    var chain = RecordChain()
    var records: [Record] = []
    for exchange in Exchange.examples(first + count).dropFirst(first) {
        if case .sealed(let record) = chain.seal(exchange) { records.append(record) }
    }
    return records
}

/// A batch of plain records.
func batch(_ count: Int, from first: Int = 0) -> RecordBatch {
    let records = records(count, from: first)
    return RecordBatch(records, memory: records.reduce(0) { $0 + $1.memory }, budget: budget)
}

func spill(limit: Int = 1 << 30, in folder: String? = nil, digests: Bool = false) -> SinkSpill {
    SinkSpill(
        folder: folder ?? FileSystem.spillFolder,
        limit: limit,
        digests: digests,
        budget: budget
    )
}

private func queue(
    _ options: QueueOptions = QueueOptions(),
    limit: Int = 10,
    delay: Int64 = 50_000
) -> SinkQueue {
    SinkQueue(options, batchLimit: limit, batchDelay: Microseconds(delay), spill: spill())
}

/// The name of the next step of the sink's thread, which is then reported as successful.
private func next(_ queue: SinkQueue) -> String {
    switch queue.next() {
    case .select(let entries):
        let count = entries.reduce(0) { $0 + $1.range.count }
        queue.report { machine, _ in machine.selected(count) }
        guard case .write(0..<count) = queue.next() else { return "no write" }
        queue.report { machine, _ in machine.wrote(duplicates: 0) }
        return "\(count) records"
    case .note(let opened, let ended):
        queue.report { machine, _ in machine.noted(failure: nil) }
        return "\(opened.count) opened, \(ended.count) ended"
    case .flush:
        queue.report { machine, now in machine.flushed(failure: nil, now: now) }
        return "flush"
    case .reopen:
        queue.report { machine, _ in machine.reopened(failure: nil) }
        return "reopen"
    case .end: return "end"
    case .write, .readBack, .readDisk, .deadLetter, .restart, .sleep: return "unexpected"
    }
}

@Suite("The queue in front of a sink")
struct SinkQueueTests {
    @Test("hands over a full batch at once, a partial one after its delay, then flushes and ends")
    func order() {
        let queue = queue(delay: 1000)
        _ = queue.submit(batch(10), isLive: false) {}
        _ = queue.submit(batch(3), isLive: false) {}
        #expect(next(queue) == "10 records")
        #expect(next(queue) == "3 records")
        #expect(next(queue) == "flush")
        queue.close()
        #expect(next(queue) == "end")
    }

    @Test(
        "does not hold up a batch beyond its delay when more records arrive",
        .timeLimit(.minutes(1))
    )
    func delayHolds() {
        let queue = queue(delay: 20_000)
        _ = queue.submit(batch(1), isLive: false) {}
        let id = ExchangeID(high: 1, low: 2)
        let stop = Atomic<Bool>(false)
        DispatchQueue(label: "live").async {
            // As live traffic does: more often than the delay, and without end.
            while !stop.load(ordering: .relaxed) {
                queue.ended([id])
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(2))
            }
        }
        // If the wait never ended, neither would this loop.
        blockingWait(for: "the next batch") { next(queue) == "1 records" }
        stop.store(true, ordering: .relaxed)
    }

    @Test("wakes the sink once for many new exchanges", .timeLimit(.minutes(1)))
    func activeInBatches() {
        let queue = queue(limit: 3, delay: 3_600_000_000)
        let begun = ActiveExchange(.example())
        queue.opened(begun)
        let seen = Mutex("")
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "sink").async {
            let step = next(queue)
            seen.withLock { $0 = step }
            done.signal()
        }
        #expect(done.wait(timeout: .now() + .milliseconds(50)) == .timedOut)
        for _ in 0..<2 { queue.opened(begun) }
        #expect(done.wait(timeout: .now() + .seconds(30)) == .success)
        #expect(seen.withLock { $0 } == "3 opened, 0 ended")
        // A flush does not wait for a batch.
        queue.opened(begun)
        queue.flush {}
        #expect(next(queue) == "1 opened, 0 ended")
        #expect(next(queue) == "flush")
    }

    @Test("combines records that follow a batch within its delay", .timeLimit(.minutes(1)))
    func lingers() {
        let queue = queue(limit: 100, delay: 500_000)
        _ = queue.submit(batch(1), isLive: false) {}
        #expect(next(queue) == "1 records")
        #expect(next(queue) == "flush")
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "live").async {
            for _ in 0..<5 { _ = queue.submit(batch(1), isLive: false) {} }
            done.signal()
        }
        #expect(next(queue) == "5 records")
        #expect(next(queue) == "flush")
        done.wait()
    }

    @Test("moves records that do not fit to disk and back, in order", .timeLimit(.minutes(1)))
    func spills() {
        let queue = queue(QueueOptions(maxExchanges: 20), limit: 10)
        for start in stride(from: 0, to: 1000, by: 10) {
            #expect(queue.submit(batch(10, from: start), isLive: true) {} == .open)
        }
        // Most records exceed the limits of the queue and are on disk.
        blockingWait(for: "the records to spill") { queue.counters.inSpill >= 970 }
        #expect(queue.counters.queued == 1000)
        #expect(queue.counters.spillBytes > 0)
        queue.close()
        var targets: [String] = []
        var isOver = false
        while !isOver {
            switch queue.next() {
            case .select(let entries):
                for entry in entries {
                    targets += entry.range.map {
                        "\(entry.batch.records[$0].exchange.request.target)"
                    }
                }
                let count = entries.reduce(0) { $0 + $1.range.count }
                queue.report { machine, _ in machine.selected(count) }
            case .write: queue.report { machine, _ in machine.wrote(duplicates: 0) }
            case .flush: queue.report { machine, now in machine.flushed(failure: nil, now: now) }
            default: isOver = true
            }
        }
        #expect(targets == (0..<1000).map { "/items/\($0)" })
        #expect(queue.counters.written == 1000)
        #expect(queue.counters.spillBytes == 0 && queue.counters.peakSpillBytes > 0)
    }
}

@Suite("The state that lanes share")
struct LaneSharedTests {
    @Test("memory is released with the last reference to a batch")
    func budget() {
        let budget = MemoryBudget(limit: 1000)
        var held: RecordBatch? = RecordBatch([], memory: 1200, budget: budget)
        #expect(budget.isExhausted)
        #expect(held?.memory == 1200)
        held = nil
        #expect(!budget.isExhausted)
        #expect(budget.peak == 1200)
    }

    @Test("a hook that always fails does not fill the log")
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
