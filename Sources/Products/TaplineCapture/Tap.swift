// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel
package import TaplineOperations
internal import TaplinePlugin
package import TaplineRuntime
internal import TaplineSystem

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A pipeline within an app, which captures the requests that the app sends through URLSession.
///
/// `Tapline.start()` creates one for the whole app; tests and libraries create their own.
///
/// **Isolation**: any thread.
public final class Tap: Sendable {
    /// The store with the latest exchanges.
    public let store: MemoryStore
    private let assigned = Mutex<TapSlot?>(nil)
    /// The sink that fills the store, the same in all configurations.
    let memory: Topology.Sink
    /// The configuration, which a reload may replace.
    let configuration: Mutex<PlanMaker>
    /// The last reload that was requested, for which the next one waits.
    let lastReload = Mutex<Task<Void, Never>?>(nil)
    let log: ReentrancyGuardedLog
    private let current = Mutex<TapRun?>(nil)
    private let last = Mutex<RunReport?>(nil)
    private let lastStatus = Mutex<PipelineStatus?>(nil)
    /// Held while the tap starts, so that other calls wait for the start; the app's log is never
    /// called under another lock.
    private let turn = Mutex(())
    /// Whether the log has requested a stop before there was a run.
    private let isRevoked = Atomic(false)

    init(_ limits: MemoryStore.Limits, log: Log, makePlan: @escaping PlanMaker) {
        store = MemoryStore(limits, now: Tap.now)
        memory = Topology.Sink(id: "memory", MemorySink(store: store))
        self.log = ReentrancyGuardedLog(log)
        _ = TapRegistry.isRegistered
        configuration = Mutex(makePlan)
    }

    deinit { assigned.withLock { if let slot = $0 { TapRegistry.release(slot) } } }

    /// Which protocol class the tap has, which no other tap has; taken when it is first needed.
    var slot: TapSlot {
        assigned.withLock { assigned in
            let slot = assigned ?? TapRegistry.acquire()
            assigned = slot
            return slot
        }
    }

    /// The protocol class that captures while the tap runs, and otherwise passes requests on.
    var protocolClass: URLProtocol.Type { TapProtocols.type(of: slot) }

    /// The current run, which may be about to end.
    var run: TapRun? { current.withLock { $0 } }

    /// Whether the tap captures.
    public var isRunning: Bool { current.withLock { $0?.isStopping == false } }

    /// The report of the run that ended last.
    package var report: RunReport? { last.withLock { $0 } }

    /// The counters of the current run, or else of the last one.
    public var metrics: TapMetrics { TapMetrics(run?.status ?? lastStatus.withLock { $0 }) }

    /// The first database that the current run writes; `nil` if there is none.
    package var database: String? { run?.database }

    /// What an inspector may ask of the current run; `nil` if there is none.
    package var control: (any PipelineControl)? { run?.control }

    /// The entries of the store, newest first.
    public var entries: [Entry] { store.entries }

    /// Removes the entries.
    public func clear() { store.clear() }

    /// Whether this thread is running code of the app for which the tap may be waiting: its log, or
    /// a hook of its stages.
    var isWaitedFor: Bool { log.speaksHere || run?.isInHook == true }

    /// The sessions that a tap captures.
    package enum Scope: Sendable {
        /// Sessions that name the tap.
        case itself
        /// Sessions of the whole app as well.
        case app
        /// The same, even if the app starts another tap in the meantime.
        case test
    }

    /// Starts capturing; a running tap continues unchanged.
    ///
    /// **Throws**: `TapError` with the mistakes in the configuration, or with the components that
    /// did not start.
    /// **Isolation**: any thread; within the tap's own log or a hook it does nothing.
    public func start() throws { try start(for: .itself) }

    /// Starts capturing for a scope.
    package func start(for scope: Scope) throws {
        if isWaitedFor { return }
        let begun = try turn.withLock { _ in try begin(for: scope) }
        for warning in begun?.warnings ?? [] { log.noted.warning(warning) }
    }

    /// Begins a run; returns `nil` if one is active.
    private func begin(for scope: Scope) throws -> TapRun? {
        // A run that is about to end is completed first.
        if let run {
            guard run.isStopping else { return nil }
            end(run)
        }
        if slot == .none { throw TapError.tooManyTaps(TapProtocols.all.count) }
        isRevoked.store(false, ordering: .relaxed)
        let makePlan = configuration.withLock(\.self)
        let run = try TapRun(try makePlan(memory), slot, scope, log.noted)
        current.withLock {
            $0 = run
            AtExitFlush.register(self)
        }
        if isRevoked.load(ordering: .relaxed) { run.shut() }
        return run
    }

    /// Stops capturing and writes pending exchanges, within `drain_timeout`.
    ///
    /// Returns when that is done, even if another call requested it first; within the tap's own log
    /// or a hook it returns at once.
    public func stop() {
        if isWaitedFor {
            isRevoked.store(true, ordering: .relaxed)
            run?.shut()
            return
        }
        // Wait for a start that is in progress.
        turn.withLock { _ in }
        if let run { end(run) }
    }

    /// Stops a run and waits for its end.
    private func end(_ run: TapRun) {
        run.stop()
        last.withLock { $0 = run.report }
        lastStatus.withLock { $0 = run.status }
        current.withLock { current in
            guard current === run else { return }
            current = nil
            AtExitFlush.forget(self)
        }
    }

    /// Waits until the sinks have written all exchanges that have ended so far to their files and
    /// databases.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether all of it is written; `true` if the tap does not run, `false` within its
    ///   own log or a hook, where waiting is not possible.
    @discardableResult
    public func flush(for limit: Duration = .seconds(10)) -> Bool {
        // The sinks may be waiting for this thread.
        if isWaitedFor { return false }
        return run?.flush(for: limit) ?? true
    }

    /// Waits like the other `flush`, without blocking the thread.
    ///
    /// - Parameter limit: The longest time to wait.
    /// - Returns: Whether all of it is written.
    @discardableResult
    public func flush(for limit: Duration = .seconds(10)) async -> Bool {
        guard !isWaitedFor, let run else { return !isWaitedFor }
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "tapline.flush").async {
                continuation.resume(returning: run.flush(for: limit))
            }
        }
    }

    static let now: @Sendable () -> Timestamp = {
        Timestamp(microseconds: WallClock.microseconds)
    }
}

/// The reason why a tap does not start, or takes over no new configuration.
public enum TapError: Error, CustomStringConvertible {
    /// The configuration is wrong; contains the mistakes, each with its place.
    case configuration(String)
    /// A component did not start.
    case notStarted([String])
    /// More taps are in use than the given number.
    case tooManyTaps(Int)
    /// A component of the new configuration did not start, or a change needs a restart.
    case notReloaded(String)

    /// The problem, and what to do about it.
    public var description: String {
        switch self {
        case .configuration(let problems), .notReloaded(let problems): problems
        case .notStarted(let failures): failures.joined(separator: "\n")
        case .tooManyTaps(let limit):
            "\(limit) taps were in use when this one was first used, which is the most in one process: "
                + "release those that are no longer needed, and create it again"
        }
    }
}
