// SPDX-License-Identifier: MIT

public import Dispatch
internal import Synchronization
internal import TaplineFiles
public import TaplineModel
public import TaplinePlugin

/// A pipeline that runs once: sinks start first, then stages with their lanes, then sources; it
/// stops in reverse, and ends when all sources have returned.
///
/// **Isolation**: `stop`, `reopen` and `report` may be called from any thread.
public final class Pipeline: Sendable {
    private struct State {
        var work: Task<Void, Never>?
        /// When all sources had returned.
        var sourcesEnded: DispatchTime?
        /// When it was asked to stop.
        var stopped: DispatchTime?
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
        let budget = budget
        let folder = topology.spillFolder ?? FileSystem.spillFolder
        let runners = topology.sinks.map { sink in
            let spill = SinkSpill(
                folder: folder,
                limit: sink.queue.spillMaxBytes,
                digests: topology.needsDigests,
                budget: budget
            )
            return SinkRunner(sink, log: log, spill: spill)
        }
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
            return $0.stopped != nil
        }
        if isStopped { work.cancel() }
        await work.value
        await closeSinks()
        return report()
    }

    /// Stops the sources; what is on its way is written, as long as `drain_timeout` lasts from the
    /// end of the last exchange on.
    public func stop() {
        let work = state.withLock {
            if $0.stopped == nil { $0.stopped = .now() }
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

    /// Has the sinks write what they have, and waits for them.
    private func closeSinks() async {
        state.withLock { $0.sourcesEnded = .now() }
        for sink in sinks { sink.queue.close() }
        for sink in sinks {
            while await !sink.wait(until: .now() + .milliseconds(100)) {
                guard isOverdue(sink) else { continue }
                sink.queue.abandon()
                fail("sink '\(sink.id)' was not done within drain_timeout", sink.id)
                break
            }
        }
    }

    /// Whether a sink has had its time: `drain_timeout` from the end of the last exchange on after a
    /// stop, and, in any case, if it is degraded.
    ///
    /// A recording that has come to its end waits for a sink that works, however slowly.
    private func isOverdue(_ sink: SinkRunner) -> Bool {
        let (ended, stopped) = state.withLock { ($0.sourcesEnded, $0.stopped) }
        let timeout = DispatchTimeInterval.microseconds(
            Int(clamping: max(topology.drainTimeout.count, 0))
        )
        let now = DispatchTime.now()
        if let stopped, let ended, now >= max(stopped, ended) + timeout { return true }
        guard let ended, now >= ended + timeout else { return false }
        return sink.queue.counters.isDegraded
    }

    private func fail(_ message: String, _ component: String) {
        let message = topology.stages.cleaned(message)
        log.of(component).error(message)
        state.withLock { $0.failures.append(message) }
    }
}
