// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@Suite("A sink that fails")
struct SinkRunnerTests {
    private let quick = RetryOptions(
        initial: Microseconds(100),
        maxInterval: Microseconds(200),
        maxElapsed: Microseconds(1000)
    )

    @Test("gets a batch again until it takes it, and each record once")
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

    @Test("is degraded in the end, while the others get everything; it recovers by itself")
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
        #expect(good.log.records.count == 1000)
        let counters = report.sinks[0].counters
        #expect(counters.errors > 0)
        #expect(counters.errors + bad.log.records.count == 1000)
        #expect(!counters.isDegraded)
        #expect(!report.isSuccess)
        #expect(lines.withLock { $0.contains { $0.hasPrefix("degraded") } })
        #expect(lines.withLock { $0.contains("recovered") })
    }

    @Test("may note unfinished exchanges later, which is no failure and is said once")
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
        // Called again until it worked, the last time with nothing new.
        #expect(sink.calls.withLock { $0 } > 2)
        #expect(
            lines.withLock { $0.filter { $0.contains("unfinished") } }
                == ["cannot note unfinished exchanges, trying again: locked"]
        )
    }

    @Test("ends the run without a failure when its reader has gone and it was alone")
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

    @Test("loses only the records that it refuses")
    func refused() async {
        let sink = RecordingSink(batchLimit: 10)
        sink.log.fail(with: [SinkError(.refused, "too large")])
        let report = await run(
            ScriptedSource(Exchange.examples(100), batch: 10),
            [],
            [Topology.Sink(id: "a", sink)]
        )
        #expect(report.sinks[0].counters.errors == 10)
        #expect(sink.log.records.count == 90)
        #expect(!report.isSuccess)
    }

    @Test(
        "keeps a full queue within its bounds, as overflow says",
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
        while other.log.records.count < 500 { try? await Task.sleep(for: .milliseconds(2)) }
        for _ in 0..<100 { gate.signal() }
        let report = await finished
        let counters = report.sinks[0].counters
        #expect(counters.dropped >= 400)
        #expect(counters.peakQueue <= 30)
        #expect(slow.log.records.count + counters.dropped == 500)
        // Whenever the sink took something, what fits into the queue was never dropped at this end.
        let targets = slow.log.exchanges.map { "\($0.request.target)" }
        if policy == .dropOldest {
            #expect(targets.suffix(20) == (480..<500).map { "/items/\($0)" }[...])
        } else {
            #expect(targets.prefix(20) == (0..<20).map { "/items/\($0)" }[...])
        }
        #expect(report.isSuccess)
    }

    @Test("holds up the source with overflow block, and loses nothing")
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

    @Test("keeps the run from starting when it does not open")
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

    @Test("does not hold up a stop for longer than drain_timeout; what is lost is counted")
    func drainTimeout() async {
        // It stays stuck until the run has ended: a run that waited for it would never end.
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
        while pipeline.report().exchanges < 100 { try? await Task.sleep(for: .milliseconds(2)) }
        pipeline.stop()
        let report = await finished
        release.signal()
        #expect(report.sinks[0].counters.errors == 100)
        #expect(report.isBalanced)
        #expect(!report.isSuccess)
    }
}

/// A sink that cannot note unfinished exchanges at first.
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
