// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@Suite("A sink that fails")
struct SinkRunnerTests {
    private let quick = RetryOptions(
        initial: Microseconds(100),
        maxInterval: Microseconds(200),
        maxElapsed: Microseconds(1000)
    )

    @Test("gets a batch again until it succeeds, and each record once")
    func retries() async {
        let sink = RecordingSink()
        sink.log.fail(with: [SinkError(.passing, "busy"), SinkError(.passing, "busy")])
        let report = await run(
            ScriptedSource(Exchange.examples(50)),
            [],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(sink.log.records.count == 50)
        #expect(report.sinks[0].counters.retries == 2)
        #expect(report.isSuccess)
    }

    @Test("becomes degraded, and still gets each record once, in order, after it recovers")
    func degrades() async {
        let bad = RecordingSink(batchLimit: 10)
        let good = RecordingSink()
        bad.log.fail(with: Array(repeating: SinkError(.passing, "disk full"), count: 20))
        let lines = Mutex<[String]>([])
        let report = await run(
            ScriptedSource(Exchange.examples(1000), batch: 10),
            [],
            [
                Topology.Sink(id: "bad", bad, retry: quick),
                Topology.Sink(id: "good", good),
            ],
            log: Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        )
        let targets = (0..<1000).map { "/items/\($0)" }
        #expect(good.log.exchanges.map { "\($0.request.target)" } == targets)
        #expect(bad.log.exchanges.map { "\($0.request.target)" } == targets)
        let counters = report.sinks[0].counters
        #expect(counters.errors == 0 && counters.retries == 20)
        #expect(!counters.isDegraded)
        #expect(report.isSuccess && report.isBalanced)
        let written = lines.withLock { $0 }
        for start in ["write failed", "degraded", "recovered"] {
            #expect(written.filter { $0.hasPrefix(start) }.count == 1, "\(start): \(written)")
        }
    }

    @Test(
        "holds up neither sources nor other sinks with default options",
        .timeLimit(.minutes(3)),
        arguments: [false, true]
    )
    func holdsUpNoOtherComponent(isLive: Bool) async {
        let isBroken = Atomic<Bool>(true)
        let lines = Mutex<[String]>([])
        let bad = FailingSink { isBroken.load(ordering: .relaxed) }
        let good = RecordingSink()
        let count = 12_000
        let topology = Topology(
            sources: [
                Topology.Source(
                    id: "s",
                    ScriptedSource(Exchange.examples(count)),
                    isLive: isLive
                )
            ],
            sinks: [Topology.Sink(id: "bad", bad), Topology.Sink(id: "good", good)]
        )
        let log = Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        let pipeline = Pipeline(topology, log: log) { Timestamp(microseconds: 0) }
        async let finished = pipeline.run()
        // Far more records than the queue holds reach the other sink while the first one is stuck.
        await wait(for: "all records to reach the other sink") {
            pipeline.report().sinks[1].counters.written >= count
        }
        let counters = pipeline.report().sinks[0].counters
        #expect(counters.written == 0 && counters.queued == count)
        #expect(counters.spilled > 0)
        isBroken.store(false, ordering: .relaxed)
        let report = await finished
        #expect(bad.log.exchanges.map(\.request.target) == good.log.exchanges.map(\.request.target))
        #expect(bad.log.exchanges == good.log.exchanges)
        #expect(report.isSuccess && report.isBalanced)
        let written = lines.withLock { $0 }
        for start in ["write failed", "records spill to", "the spill is empty again"] {
            #expect(written.filter { $0.hasPrefix(start) }.count == 1, "\(start): \(written)")
        }
    }

    @Test("loses unwritten records at drain_timeout, even at the end of a recording")
    func lostInTheEnd() async {
        let bad = FailingSink { true }
        var topology = Topology(
            sources: [Topology.Source(id: "s", ScriptedSource(Exchange.examples(5000)))],
            sinks: [Topology.Sink(id: "bad", bad, retry: quick)]
        )
        topology.drainTimeout = Microseconds(100_000)
        let report = await Pipeline(topology) { Timestamp(microseconds: 0) }.run()
        #expect(report.sinks[0].counters.errors == 5000)
        #expect(report.sinks[0].counters.isDegraded)
        #expect(report.failures == ["sink 'bad' did not finish within drain_timeout"])
        #expect(report.isBalanced && !report.isSuccess)
    }

    @Test("drops and counts the newest records if the spill is full, and the run fails")
    func fullSpill() async {
        let isBroken = Atomic<Bool>(true)
        let bad = FailingSink { isBroken.load(ordering: .relaxed) }
        let good = RecordingSink()
        let options = QueueOptions(maxExchanges: 100, spillMaxBytes: 200_000)
        let topology = Topology(
            sources: [Topology.Source(id: "s", ScriptedSource(Exchange.examples(20_000)))],
            sinks: [
                Topology.Sink(id: "bad", bad, queue: options), Topology.Sink(id: "good", good),
            ]
        )
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        async let finished = pipeline.run()
        await wait(for: "all records to reach the other sink") {
            pipeline.report().sinks[1].counters.written >= 20_000
        }
        #expect(pipeline.report().sinks[0].counters.dropped > 10_000)
        isBroken.store(false, ordering: .relaxed)
        let report = await finished
        let counters = report.sinks[0].counters
        #expect(counters.written + counters.dropped == 20_000)
        #expect(counters.unspilled == counters.dropped && counters.peakSpillBytes <= 200_000)
        // The oldest records are there, in order.
        let targets = bad.log.exchanges.map { "\($0.request.target)" }
        #expect(targets.prefix(200) == (0..<200).map { "/items/\($0)" }[...])
        #expect(report.isBalanced && !report.isSuccess)
    }

    @Test("may note unfinished exchanges late, which is logged once and is not a failure")
    func unfinished() async {
        let lines = Mutex<[String]>([])
        let sink = Forgetful(failing: 2)
        let source = ScriptedSource(Exchange.examples(100), batch: 10, isLive: true)
        let topology = Topology(
            sources: [Topology.Source(id: "s", source)],
            sinks: [Topology.Sink(id: "a", sink)]
        )
        let log = Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        let report = await Pipeline(topology, log: log) { Timestamp(microseconds: 0) }.run()
        #expect(report.isSuccess)
        #expect(report.sinks[0].counters.failures == 0)
        #expect(report.sinks[0].counters.written == 100)
        // Called again until it succeeded, the last time without new exchanges.
        #expect(sink.calls.withLock { $0 } > 2)
        #expect(
            lines.withLock { $0.filter { $0.contains("unfinished") } }
                == ["cannot note unfinished exchanges, trying again: locked"]
        )
    }

    @Test("ends the run without a failure if it is the only sink and its reader is gone")
    func closedPipe() async {
        let sink = RecordingSink()
        sink.log.fail(with: [SinkError(.closed, "closed pipe")])
        let report = await run(
            ScriptedSource(Exchange.examples(100_000), batch: 16),
            [],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(report.isSuccess)
        #expect(report.exchanges < 100_000)
        #expect(sink.log.records.isEmpty)
    }

    @Test("loses only the records that it refuses, not the rest of the batch")
    func refused() async {
        let sink = ChoosySink(refused: ["/items/13", "/items/57", "/items/58"])
        let lines = Mutex<[String]>([])
        let report = await run(
            ScriptedSource(Exchange.examples(100), batch: 50),
            [],
            [Topology.Sink(id: "a", sink)],
            log: Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        )
        #expect(report.sinks[0].counters.errors == 3)
        #expect(
            sink.written.withLock { $0 }
                == (0..<100).map { "/items/\($0)" }.filter {
                    !sink.refused.contains($0)
                }
        )
        #expect(!report.isSuccess && report.isBalanced)
        let refusals = lines.withLock { $0.filter { $0.contains("refused") } }
        #expect(refusals.allSatisfy { $0.hasSuffix(": too large") } && refusals.count <= 2)
    }

    @Test("logs the number of refused records when it reaches a power of two")
    func manyRefused() async {
        let sink = ChoosySink(refused: Set((0..<100).map { "/items/\($0)" }))
        let lines = Mutex<[String]>([])
        let report = await run(
            ScriptedSource(Exchange.examples(100), batch: 1),
            [],
            [Topology.Sink(id: "a", sink, queue: QueueOptions(maxExchanges: 1))],
            log: Log(component: "") { entry in lines.withLock { $0.append(entry.message) } }
        )
        #expect(report.sinks[0].counters.errors == 100)
        let refusals = lines.withLock { $0.filter { $0.contains("refused") } }
        let later = [2, 4, 8, 16, 32, 64].map { "\($0) records refused so far: too large" }
        #expect(refusals == ["1 record refused: too large"] + later)
    }

    @Test(
        "keeps a full queue within its limits, as overflow sets",
        arguments: [QueueOptions.Overflow.dropNewest, .dropOldest]
    )
    func overflow(policy: QueueOptions.Overflow) async {
        let gate = DispatchSemaphore(value: 0)
        let slow = RecordingSink(batchLimit: 10, beforeWrite: { gate.wait() })
        let other = RecordingSink(beforeWrite: {})
        let source = ScriptedSource(Exchange.examples(500), batch: 10)
        async let finished = run(
            source,
            [],
            [
                Topology.Sink(
                    id: "slow",
                    slow,
                    queue: QueueOptions(maxExchanges: 20, overflow: policy)
                ),
                Topology.Sink(id: "other", other),
            ]
        )
        await wait(for: "all records to reach the other sink") { other.log.records.count >= 500 }
        for _ in 0..<100 { gate.signal() }
        let report = await finished
        let counters = report.sinks[0].counters
        #expect(counters.dropped >= 400)
        #expect(counters.peakQueue <= 30)
        #expect(slow.log.records.count + counters.dropped == 500)
        // Records that fit into the queue are never dropped at this end.
        let targets = slow.log.exchanges.map { "\($0.request.target)" }
        if policy == .dropOldest {
            #expect(targets.suffix(20) == (480..<500).map { "/items/\($0)" }[...])
        } else {
            #expect(targets.prefix(20) == (0..<20).map { "/items/\($0)" }[...])
        }
        #expect(report.isSuccess)
    }

    @Test("holds up the source with overflow 'block' and loses no record")
    func block() async {
        let slow = RecordingSink(
            batchLimit: 10,
            beforeWrite: {
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(200))
            }
        )
        let report = await run(
            ScriptedSource(Exchange.examples(2000), batch: 10),
            [],
            [Topology.Sink(id: "slow", slow, queue: QueueOptions(maxExchanges: 40))]
        )
        #expect(slow.log.records.count == 2000)
        #expect(report.sinks[0].counters.peakQueue <= 50)
    }

    @Test("prevents the run from starting if it does not open")
    func doesNotOpen() async {
        struct Closed: SinkFactory {
            func open(_ context: SinkContext) throws -> any Sink {
                throw SinkError(.refused, "no such folder")
            }
        }
        let other = RecordingSink()
        let report = await run(
            ScriptedSource(Exchange.examples(10)),
            [],
            [Topology.Sink(id: "bad", Closed()), Topology.Sink(id: "good", other)]
        )
        #expect(!report.isSuccess)
        #expect(report.failures == ["sink 'bad' did not start: no such folder"])
        #expect(other.log.records.isEmpty)
        #expect(other.log.calls.last == "close")
    }

    @Test("has all of drain_timeout after the last exchange, however long the source took")
    func drainsAfterTheSource() async {
        let slow = RecordingSink(beforeWrite: {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .seconds(2))
        })
        let source = LateSource(delay: .seconds(5))
        let topology = Topology(
            sources: [Topology.Source(id: "s", source)],
            sinks: [Topology.Sink(id: "slow", slow)],
            drainTimeout: Microseconds(6_000_000)
        )
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        async let finished = pipeline.run()
        await wait(for: "the source to run") { source.runs.load(ordering: .relaxed) }
        pipeline.stop()
        let report = await finished
        #expect(report.sinks[0].counters.written == 1 && report.isSuccess)
    }

    @Test("holds up a stop for at most drain_timeout, and lost records are counted")
    func drainTimeout() async {
        // The sink is stuck until the run has ended, so a run that waited for it would never end.
        let release = DispatchSemaphore(value: 0)
        let stuck = RecordingSink(beforeWrite: { release.wait() })
        let topology = Topology(
            sources: [
                Topology.Source(id: "s", ScriptedSource(Exchange.examples(100), staysOpen: true))
            ],
            sinks: [Topology.Sink(id: "stuck", stuck)],
            drainTimeout: Microseconds(100_000)
        )
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        async let finished = pipeline.run()
        await wait(for: "all exchanges to be read") { pipeline.report().exchanges >= 100 }
        pipeline.stop()
        let report = await finished
        release.signal()
        #expect(report.sinks[0].counters.errors == 100)
        #expect(report.isBalanced)
        #expect(!report.isSuccess)
    }
}

/// A sink that fails to note unfinished exchanges at first.
private final class Forgetful: SinkFactory, Sendable {
    let calls = Mutex(0)
    private let failing: Int
    var wantsActive: Bool { true }

    init(failing: Int) { self.failing = failing }

    func open(_ context: SinkContext) throws -> any Sink { Opened(factory: self) }

    private final class Opened: Sink {
        private let factory: Forgetful
        init(factory: Forgetful) { self.factory = factory }

        func write(_ batch: [Record]) throws -> WriteResult { .written }

        func active(opened: [ActiveExchange], ended: [ExchangeID]) throws {
            let number = factory.calls.withLock { calls -> Int in
                calls += 1
                return calls
            }
            if number <= factory.failing { throw SinkError(.passing, "locked") }
        }
    }
}

/// A sink that keeps its records while it works.
private struct FailingSink: SinkFactory {
    let log = RecordingSink.Log()
    let isBroken: @Sendable () -> Bool

    func open(_ context: SinkContext) throws -> any Sink {
        let kept = try RecordingSink(log).open(context)
        return Opened(kept: kept, isBroken: isBroken)
    }

    private final class Opened: Sink {
        private let kept: any Sink
        private let isBroken: @Sendable () -> Bool

        init(kept: any Sink, isBroken: @escaping @Sendable () -> Bool) {
            self.kept = kept
            self.isBroken = isBroken
        }

        func write(_ batch: [Record]) throws -> WriteResult {
            if isBroken() { throw SinkError(.passing, "locked") }
            return try kept.write(batch)
        }
    }
}

/// A sink that permanently refuses some records.
private final class ChoosySink: SinkFactory {
    let refused: Set<String>
    let written = Mutex<[String]>([])

    init(refused: Set<String>) { self.refused = refused }

    func open(_ context: SinkContext) throws -> any Sink { Opened(factory: self) }

    private final class Opened: Sink {
        private let factory: ChoosySink
        init(factory: ChoosySink) { self.factory = factory }

        func write(_ batch: [Record]) throws -> WriteResult {
            let targets = batch.map { "\($0.exchange.request.target)" }
            guard factory.refused.isDisjoint(with: targets) else {
                throw SinkError(.refused, "too large")
            }
            factory.written.withLock { $0 += targets }
            return .written
        }
    }
}

/// A live source whose last exchange ends some time after the stop.
private final class LateSource: Source {
    let runs = Atomic<Bool>(false)
    private let delay: Duration

    init(delay: Duration) { self.delay = delay }

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        defer { lane.close() }
        runs.store(true, ordering: .relaxed)
        while !Task.isCancelled { try? await Task.sleep(for: .milliseconds(5)) }
        // Pending exchanges are not cancelled.
        await Task.detached { [delay] in try? await Task.sleep(for: delay) }.value
        lane.pass(.example(1), ExchangeContext())
        _ = await lane.submit()
    }
}
