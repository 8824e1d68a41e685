// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Measures the load four times a second, and sheds recording while it is too high.
///
/// **Isolation**: `start` and `stop` on any thread, `measure` on its queue.
final class SheddingMonitor: Sendable {
    private struct State {
        var controller: SheddingController
        var isStopped = false
        /// When shedding began, and how many exchanges had been shed before.
        var begun: (time: Int64, shed: Int) = (0, 0)
    }

    private static let queue = DispatchQueue(label: "tapline.shedding")
    private static let interval = DispatchTimeInterval.milliseconds(250)

    private let limits: RecordingLimits
    private let log: Log
    private let state: Mutex<State>
    private let load: @Sendable () -> SheddingController.Load

    init(
        _ shedding: SheddingLimits,
        _ limits: RecordingLimits,
        log: Log,
        load: @escaping @Sendable () -> SheddingController.Load
    ) {
        self.limits = limits
        self.log = log
        self.load = load
        state = Mutex(State(controller: SheddingController(shedding)))
    }

    /// Returns the monitor of a pipeline; `nil` if it never sheds.
    static func of(
        _ topology: Topology,
        _ limits: RecordingLimits,
        _ budget: MemoryBudget,
        _ log: Log
    ) -> SheddingMonitor? {
        guard topology.shedding.isSet, topology.sources.contains(where: \.isLive) else {
            return nil
        }
        let meter = LoadMeter(budget)
        return SheddingMonitor(topology.shedding, limits, log: log.of("runtime")) {
            meter.measure()
        }
    }

    /// Begins to measure, until `stop` is called.
    func start() {
        SheddingMonitor.queue.asyncAfter(deadline: .now() + SheddingMonitor.interval) {
            [weak self] in
            guard let self, measure() else { return }
            start()
        }
    }

    /// Ends measuring, and logs the total if recording is shed.
    func stop() {
        let ended = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped && state.controller.state.isActive ? state.begun : nil
        }
        if let ended { logEnd(since: ended) }
    }

    /// Takes one measurement; returns whether there are more.
    @discardableResult
    func measure() -> Bool {
        let load = load()
        let now = SteadyClock.microseconds
        let measured = state.withLock { state -> (SheddingController.Event?, State)? in
            guard !state.isStopped else { return nil }
            let event = state.controller.measured(load)
            if event == .began { state.begun = (now, limits.shedCount) }
            limits.shed(state.controller.state)
            return (event, state)
        }
        guard let (event, after) = measured else { return false }
        switch event {
        case .began: logBegin(after.controller.state.cause, load)
        case .ended: logEnd(since: after.begun)
        case nil: break
        }
        return true
    }

    private func logBegin(_ cause: SheddingState.Cause, _ load: SheddingController.Load) {
        let use = cause == .memory ? load.memory : load.processor
        let percent = Int(min(max(use * 100, 0), 100_000))
        log.warning(
            "\(cause.name) use is at \(percent) %, so not all exchanges are recorded; "
                + "traffic passes as before"
        )
    }

    private func logEnd(since begun: (time: Int64, shed: Int)) {
        let count = limits.shedCount - begun.shed
        let seconds = max(SteadyClock.microseconds - begun.time, 0) / 1_000_000
        log.info(
            "shedding has ended after \(seconds) s; \(Counted.text(count, "exchange")) not recorded"
        )
    }
}

/// Measures the processor time of the process and the use of the memory budget.
final class LoadMeter: Sendable {
    private let budget: MemoryBudget
    private let processors = ProcessorQuota.processors
    private let last: Mutex<(time: Int64, used: Int64)>

    init(_ budget: MemoryBudget) {
        self.budget = budget
        last = Mutex((SteadyClock.microseconds, ProcessClock.microseconds))
    }

    /// Returns the load since the last call.
    func measure() -> SheddingController.Load {
        let (now, used) = (SteadyClock.microseconds, ProcessClock.microseconds)
        let (time, work) = last.withLock { last in
            defer { last = (now, used) }
            return (now - last.time, used - last.used)
        }
        return SheddingController.Load(
            processor: Double(work) / (Double(max(time, 1)) * max(processors, 0.01)),
            memory: budget.use
        )
    }
}
