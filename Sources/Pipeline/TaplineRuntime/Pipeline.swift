// SPDX-License-Identifier: MIT

package import Dispatch
internal import Synchronization
package import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

/// A pipeline that runs once.
///
/// Sinks start first, then stages with their lanes, then sources. The pipeline stops in reverse
/// order and ends when all sources have returned.
///
/// **Isolation**: `stop`, `reopen` and `report` may be called from any thread.
package final class Pipeline: Sendable {
    private struct State {
        var work: Task<Void, Never>?
        /// The time at which all sources had returned.
        var sourcesEnded: DispatchTime?
        /// The time at which the pipeline was asked to stop.
        var stopped: DispatchTime?
        var failures: [String] = []
        /// Whether all sinks are open.
        var hasStarted = false
    }

    let topology: Topology
    let senders = PipelineSenders()
    package let paused = PausedExchanges()
    private let log: Log
    private let now: @Sendable () -> Timestamp
    private let budget: MemoryBudget
    private let shedding: SheddingMonitor?
    private let executor: (any TaskExecutor)?
    let sinks: [SinkRunner]
    private let sources: [SourceRunner]
    private let progress: StartProgress
    private let begun = ContinuousClock.now
    private let state = Mutex(State())

    /// Its stages, for other pipelines whose exchanges are to pass the same ones.
    package var stages: [Topology.Stage] { topology.stages }

    /// Creates a pipeline from a topology.
    ///
    /// - Parameters:
    ///   - topology: The components.
    ///   - log: The log for all components.
    ///   - seed: The seed of the stages' random generators: the same seed gives the same run.
    ///   - listening: Called, on any thread, with a source's id and the point where it can be
    ///     reached.
    ///   - listeners: Sockets that already listen, for sources with the same addresses.
    ///   - ready: Called once, on any thread, when all sinks are open and all live sources listen.
    ///   - executor: Where the pipeline's own tasks run; the common pool if `nil`. Needed if a
    ///     caller blocks a thread of the common pool while it waits for the pipeline.
    ///   - now: Returns the current time.
    package init(
        _ topology: Topology,
        log: Log = .none,
        seed: UInt64 = 0,
        listening: @escaping @Sendable (String, ListeningPoint) -> Void = { _, _ in },
        listeners: InheritedListeners = InheritedListeners(),
        ready: @escaping @Sendable () -> Void = {},
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
        let limits = RecordingLimits(maxInFlight: topology.maxExchangesInFlight)
        shedding = SheddingMonitor.of(topology, limits, budget, log)
        let shared = LaneShared(
            log: log,
            budget: budget,
            limits: limits,
            sinks: runners,
            seed: seed,
            now: now,
            paused: paused
        )
        let (points, senders) = (ListeningPoints(), senders)
        let progress = StartProgress(topology.sources.filter(\.isLive).map(\.id), ready: ready)
        self.progress = progress
        let start = ReplayStart(of: topology.sources.filter(\.startsTogether).map(\.id))
        sources = topology.sources.map { source in
            SourceRunner(
                source,
                in: topology,
                shared: shared,
                sinks: runners.map(\.queue),
                points: points,
                senders: senders,
                replayStart: start,
                listeners: listeners
            ) { point in
                listening(source.id, point)
                progress.isUp(source.id)
            }
        }
    }

    /// Runs until all sources have returned and all sinks are closed.
    package func run() async -> RunReport {
        guard await startSinks() else {
            await closeSinks()
            return report()
        }
        shedding?.start()
        defer { shedding?.stop() }
        state.withLock { $0.hasStarted = true }
        progress.sinksOpened()
        // A task created here does not inherit the executor of this one.
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

    /// Stops the sources; exchanges that wait for a decision pass.
    ///
    /// Pending records are written for at most `drain_timeout`, counted from the end of the last
    /// exchange.
    package func stop() {
        let work = state.withLock {
            if $0.stopped == nil { $0.stopped = .now() }
            return $0.work
        }
        paused.close()
        work?.cancel()
    }

    /// Whether the pipeline was asked to stop.
    var isStopped: Bool { state.withLock { $0.stopped != nil } }

    /// Whether all sinks have been opened.
    var hasStarted: Bool { state.withLock { $0.hasStarted } }

    /// The current time.
    var time: Timestamp { now() }

    /// Has every sink write and flush the records that are queued now, and waits until they have.
    ///
    /// - Parameter deadline: The time at which to stop waiting.
    /// - Returns: Whether all sinks were done in time.
    package func flush(until deadline: DispatchTime) -> Bool {
        let group = DispatchGroup()
        for sink in sinks {
            group.enter()
            sink.queue.flush { group.leave() }
        }
        return group.wait(timeout: deadline) == .success
    }

    /// Has every sink reopen its files.
    package func reopen() {
        for sink in sinks { sink.queue.reopen() }
    }

    /// Returns the counters so far.
    package func report() -> RunReport {
        var report = RunReport()
        var stages = Array(repeating: StageCounters(), count: topology.stages.count)
        for source in sources {
            let counters = source.counters()
            for (position, count) in counters.stages.enumerated() { stages[position] += count }
            let activity = source.activity
            report.sources.append(
                RunReport.Source(
                    id: source.id,
                    counters: counters.source,
                    done: source.progress.done,
                    whole: source.progress.whole,
                    replay: source.replay,
                    metrics: topology.sources.first { $0.id == source.id }?.source.metrics ?? [],
                    activity: (activity.state, activity.since),
                    waiting: activity.waiting.map {
                        Microseconds(max(SteadyClock.microseconds &- $0, 0))
                    },
                    durations: source.durations
                )
            )
        }
        for (stage, counters) in zip(topology.stages, stages) {
            report.stages.append(
                RunReport.Stage(id: stage.id, counters: counters, metrics: stage.factory.metrics)
            )
        }
        report.sinks = sinks.map { sink in
            var state = sink.queue.state
            state.reason = state.reason.map(topology.stages.cleaned)
            return RunReport.Sink(id: sink.id, counters: state.counters, state: state)
        }
        report.memory = (budget.current, budget.limit)
        report.elapsed = Microseconds(ContinuousClock.now - begun)
        report.peakMemory = budget.peak
        report.isRedacted = topology.redacts
        report.failures = state.withLock { $0.failures }
        return report
    }
}

// MARK: - Start and stop

extension Pipeline {
    /// Opens all sinks; if one fails to open, nothing starts.
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

    /// Runs the sources concurrently until all have returned.
    private func runSources() async {
        await withTaskGroup(of: Void.self) { group in
            for source in sources {
                group.addTask { [self] in
                    do {
                        try await source.run()
                        progress.isUp(source.id)
                    } catch is CancellationError {
                        // The source was stopped.
                    } catch {
                        fail("source '\(source.id)' failed: \(error)", source.id)
                    }
                }
            }
        }
    }

    /// Has the sinks write their queued records, and waits for them.
    private func closeSinks() async {
        state.withLock { $0.sourcesEnded = .now() }
        for sink in sinks { sink.queue.close() }
        for sink in sinks {
            while await !sink.wait(until: .now() + .milliseconds(100)) {
                guard isOverdue(sink) else { continue }
                sink.queue.abandon()
                fail("sink '\(sink.id)' did not finish within drain_timeout", sink.id)
                break
            }
        }
    }

    /// Returns whether a sink has used up its time.
    ///
    /// After a stop that is `drain_timeout`, counted from the end of the last exchange; the same
    /// limit always applies to a degraded sink. A recording that has ended waits for a working
    /// sink, however slow it is.
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
