// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplinePlugin
import Testing

@testable import TaplineUpstream

/// A lane that answers `submit` from a list and notes how many records each call submits.
private final class SubmittingLane: Lane {
    private let answers: [SubmitResult]
    private(set) var submitted: [Int] = []
    private(set) var ready: (@Sendable () -> Void)?
    private var finished = 0
    /// Called after each `submit`.
    var noted: (Int) -> Void = { _ in }

    init(_ answers: [SubmitResult]) { self.answers = answers }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {}
    func admits(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) -> Bool { true }

    func request(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        WireOutcome(.forward)
    }

    func response(_ exchange: inout Exchange, _ context: inout ExchangeContext) -> WireOutcome {
        WireOutcome(.forward)
    }

    /// Keeps every exchange except those that are marked.
    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        guard exchange.tags["dropped"] == nil else { return false }
        finished += 1
        return true
    }

    func submit(ticket: UInt64?, ready: @escaping @Sendable () -> Void) -> SubmitResult {
        submitted.append(finished)
        finished = 0
        self.ready = ready
        let number = submitted.count
        noted(number)
        return number <= answers.count ? answers[number - 1] : .open
    }

    func close() {}
}

@Suite("Batches of records", .timeLimit(.minutes(1)))
struct RecordBatchesTests {
    /// Runs a loop until `body` has called its last argument; returns what was submitted.
    private func run(
        _ answers: [SubmitResult] = [],
        _ body: @escaping @Sendable (RunningBatches, @escaping @Sendable () -> Void) -> Void
    ) async throws -> [Int] {
        let group = try EventLoopGroup(threads: 1)
        let submitted = Mutex<[Int]>([])
        try await group.run { loop, _ in
            let running = RunningBatches(loop, answers)
            loop.atEnd {
                running.batches.end()
                submitted.withLock { $0 = running.lane.submitted }
            }
            body(running) { group.stop() }
        }
        return submitted.withLock { $0 }
    }

    @Test("are submitted when they are full, without waiting")
    func full() async throws {
        let submitted = try await run { running, done in
            running.seal(64)
            running.seal(64)
            done()
        }
        #expect(submitted == [64, 64])
    }

    @Test("are submitted after a while if no exchange has a record, which publishes the counters")
    func dropped() async throws {
        let submitted = try await run { running, done in
            running.seal(5, isDropped: true)
            #expect(running.lane.submitted.isEmpty)
            running.lane.noted = { _ in done() }
        }
        #expect(submitted == [0])
    }

    @Test("are submitted after a while if they are not full, without dropped exchanges")
    func late() async throws {
        let submitted = try await run { running, done in
            running.seal(5, isDropped: true)
            running.seal(3)
            #expect(running.lane.submitted.isEmpty)
            running.lane.noted = { _ in done() }
        }
        #expect(submitted == [3])
    }

    @Test("wait while the sinks have no room, and are submitted when there is room again")
    func paused() async throws {
        let submitted = try await run([.paused]) { running, done in
            running.seal(64)
            #expect(running.batches.isPaused)
            running.seal(100)
            #expect(running.lane.submitted == [64])
            running.batches.resumed = {
                #expect(!running.batches.isPaused)
                done()
            }
            running.lane.ready?()
        }
        #expect(submitted == [64, 100])
    }

    @Test("report that the sinks no longer accept records")
    func closed() async throws {
        _ = try await run([.open, .closed]) { running, done in
            running.seal(64)
            #expect(running.closings == 0)
            running.seal(64)
            #expect(running.closings == 1)
            done()
        }
    }
}

/// Batches of a lane, and how often they were closed.
private final class RunningBatches {
    let lane: SubmittingLane
    let batches: RecordBatches
    private let count: Count
    var closings: Int { count.value }

    private final class Count { var value = 0 }

    init(_ loop: EventLoop, _ answers: [SubmitResult]) {
        let (lane, count) = (SubmittingLane(answers), Count())
        self.lane = lane
        self.count = count
        batches = RecordBatches(loop, lane) { count.value += 1 }
    }

    func seal(_ number: Int, isDropped: Bool = false) {
        for _ in 0..<number {
            var exchange = Exchange(id: ExchangeID(high: 0, low: 1))
            if isDropped { exchange.tags["dropped"] = "true" }
            batches.seal(exchange, ExchangeContext())
        }
    }
}
