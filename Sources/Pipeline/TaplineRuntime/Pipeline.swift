// SPDX-License-Identifier: MIT

package import Dispatch
internal import Synchronization
package import TaplineModel
package import TaplineOperations
package import TaplinePlugin
internal import TaplineSystem

/// A pipeline that runs once, over one or more generations of its configuration.
///
/// Sinks start first, then stages with their lanes, then sources. The pipeline stops in reverse
/// order and ends when all sources have returned.
///
/// **Isolation**: `stop`, `reopen` and `report` may be called from any thread.
package final class Pipeline: Sendable {
    struct State {
        var work: Task<Void, Never>?
        /// The time at which all sources had returned.
        var sourcesEnded: DispatchTime?
        /// The time at which the pipeline was asked to stop.
        var stopped: DispatchTime?
        var failures: [String] = []
        /// Whether all sinks are open.
        var hasStarted = false
        var generation: Generation
        /// The sources of the generation, in the order of the file.
        var sources: [SourceRunner] = []
        /// The number of the last generation, also if it did not apply.
        var lastNumber = 1
        /// What reloads have removed and what has not ended yet.
        var retired = RetiredComponents()
        var shedding: SheddingMonitor?
    }

    let senders = PipelineSenders()
    package let paused = PausedExchanges()
    let log: Log
    let now: @Sendable () -> Timestamp
    let budget: MemoryBudget
    let limits: RecordingLimits
    let executor: (any TaskExecutor)?
    let services: SourceServices
    let loggedStages: LoggedStages
    private let stopDeadline: StopDeadline
    private let endingThreads: EndingThreads
    private let seed: UInt64
    private let begun = ContinuousClock.now
    let state: Mutex<State>

    /// Its stages, for other pipelines whose exchanges are to pass the same ones.
    package var stages: [Topology.Stage] { topology.stages }

    /// The components that run now.
    var topology: Topology { state.withLock { $0.generation.topology } }

    var ledger: FlowLedger { services.ledger }

    /// Creates a pipeline from a topology.
    ///
    /// - Parameters:
    ///   - topology: The components.
    ///   - log: The log for all components.
    ///   - seed: The seed of the stages' random generators: the same seed gives the same run.
    ///   - listening: Called, on any thread, with a source's id and the point where it can be
    ///     reached.
    ///   - ready: Called once, on any thread, when all sinks are open and all live sources listen.
    ///   - executor: Where the pipeline's own tasks run; the common pool if `nil`. Needed if a
    ///     caller blocks a thread of the common pool while it waits for the pipeline.
    ///   - sockets: Sockets that already listen, for sources with the same addresses.
    ///   - now: Returns the current time.
    package init(
        _ topology: Topology,
        log: Log = .none,
        seed: UInt64 = 0,
        listening: @escaping @Sendable (String, ListeningPoint) -> Void = { _, _ in },
        ready: @escaping @Sendable () -> Void = {},
        executor: (any TaskExecutor)? = nil,
        sockets: ListeningSockets = ListeningSockets(),
        now: @escaping @Sendable () -> Timestamp
    ) {
        let loggedStages = LoggedStages(topology.stages)
        let log = log.cleaned { loggedStages.all }
        self.loggedStages = loggedStages
        self.log = log
        self.now = now
        self.seed = seed
        self.executor = executor
        let budget = MemoryBudget(limit: topology.memory)
        self.budget = budget
        services = SourceServices(
            log: log,
            ledger: FlowLedger(),
            points: ListeningPoints(),
            senders: senders,
            sockets: sockets,
            progress: StartProgress(topology.sources.filter(\.isLive).map(\.id), ready: ready),
            listening: listening
        )
        let runners = topology.sinks.map {
            Pipeline.makeSink($0, of: topology, log: log, budget)
        }
        let limits = RecordingLimits(maxInFlight: topology.maxExchangesInFlight)
        self.limits = limits
        (stopDeadline, endingThreads) = (StopDeadline(), EndingThreads())
        let shared = LaneShared(
            log: log,
            budget: budget,
            limits: limits,
            sinks: runners,
            seed: seed,
            now: now,
            paused: paused,
            stopDeadline: stopDeadline,
            endingThreads: endingThreads
        )
        let generation = Generation(1, topology, runners, shared)
        let start = ReplayStart(of: topology.sources.filter(\.startsTogether).map(\.id))
        let services = services
        let sources = topology.sources.map {
            SourceRunner($0, in: generation, services, replayStart: start)
        }
        let shedding = SheddingMonitor.of(topology, limits, budget, log)
        state = Mutex(State(generation: generation, sources: sources, shedding: shedding))
    }

    static func makeSink(
        _ sink: Topology.Sink,
        of topology: Topology,
        log: Log,
        _ budget: MemoryBudget
    ) -> SinkRunner {
        let spill = SinkSpill(
            folder: topology.spillFolder ?? FileSystem.spillFolder,
            limit: sink.queue.spillMaxBytes,
            digests: topology.needsDigests,
            budget: budget
        )
        let disk = RecordLog(
            sink.queue,
            digests: topology.needsDigests,
            keepsLines: sink.factory.writesLines,
            budget: budget
        )
        return SinkRunner(sink, log: log, spill: spill, disk: disk)
    }

    /// Creates the generation of a topology with these sinks.
    func makeGeneration(
        _ number: Int,
        _ topology: Topology,
        _ sinks: [SinkRunner],
        changes: [String: Int]
    ) -> Generation {
        let shared = LaneShared(
            log: log,
            budget: budget,
            limits: limits,
            sinks: sinks,
            seed: seed &+ UInt64(truncatingIfNeeded: number - 1),
            now: now,
            paused: paused,
            stopDeadline: stopDeadline,
            endingThreads: endingThreads
        )
        return Generation(number, topology, sinks, shared, changes: changes)
    }

    /// Runs until all sources have returned and all sinks are closed.
    package func run() async -> RunReport {
        guard await startSinks() else { return await end() }
        state.withLock { state in
            state.hasStarted = true
            return state.shedding
        }?.start()
        defer { state.withLock { $0.shedding }?.stop() }
        services.progress.sinksOpened()
        // A task created here does not inherit the executor of this one.
        let work = Task(executorPreference: executor) { await self.runSources() }
        let isStopped = state.withLock {
            $0.work = work
            return $0.stopped != nil
        }
        if isStopped { work.cancel() }
        await work.value
        return await end()
    }

    /// Stops the sources; exchanges that wait for a decision pass.
    ///
    /// Record hooks that have not decided within `drain_timeout` fail. Pending records are written
    /// for at most `drain_timeout`, counted from the end of the last exchange.
    package func stop() {
        let work = state.withLock {
            if $0.stopped == nil { $0.stopped = .now() }
            return $0.work
        }
        let timeout = max(topology.drainTimeout.count, 0)
        stopDeadline.set(SteadyClock.microseconds.addingClamped(timeout))
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
        for sink in allSinks {
            group.enter()
            sink.queue.flush { group.leave() }
        }
        return group.wait(timeout: deadline) == .success
    }

    /// Has every sink reopen its files.
    package func reopen() {
        for sink in allSinks { sink.queue.reopen() }
    }
}

// MARK: - Start and stop

extension Pipeline {
    /// Opens all sinks; if one fails to open, nothing starts.
    private func startSinks() async -> Bool {
        var isReady = true
        for sink in state.withLock({ $0.generation.sinks }) {
            if let error = await sink.start(now: now) {
                fail("sink '\(sink.id)' did not start: \(error)", sink.id)
                isReady = false
            }
        }
        return isReady
    }

    /// Runs the sources concurrently until all have returned, including those that reloads add.
    private func runSources() async {
        await withTaskCancellationHandler {
            for source in state.withLock({ $0.sources }) { start(source) }
            while let source = nextRunning() { await source.wait() }
        } onCancel: {
            for source in allSources { source.cancel() }
        }
    }

    /// Starts a source, unless the pipeline was stopped.
    func start(
        _ source: SourceRunner,
        after predecessor: SourceRunner? = nil,
        isOpening: Bool = false
    ) {
        if isStopped { source.cancel() }
        source.start(on: executor, after: predecessor, isOpening: isOpening) { [self] error in
            fail("source '\(source.id)' failed: \(error)", source.id)
        }
    }

    /// A source that has not returned; without one, no further source can be added.
    private func nextRunning() -> SourceRunner? {
        state.withLock { state in
            let running = (state.sources + state.retired.sources).first { !$0.hasEnded }
            if running == nil { state.sourcesEnded = .now() }
            return running
        }
    }

    private var allSources: [SourceRunner] {
        state.withLock { $0.sources + $0.retired.sources }
    }

    /// All sinks: first those that reloads have removed, since others may wait for their end.
    var allSinks: [SinkRunner] {
        state.withLock { $0.retired.sinks.map(\.runner) + $0.generation.sinks }
    }

    /// Ends the sinks and what stopped stages have left, once all sources have returned.
    private func end() async -> RunReport {
        await closeSinks()
        if !endingThreads.isEmpty {
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "tapline.stages").async { [endingThreads] in
                    endingThreads.join()
                    continuation.resume()
                }
            }
        }
        return report()
    }

    /// Has the sinks write their queued records, and waits for them.
    private func closeSinks() async {
        state.withLock { if $0.sourcesEnded == nil { $0.sourcesEnded = .now() } }
        let sinks = allSinks
        for sink in sinks { hasSuccessor(sink) ? sink.queue.leave() : sink.queue.close() }
        for sink in sinks {
            while await !sink.wait(atMost: Microseconds(.milliseconds(100))) {
                guard isOverdue(sink) else { continue }
                abandon(sink)
                // Unless the sink hangs, its thread ends now, and another run can open its folder.
                if sink.queue.disk != nil {
                    _ = await sink.wait(atMost: Microseconds(.seconds(1)))
                }
                break
            }
        }
    }

    /// Stops waiting for a sink, which is a failure unless its queue on disk keeps all of its records.
    func abandon(_ sink: SinkRunner) {
        let errors = sink.queue.counters.errors
        sink.abandon()
        guard sink.queue.disk == nil || sink.queue.counters.errors > errors else { return }
        fail("sink '\(sink.id)' did not finish within drain_timeout", sink.id)
    }

    /// The least time for records that are being written to a queue on disk.
    private static let diskTimeout = DispatchTimeInterval.seconds(5)

    /// Returns whether a sink has used up its time.
    ///
    /// After a stop that is `drain_timeout`, counted from the end of the last exchange; the same
    /// limit always applies to a degraded sink. A recording that has ended waits for a working
    /// sink, however slow it is.
    private func isOverdue(_ sink: SinkRunner) -> Bool {
        let (ended, stopped) = state.withLock { ($0.sourcesEnded, $0.stopped) }
        let now = DispatchTime.now()
        // A queue on disk keeps for the next run what reaches it in time.
        if let ended, sink.queue.isWritingToDisk, now < ended + Pipeline.diskTimeout {
            return false
        }
        let timeout = DispatchTimeInterval.microseconds(
            Int(clamping: max(topology.drainTimeout.count, 0))
        )
        if let stopped, let ended, now >= max(stopped, ended) + timeout { return true }
        guard let ended, now >= ended + timeout else { return false }
        return sink.isWaitingToOpen || sink.queue.counters.isDegraded
    }

    func fail(_ message: String, _ component: String) {
        let message = loggedStages.all.cleaned(message)
        log.of(component).error(message)
        state.withLock { $0.failures.append(message) }
    }
}

extension Pipeline {
    /// How long the pipeline has run.
    var elapsed: Duration { ContinuousClock.now - begun }
}
