// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineStatistics
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineRuntime

/// A stage whose end takes until a gate opens, on a thread that it leaves.
private final class LeavingStage: StageFactory {
    private final class Lane: RecordStage {
        private let factory: LeavingStage
        private let ending: EndingThreads?

        init(_ factory: LeavingStage, _ context: StageContext) {
            self.factory = factory
            ending = context.endingThreads
        }

        func record(
            _ exchange: inout Exchange,
            _ context: inout ExchangeContext
        ) throws -> RecordVerdict { .keep }

        func stop() {
            let thread = try? DedicatedThread.start { [factory] in
                factory.gate.wait()
                // Time in which a run that does not wait for the thread ends.
                for _ in 0..<20 { _ = ThreadEvent().wait(until: SteadyClock.microseconds + 1000) }
                factory.ends.store(1, ordering: .releasing)
            }
            if let thread { ending?.add(thread) }
            factory.stops.store(1, ordering: .releasing)
        }
    }

    let gate = ThreadEvent()
    let stops = Atomic<Int>(0)
    let ends = Atomic<Int>(0)

    var hooks: Hooks { .record }

    func makeStage(_ context: StageContext) throws -> any Stage { Lane(self, context) }
}

@Suite("A reload")
struct ReloadTests {
    private let source = ManualSource()
    private let first = RecordingSink()

    private func topology(
        _ stages: [Topology.Stage] = [],
        _ sinks: [Topology.Sink],
        of source: Topology.Source
    ) -> Topology {
        Topology(sources: [source], stages: stages, sinks: sinks)
    }

    private func tagging(_ name: String) -> Topology.Stage {
        Topology.Stage(
            id: name,
            ScriptedStage(
                response: { exchange, _ in
                    exchange.tags["response"] = name
                    return .proceed
                },
                record: { exchange, _ in
                    exchange.tags["record"] = name
                    return .keep
                }
            )
        )
    }

    private func pipeline(_ topology: Topology) -> (Pipeline, Task<RunReport, Never>) {
        let pipeline = Pipeline(topology) { Timestamp(microseconds: 0) }
        return (pipeline, Task { await pipeline.run() })
    }

    private func wait(until condition: () -> Bool) async {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition(), .now < deadline { try? await Task.sleep(for: .milliseconds(2)) }
        #expect(condition())
    }

    @Test("gives new exchanges the new stages; one under way ends under its own")
    func stages() async throws {
        let live = Topology.Source(id: "live", source)
        let sink = Topology.Sink(id: "sink", first)
        let (pipeline, run) = pipeline(topology([tagging("old")], [sink], of: live))
        let lane = await source.lane()
        var (exchange, context) = (Exchange.example(), ExchangeContext())
        lane.begin(&context)
        let outcome = try await pipeline.reload(
            to: topology([tagging("new")], [sink], of: live)
        )
        #expect(outcome == .applied(generation: 2, changed: ["new", "old"]))
        await source.pass()
        _ = lane.response(&exchange, &context)
        lane.finish(exchange, context)
        _ = lane.submit(ticket: nil) {}
        pipeline.stop()
        let report = await run.value
        #expect(first.log.exchanges.map { $0.tags["record"] } == ["new", "old"])
        #expect(first.log.exchanges.map { $0.tags["response"] } == ["new", "old"])
        #expect(report.isBalanced)
        #expect(report.exchanges == 2)
        #expect(source.runs.load(ordering: .relaxed) == 1)
        #expect(first.log.calls.filter { $0 == "open" }.count == 1)
    }

    @Test("opens new sinks and closes removed ones, and the counters balance")
    func sinks() async throws {
        let live = Topology.Source(id: "live", source)
        let (second, kept) = (RecordingSink(), RecordingSink())
        let keptSink = Topology.Sink(id: "kept", kept)
        let (pipeline, run) = pipeline(
            topology([], [Topology.Sink(id: "a", first), keptSink], of: live)
        )
        await source.pass()
        _ = try await pipeline.reload(
            to: topology([], [keptSink, Topology.Sink(id: "b", second)], of: live)
        )
        await source.pass()
        await wait { first.log.calls.last == "close" }
        let generations = pipeline.status.components.map { "\($0.id) \($0.generation)" }
        #expect(generations == ["live 1", "kept 1", "b 2", "a 2"])
        pipeline.stop()
        let report = await run.value
        #expect(first.log.records.count == 1)
        #expect(second.log.records.count == 1)
        #expect(kept.log.records.count == 2)
        #expect(report.isBalanced)
        #expect(report.sinks.map(\.id) == ["kept", "b", "a"])
        #expect(report.isSuccess)
    }

    @Test("gives the hooks of all generations that have exchanges")
    func hooks() async throws {
        let live = Topology.Source(id: "live", source)
        let sink = Topology.Sink(id: "sink", first)
        let asking = ScriptedStage(request: { _, _ in .proceed })
        let (pipeline, run) = pipeline(
            topology([Topology.Stage(id: "asks", asking)], [sink], of: live)
        )
        let lane = await source.lane()
        #expect(lane.wireHooks == .request)
        let buffered = lane.bufferedHooks
        var context = ExchangeContext()
        lane.begin(&context)
        _ = try await pipeline.reload(to: topology([tagging("new")], [sink], of: live))
        #expect(lane.wireHooks == [.request, .response])
        #expect(lane.bufferedHooks.isSuperset(of: buffered))
        lane.abandoned(.example(), context)
        #expect(lane.wireHooks == .response)
        pipeline.stop()
        _ = await run.value
    }

    @Test("that fails changes nothing and says why")
    func fails() async throws {
        struct Failing: SinkFactory {
            func open(_ context: SinkContext) throws -> any Sink {
                throw SinkError(.passing, "the disk is gone")
            }
        }
        let live = Topology.Source(id: "live", source)
        let sink = Topology.Sink(id: "sink", first)
        let opened = RecordingSink()
        let (pipeline, run) = pipeline(topology([tagging("old")], [sink], of: live))
        await source.pass()
        let sinks = [Topology.Sink(id: "new", opened), Topology.Sink(id: "bad", Failing())]
        await #expect(throws: ReloadError.self) {
            try await pipeline.reload(to: topology([tagging("new")], sinks, of: live))
        }
        await source.pass()
        await wait { opened.log.calls.last == "close" }
        pipeline.stop()
        let report = await run.value
        #expect(first.log.exchanges.map { $0.tags["record"] } == ["old", "old"])
        #expect(opened.log.records.isEmpty)
        #expect(report.isBalanced)
        #expect(report.isSuccess)
    }

    @Test("is not held up by a sink that cannot write")
    func blocked() async throws {
        let gate = Mutex(true)
        let stuck = RecordingSink(beforeWrite: {
            while gate.withLock({ $0 }) {}
        })
        let live = Topology.Source(id: "live", source)
        let (pipeline, run) = pipeline(topology([], [Topology.Sink(id: "a", stuck)], of: live))
        await source.pass()
        _ = try await pipeline.reload(to: topology([], [Topology.Sink(id: "b", first)], of: live))
        await source.pass()
        await wait { first.log.records.count == 1 }
        gate.withLock { $0 = false }
        pipeline.stop()
        let report = await run.value
        #expect(stuck.log.records.count == 1)
        #expect(report.isBalanced)
    }

    @Test("starts added sources and ends removed ones")
    func sources() async throws {
        let added = ManualSource()
        let sink = Topology.Sink(id: "sink", first)
        let (pipeline, run) = pipeline(
            topology([], [sink], of: Topology.Source(id: "live", source))
        )
        await source.pass()
        _ = try await pipeline.reload(
            to: topology([], [sink], of: Topology.Source(id: "other", added))
        )
        await added.pass()
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced)
        #expect(report.exchanges == 2)
        #expect(Set(report.sources.map(\.id)) == ["live", "other"])
    }

    @Test("keeps a removed sink open for the records that wait for a verdict")
    func parked() async throws {
        let (verdict, second) = (PendingVerdict(), RecordingSink())
        let asking = Topology.Stage(
            id: "asking",
            ScriptedStage(record: { _, _ in .pending(verdict) })
        )
        let live = Topology.Source(id: "live", source, isLive: true)
        let (pipeline, run) = pipeline(
            topology([asking], [Topology.Sink(id: "a", first)], of: live)
        )
        let lane = await source.lane()
        let answers = Mutex(0)
        (lane as? any ParkingLane)?.whenAnswered { answers.withLock { $0 += 1 } }
        await source.pass()
        let asked = pipeline.status.components(.stage)[0]
        #expect(asked.pending == 1 && asked.pendingSince != nil)
        _ = try await pipeline.reload(to: topology([], [Topology.Sink(id: "b", second)], of: live))
        await source.pass()
        await wait { second.log.records.count == 1 }
        #expect(pipeline.status.components(.stage)[0].pending == 1)
        #expect(!first.log.calls.contains("close"))
        verdict.settle(.verdict(.keep))
        #expect(answers.withLock { $0 } == 1)
        _ = lane.submit(ticket: nil) {}
        await wait { first.log.calls.last == "close" }
        let answered = pipeline.status.components(.stage)[0]
        #expect(answered.pending == 0 && answered.pendingSince == nil)
        pipeline.stop()
        let report = await run.value
        #expect(first.log.records.count == 1)
        #expect(second.log.records.count == 1)
        #expect(report.isBalanced)
    }

    @Test("does not wait for what a removed stage leaves, but the end of the run does")
    func leaving() async throws {
        let leaving = LeavingStage()
        let live = Topology.Source(id: "live", source)
        let sink = Topology.Sink(id: "sink", first)
        let stage = Topology.Stage(id: "leaving", leaving)
        let (pipeline, run) = pipeline(topology([stage], [sink], of: live))
        await source.pass()
        _ = try await pipeline.reload(to: topology([], [sink], of: live))
        await source.pass()
        #expect(leaving.stops.load(ordering: .acquiring) == 1)
        await source.pass()
        await wait { first.log.records.count == 3 }
        #expect(leaving.ends.load(ordering: .acquiring) == 0)
        pipeline.stop()
        leaving.gate.signal()
        let report = await run.value
        #expect(leaving.ends.load(ordering: .acquiring) == 1)
        #expect(report.isBalanced)
    }

    @Test("acknowledges records of both configurations when the sinks of both are done")
    func acknowledged() async throws {
        let isShut = Mutex(true)
        let slow = RecordingSink(beforeWrite: {
            while isShut.withLock({ $0 }) {}
        })
        let live = Topology.Source(id: "live", source)
        let (pipeline, run) = pipeline(topology([], [Topology.Sink(id: "a", slow)], of: live))
        let lane = await source.lane()
        lane.pass(.example())
        _ = try await pipeline.reload(to: topology([], [Topology.Sink(id: "b", first)], of: live))
        lane.pass(.example())
        let acknowledged = Mutex(0)
        _ = (lane as? any AcknowledgingLane)?.submit(
            ticket: nil,
            acknowledged: { acknowledged.withLock { $0 += 1 } },
            ready: {}
        )
        await wait { first.log.calls.contains("flush") }
        #expect(acknowledged.withLock { $0 } == 0)
        isShut.withLock { $0 = false }
        await wait { acknowledged.withLock { $0 } == 1 }
        pipeline.stop()
        let report = await run.value
        #expect(slow.log.records.count == 1)
        #expect(slow.log.calls.contains("sync"), "the source waits for it")
        #expect(first.log.records.count == 1)
        #expect(report.isBalanced)
    }

    @Test("goes on with the durations and the limits of recording")
    func figures() async throws {
        let live = Topology.Source(id: "live", source, isLive: true)
        let sinks = [Topology.Sink(id: "sink", first)]
        let (pipeline, run) = pipeline(topology([], sinks, of: live))
        await source.pass()
        var next = topology([tagging("new")], sinks, of: live)
        next.maxExchangesInFlight = 1
        let outcome = try await pipeline.reload(to: next)
        #expect(outcome == .applied(generation: 2, changed: ["new", "runtime"]))
        let lane = await source.lane()
        var contexts = [ExchangeContext(), ExchangeContext()]
        for index in contexts.indices { lane.opened(.example(), &contexts[index]) }
        for context in contexts { lane.finish(.example(), context) }
        _ = lane.submit(ticket: nil) {}
        pipeline.stop()
        let report = await run.value
        #expect(report.sources[0].counters.overLimit == 1)
        #expect(report.sources[0].durations.count == 2)
        #expect(report.isBalanced)
    }

    @Test("requested several times at once is answered together")
    func coalesces() async throws {
        let live = Topology.Source(id: "live", source)
        let same = topology([], [Topology.Sink(id: "sink", first)], of: live)
        let (pipeline, run) = pipeline(same)
        _ = await source.lane()
        let loads = Mutex(0)
        let reloader = PipelineReloader(pipeline, log: .none, now: { Timestamp(microseconds: 5) }) {
            loads.withLock { $0 += 1 }
            return same
        }
        let answers = Mutex<[ReloadOutcome]>([])
        for _ in 0..<20 { reloader.reload { outcome in answers.withLock { $0.append(outcome) } } }
        await wait { answers.withLock { $0.count } == 20 }
        #expect(loads.withLock { $0 } <= 2)
        #expect(answers.withLock { $0 }.allSatisfy { $0 == .applied(generation: 1, changed: []) })
        #expect(reloader.reloads.lastSuccess == Timestamp(microseconds: 5))
        pipeline.stop()
        _ = await run.value
    }

    @Test("that fails keeps lines of the configuration out of the history, not out of the answer")
    func summary() async {
        let live = Topology.Source(id: "live", source)
        let (pipeline, run) = pipeline(topology([], [Topology.Sink(id: "a", first)], of: live))
        _ = await source.lane()
        let reloader = PipelineReloader(pipeline, log: .none, now: { Timestamp(microseconds: 5) }) {
            () throws(ReloadError) -> Topology in
            throw ReloadError("p.yaml:8:5: error: a\n  8 | key", summary: "p.yaml:8:5: error: a")
        }
        let answer = Mutex<ReloadOutcome?>(nil)
        reloader.reload { outcome in answer.withLock { $0 = outcome } }
        await wait { answer.withLock { $0 } != nil }
        #expect(answer.withLock { $0 } == .failed("p.yaml:8:5: error: a\n  8 | key"))
        #expect(reloader.reloads.lastFailure?.reasons == "p.yaml:8:5: error: a")
        #expect(reloader.reloads.failed == 1)
        pipeline.stop()
        _ = await run.value
    }
}
