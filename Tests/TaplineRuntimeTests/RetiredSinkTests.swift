// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineStatistics
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineRuntime

/// A sink that cannot write until it is unlocked.
private final class LockedSink: SinkFactory {
    private final class Opened: Sink {
        private let owner: LockedSink

        init(_ owner: LockedSink) { self.owner = owner }

        func write(_ batch: [Record]) throws -> WriteResult {
            if owner.isLocked.load(ordering: .acquiring) { throw SinkError(.passing, "locked") }
            return .written
        }
    }

    private let isLocked = Atomic<Bool>(true)

    func unlock() { isLocked.store(false, ordering: .releasing) }

    func open(_ context: SinkContext) throws -> any Sink { Opened(self) }
}

@Suite("A sink that a reload retires")
struct RetiredSinkTests {
    private let source = ManualSource()
    private let first = RecordingSink()

    private func topology(_ sink: Topology.Sink, of source: Topology.Source) -> Topology {
        Topology(sources: [source], sinks: [sink])
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

    private static let quick = RetryOptions(
        initial: Microseconds(1000),
        maxInterval: Microseconds(1000)
    )

    @Test(
        "shows a removed or replaced sink until its records are written",
        arguments: [false, true]
    )
    func visible(isReplaced: Bool) async throws {
        let locked = LockedSink()
        let live = Topology.Source(id: "live", source)
        let old = Topology.Sink(id: "a", locked, retry: Self.quick)
        let (pipeline, run) = pipeline(topology(old, of: live))
        await source.pass()
        let next = Topology.Sink(id: isReplaced ? "a" : "b", first)
        _ = try await pipeline.reload(to: topology(next, of: live))
        await source.pass()
        await wait { first.log.records.count == 1 }
        func state() -> ComponentStatus? { pipeline.status.components.first { $0.id == "a" } }
        let sent = isReplaced ? 1 : 0
        await wait { state()?.state == .failing && state()?.sent == sent }
        let failing = try #require(state())
        let event = isReplaced ? "replaced" : "removed"
        #expect(
            failing.reason == "a reload has \(event) it before its records were written: locked"
        )
        #expect(failing.queue?.records == 1)
        #expect(failing.received == failing.sent + failing.lost + 1)
        locked.unlock()
        await wait { state()?.queue?.records == 0 && state()?.state != .failing }
        let written = isReplaced ? 2 : 1
        await wait { state()?.times.first?.distribution.count == written }
        await wait { pipeline.state.withLock { $0.retired.isEmpty } }
        #expect(state()?.times.first?.distribution.count == written)
        #expect(state()?.state == (isReplaced ? .running : .ended))
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced)
        #expect(report.isSuccess)
    }

    @Test("gives the queue on disk of a failing sink to its successor at once")
    func handsOver() async throws {
        let folder = try TemporaryFolder()
        var options = QueueOptions()
        options.disk = folder("queue")
        let lines = Mutex<[String]>([])
        let live = Topology.Source(id: "live", source)
        let old = Topology.Sink(id: "a", LockedSink(), queue: options)
        let log = Log(component: "") { line in lines.withLock { $0.append(line.message) } }
        let pipeline = Pipeline(topology(old, of: live), log: log) {
            Timestamp(microseconds: 0)
        }
        let run = Task { await pipeline.run() }
        for _ in 0..<8 { await source.pass() }
        await wait { pipeline.status.components.last?.state == .failing }
        let next = Topology.Sink(id: "a", first, queue: options)
        _ = try await pipeline.reload(to: topology(next, of: live))
        await wait { first.log.records.count == 8 }
        pipeline.stop()
        let report = await run.value
        #expect(report.isBalanced)
        #expect(report.isSuccess, "\(report.failures)")
        let counters = try #require(report.sinks.first?.counters)
        #expect(counters.written == 8 && counters.received == 8)
        #expect(counters.kept == 0 && counters.recovered == 0 && !counters.isDegraded)
        let all = lines.withLock { $0 }
        #expect(all.contains { $0.contains("records of the sink before the reload are in") })
        #expect(!all.contains { $0.contains("another process") || $0.contains("earlier run") })
    }

    @Test("says what a sink waits for that replaces one with the same files")
    func waitsToOpen() async throws {
        let folder = try TemporaryFolder()
        var options = QueueOptions()
        options.deadLetters = folder("refused")
        let locked = LockedSink()
        let live = Topology.Source(id: "live", source)
        let old = Topology.Sink(id: "a", locked, queue: options, retry: Self.quick)
        let (pipeline, run) = pipeline(topology(old, of: live))
        await source.pass()
        let next = Topology.Sink(id: "b", first, queue: options)
        _ = try await pipeline.reload(to: topology(next, of: live))
        let status = pipeline.status.components.first { $0.id == "b" }
        #expect(status?.state == .starting)
        #expect(status?.reason == "it opens once its predecessor has closed the same files")
        locked.unlock()
        await wait { pipeline.status.components.first { $0.id == "b" }?.state == .running }
        pipeline.stop()
        #expect(await run.value.isBalanced)
    }
}
