// SPDX-License-Identifier: MIT

public import Dispatch
internal import Synchronization
public import TaplineModel
public import TaplinePlugin

/// A pipeline that runs once: sinks start first, then stages with their lanes, then sources; it
/// stops in reverse, and ends when all sources have returned.
///
/// **Isolation**: `stop`, `reopen` and `report` may be called from any thread.
public final class Pipeline: Sendable {
    private struct State {
        var work: Task<Void, Never>?
        var isStopped = false
        var drainBy: DispatchTime?
        var failures: [String] = []
    }

    private let topology: Topology
    private let log: Log
    private let now: @Sendable () -> Timestamp
    private let budget: MemoryBudget
    private let executor: (any TaskExecutor)?
    private let sinks: [SinkRunner]
    private let sources: [SourceRunner]
    private let begun = ContinuousClock.now
    private let state = Mutex(State())

    /// A pipeline of a topology.
    ///
    /// - Parameters:
    ///   - topology: What it is made of.
    ///   - log: Where it logs.
    ///   - seed: For random generators of stages: the same seed gives the same run.
    ///   - listening: Told, from any thread, where a source can be reached, by the source's id.
    ///   - executor: Where the pipeline's own tasks run, for those who wait for it on a thread of the
    ///     common pool; the common pool where it is left out.
    ///   - now: The time.
    public init(
        _ topology: Topology,
        log: Log = .none,
        seed: UInt64 = 0,
        listening: @escaping @Sendable (String, ListeningPoint) -> Void = { _, _ in },
        executor: (any TaskExecutor)? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) {
        let log = log.cleaned(by: topology.stages)
        self.topology = topology
        self.log = log
        self.now = now
        self.executor = executor
        budget = MemoryBudget(limit: topology.memory)
        let runners = topology.sinks.map { SinkRunner($0, log: log) }
        sinks = runners
        let shared = LaneShared(log: log, budget: budget, sinks: runners, seed: seed, now: now)
        let points = ListeningPoints()
        sources = topology.sources.map { source in
            SourceRunner(
                source,
                in: topology,
                shared: shared,
                sinks: runners.map(\.queue),
                points: points
            ) { listening(source.id, $0) }
        }
    }

    /// Runs until all sources have returned and all sinks are closed.
    public func run() async -> RunReport {
        guard await startSinks() else {
            await closeSinks()
            return report()
        }
        // A task that is made here does not inherit where this one runs.
        let work = Task(executorPreference: executor) { await self.runSources() }
        let isStopped = state.withLock {
            $0.work = work
            return $0.isStopped
        }
        if isStopped { work.cancel() }
        await work.value
        await closeSinks()
        return report()
    }

    /// Stops the sources; what is on its way is written, as long as `drain_timeout` lasts.
    public func stop() {
        let work = state.withLock {
            $0.isStopped = true
            $0.drainBy =
                .now() + .microseconds(Int(clamping: max(topology.drainTimeout.count, 0)))
            return $0.work
        }
        work?.cancel()
    }

    /// Has every sink write and flush what is queued for it now, and waits for that.
    ///
    /// - Parameter deadline: Until when to wait.
    /// - Returns: Whether all have done so.
    public func flush(until deadline: DispatchTime) -> Bool {
        let group = DispatchGroup()
        for sink in sinks {
            group.enter()
            sink.queue.flush { group.leave() }
        }
        return group.wait(timeout: deadline) == .success
    }

    /// Has every sink open its files anew.
    public func reopen() {
        for sink in sinks { sink.queue.reopen() }
    }

    /// What has been done so far.
    public func report() -> RunReport {
        var report = RunReport()
        var stages = Array(repeating: StageCounters(), count: topology.stages.count)
        for source in sources {
            let counters = source.counters()
            for (position, count) in counters.stages.enumerated() { stages[position] += count }
            report.sources.append(
                RunReport.Source(
                    id: source.id,
                    counters: counters.source,
                    done: source.progress.done,
                    whole: source.progress.whole
                )
            )
        }
        for (stage, counters) in zip(topology.stages, stages) {
            report.stages.append(
                RunReport.Stage(id: stage.id, counters: counters, metrics: stage.factory.metrics)
            )
        }
        report.sinks = sinks.map { RunReport.Sink(id: $0.id, counters: $0.queue.counters) }
        report.elapsed = Microseconds(ContinuousClock.now - begun)
        report.peakMemory = budget.peak
        report.isRedacted = topology.redacts
        report.failures = state.withLock { $0.failures }
        return report
    }
}

// MARK: - Start and stop

extension Pipeline {
    /// Opens all sinks; where one does not open, nothing starts.
    private func startSinks() async -> Bool {
        var isReady = true
        for sink in sinks {
            if let error = await sink.start(now: now) {
                fail("sink '\(sink.id)' did not start: \(error)", sink.id)
                isReady = false
            }
        }
        return isReady
    }

    /// Runs the sources beside each other, until all have returned.
    private func runSources() async {
        await withTaskGroup(of: Void.self) { group in
            for source in sources {
                group.addTask { [self] in
                    do {
                        try await source.run()
                    } catch is CancellationError {
                        // It was asked to stop.
                    } catch {
                        fail("source '\(source.id)' failed: \(error)", source.id)
                    }
                }
            }
        }
    }

    /// Has the sinks write what they have, and waits for them; after `stop` only for a while.
    private func closeSinks() async {
        for sink in sinks { sink.queue.close() }
        for sink in sinks {
            while await !sink.wait(until: nextLook) {
                guard let drainBy = state.withLock({ $0.drainBy }), .now() >= drainBy else {
                    continue
                }
                sink.giveUpRetries()
                sink.queue.finish(lost: true)
                fail("sink '\(sink.id)' was not done within drain_timeout", sink.id)
                break
            }
        }
    }

    /// Until when to wait before looking whether somebody has called `stop`.
    private var nextLook: DispatchTime {
        let soon = DispatchTime.now() + .milliseconds(100)
        return state.withLock { $0.drainBy.map { min($0, soon) } ?? soon }
    }

    private func fail(_ message: String, _ component: String) {
        let message = topology.stages.cleaned(message)
        log.of(component).error(message)
        state.withLock { $0.failures.append(message) }
    }
}
