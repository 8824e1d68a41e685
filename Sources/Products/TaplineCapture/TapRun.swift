// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem
internal import URLProtocolSource

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// One run of a tap, from its start to its stop.
final class TapRun: Sendable {
    /// The result that the pipeline's thread passes to the thread that waits for its start.
    private struct Outcome {
        var intake: CaptureIntake?
        var report: RunReport?
    }

    /// What runs; a reload replaces the topology.
    private let current: Mutex<TapPlan>
    private let pipeline: Pipeline
    private let executor = PipelineExecutor()
    private let outcome = Mutex(Outcome())
    private let begun = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private let stopping = Atomic(false)

    /// Whether a stop was requested.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    private var plan: TapPlan { current.withLock { $0 } }

    /// The first database that the sinks write.
    var database: String? { plan.topology.stores.first?.path }

    var control: any PipelineControl { pipeline }

    var status: PipelineStatus { pipeline.status }

    /// Whether this thread is within a hook.
    var isInHook: Bool { outcome.withLock(\.intake)?.isInHook == true }

    /// Starts a run; returns once exchanges are captured.
    init(_ plan: TapPlan, _ slot: TapSlot, _ scope: Tap.Scope, _ log: Log) throws {
        current = Mutex(plan)
        let source = plan.source
        pipeline = Pipeline(
            plan.topology,
            log: log,
            seed: .random(in: 0 ... .max),
            executor: executor,
            now: Tap.now
        )
        let recordsOnly = !FoundationTask.isUnderstood
        source.attach(isOffline: plan.isOffline, recordsOnly: recordsOnly) { [self] intake in
            outcome.withLock { $0.intake = intake }
            TapRegistry.open(slot, intake)
            if scope != .itself { TapRegistry.open(.app, intake, isFirst: scope == .test) }
            if source.capturesShared {
                // The session has the app's classes that were registered before its first use.
                FoundationProtocol.note(URLSession.shared.configuration)
                TapRegistry.open(.shared, intake, isFirst: scope == .test)
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
        let (intake, report) = outcome.withLock { ($0.intake, $0.report) }
        guard intake != nil else { throw TapError.notStarted(report?.failures ?? []) }
    }

    /// The report of the run, once it has ended.
    var report: RunReport? { outcome.withLock(\.report) }

    /// The warnings of a successful start.
    var warnings: [String] {
        guard plan.source.capturesShared, !TapRegistry.seesSharedSession else {
            return plan.warnings
        }
        return plan.warnings + [
            "URLSession.shared was used before the tap was created and is not captured; "
                + "start earlier, or use a session of a tapped() configuration"
        ]
    }

    /// Stops capturing, and ends once pending exchanges are written.
    func shut() {
        guard !stopping.exchange(true, ordering: .acquiringAndReleasing) else { return }
        close()
        pipeline.stop()
    }

    func stop() {
        shut()
        ended.wait()
        // For other waiting threads.
        ended.signal()
        // The program may end right after this, and nothing may be freed concurrently with its exit
        // handlers.
        executor.wait()
    }

    func flush(for limit: Duration) -> Bool {
        let wait = Int(clamping: max(Microseconds(limit).count, 0))
        let deadline = DispatchTime.now() + .microseconds(wait)
        let isRecorded = outcome.withLock(\.intake)?.flush(until: deadline) ?? true
        return pipeline.flush(until: deadline) && isRecorded
    }

    private func close() { outcome.withLock { $0.intake }.map(TapRegistry.shut) }
}

// MARK: - Reloading

extension TapRun {
    /// What the source captures, for components that do not say so.
    var captureSettings: CaptureSettings {
        let plan = plan
        return CaptureSettings(
            maxBodySize: plan.topology.sources.first?.captureMaxBytes ?? 1 << 20,
            capturesShared: plan.source.capturesShared
        )
    }

    /// Replaces the components that a new plan changes; the caller has one reload run at a time.
    ///
    /// - Throws: `TapError`; nothing has changed then.
    func reload(to new: TapPlan) async throws -> TapReload {
        let old = plan
        var topology = new.topology
        if new.source.capturesShared == old.source.capturesShared {
            topology.keepSource(of: old.topology)
        }
        let outcome: ReloadOutcome
        do {
            outcome = try await pipeline.reload(to: topology)
        } catch {
            throw TapError.notReloaded(error.description)
        }
        switch outcome {
        case .applied(let generation, let changed):
            current.withLock { $0.topology = topology }
            return TapReload(generation: generation, changed: changed)
        case .failed(let reasons): throw TapError.notReloaded(reasons)
        }
    }
}
