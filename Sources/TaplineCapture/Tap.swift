// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineFiles
internal import TaplineModel
internal import TaplinePlugin
package import TaplineRuntime
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A pipeline within an app: it captures what the app sends through URLSession.
///
/// `Tapline.start()` holds one of these for the whole app; tests and libraries make their own.
///
/// **Isolation**: any thread.
public final class Tap: Sendable {
    /// What was captured last.
    public let store: MemoryStore
    /// The class that captures while the tap runs, and lets pass while it does not.
    let protocolClass: URLProtocol.Type
    let number = Captures.makeNumber()
    /// Makes what a run consists of, with the sink that fills the store.
    private let makePlan: @Sendable (Topology.Sink) throws -> TapPlan
    private let log: SpokenLog
    private let current = Mutex<Run?>(nil)
    private let last = Mutex<RunReport?>(nil)
    /// Held while it starts, so that others wait for that; the app's log is never asked under another
    /// lock.
    private let turn = Mutex(())
    /// Whether the log has asked for a stop before there was a run.
    private let isRevoked = Atomic(false)

    init(
        _ limits: MemoryStore.Limits,
        log: Log,
        makePlan: @escaping @Sendable (Topology.Sink) throws -> TapPlan
    ) {
        store = MemoryStore(limits, now: Tap.now)
        self.log = SpokenLog(log)
        protocolClass = CapturingProtocol.type(for: number)
        _ = Captures.isRegistered
        self.makePlan = makePlan
    }

    /// The run that goes on, or is about to end.
    private var run: Run? { current.withLock { $0 } }

    /// Whether it captures.
    public var isRunning: Bool { current.withLock { $0?.isStopping == false } }

    /// What the run has done that ended last.
    package var report: RunReport? { last.withLock { $0 } }

    /// The entries of the store, newest first.
    public var entries: [Entry] { store.entries }

    /// Forgets the entries.
    public func clear() { store.clear() }

    /// Whether this thread is within code of the app's own for which the tap may be waiting: its log,
    /// or a hook of its stages.
    var isWaitedFor: Bool { log.speaksHere || run?.isInHook == true }

    /// Whose requests a tap captures.
    package enum Scope: Sendable {
        /// Those of sessions that name it.
        case itself
        /// Those of the whole app, too.
        case app
        /// The same, whatever tap the app starts meanwhile.
        case test
    }

    /// Captures from now on; a tap that runs goes on as it is.
    ///
    /// **Throws**: `TapError` says what is wrong with the configuration, or what did not start.
    /// **Isolation**: any thread; within the tap's own log or a hook it does nothing.
    public func start() throws { try start(for: .itself) }

    /// Captures from now on.
    package func start(for scope: Scope) throws {
        if isWaitedFor { return }
        let begun = try turn.withLock { _ in try begin(for: scope) }
        for warning in begun?.warnings ?? [] { log.noted.warning(warning) }
    }

    /// Begins a run; `nil` if one goes on.
    private func begin(for scope: Scope) throws -> Run? {
        // What is about to end makes way first.
        if let run {
            guard run.isStopping else { return nil }
            end(run)
        }
        isRevoked.store(false, ordering: .relaxed)
        let plan = try makePlan(Topology.Sink(id: "memory", MemorySink(store: store)))
        let run = try Run(plan, number, scope, log.noted)
        current.withLock {
            $0 = run
            ExitStop.register(self)
        }
        if isRevoked.load(ordering: .relaxed) { run.shut() }
        return run
    }

    /// Captures nothing from now on, and writes what it has, as long as `drain_timeout` lasts.
    ///
    /// Returns when that is done, whoever has asked for it first; within the tap's own log or a hook at
    /// once.
    public func stop() {
        if isWaitedFor {
            isRevoked.store(true, ordering: .relaxed)
            run?.shut()
            return
        }
        // One that starts is waited for.
        turn.withLock { _ in }
        if let run { end(run) }
    }

    /// Stops a run and waits for its end.
    private func end(_ run: Run) {
        run.stop()
        last.withLock { $0 = run.report }
        current.withLock { current in
            guard current === run else { return }
            current = nil
            ExitStop.forget(self)
        }
    }

    /// Waits until the sinks have written what has ended so far, so that files and databases hold it.
    ///
    /// - Parameter limit: The longest to wait.
    /// - Returns: Whether all of them have; true where the tap does not run, false within its own log or
    ///   a hook, where nothing can be waited for.
    @discardableResult
    public func flush(for limit: Duration = .seconds(10)) -> Bool {
        // What waits here may be what the sinks wait for.
        if isWaitedFor { return false }
        return run?.flush(for: limit) ?? true
    }

    static let now: @Sendable () -> Timestamp = {
        Timestamp(microseconds: WallClock.microseconds)
    }
}

/// One run of a tap, from its start to its stop.
private final class Run: Sendable {
    /// What the pipeline's thread tells the one that waits for its start.
    private struct Outcome {
        var port: CapturePort?
        var report: RunReport?
    }

    private let plan: TapPlan
    private let pipeline: Pipeline
    private let executor = PipelineExecutor()
    private let outcome = Mutex(Outcome())
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let stopping = Atomic(false)

    /// Whether it was told to stop.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Whether this thread is within a hook.
    var isInHook: Bool { outcome.withLock(\.port)?.isInHook == true }

    /// Starts; returns once exchanges are captured.
    init(_ plan: TapPlan, _ number: Int, _ scope: Tap.Scope, _ log: Log) throws {
        self.plan = plan
        let source = plan.source
        pipeline = Pipeline(
            plan.topology,
            log: log,
            seed: .random(in: 0 ... .max),
            executor: executor,
            now: Tap.now
        )
        source.attach(recordsOnly: !FoundationTask.isUnderstood) { [self] port in
            outcome.withLock { $0.port = port }
            Captures.open(number, port)
            if scope != .itself { Captures.open(Captures.app, port, isFirst: scope == .test) }
            if source.capturesShared {
                // It has those classes of the app that were registered before its first use.
                FoundationProtocol.note(URLSession.shared.configuration)
                Captures.open(Captures.shared, port, isFirst: scope == .test)
            }
            begun.signal()
        }
        Task(executorPreference: executor) { [self] in
            let report = await pipeline.run()
            outcome.withLock { $0.report = report }
            close()
            begun.signal()
            ended.signal()
        }
        begun.wait()
        source.detach()
        let (port, report) = outcome.withLock { ($0.port, $0.report) }
        guard port != nil else { throw TapError.notStarted(report?.failures ?? []) }
    }

    /// What it has done, once it has ended.
    var report: RunReport? { outcome.withLock(\.report) }

    /// What is to be said of it, though it runs.
    var warnings: [String] {
        guard plan.source.capturesShared, !Captures.seesSharedSession else { return plan.warnings }
        return plan.warnings + [
            "URLSession.shared was used before the tap was made, so it is not captured; start earlier, "
                + "or use a session of a tapped() configuration"
        ]
    }

    /// Captures no more, and stops when it has written what it has.
    func shut() {
        guard !stopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        close()
        pipeline.stop()
    }

    func stop() {
        shut()
        ended.wait()
        // For whoever else waits.
        ended.signal()
        // The program may end right after this, when nothing may be freed beside its exit handlers.
        executor.wait()
    }

    func flush(for limit: Duration) -> Bool {
        let wait = Int(clamping: max(Microseconds(limit).count, 0))
        let deadline = DispatchTime.now() + .microseconds(wait)
        let isRecorded = outcome.withLock(\.port)?.flush(until: deadline) ?? true
        return pipeline.flush(until: deadline) && isRecorded
    }

    private func close() { outcome.withLock { $0.port }.map(Captures.shut) }
}

/// Why a tap does not start.
public enum TapError: Error, CustomStringConvertible {
    /// The configuration is wrong; the problems, each with its place.
    case configuration(String)
    /// A component did not start.
    case notStarted([String])

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .configuration(let problems): problems
        case .notStarted(let failures): failures.joined(separator: "\n")
        }
    }
}
