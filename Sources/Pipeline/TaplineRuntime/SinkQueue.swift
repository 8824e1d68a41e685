// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments
internal import TaplineStatistics
internal import TaplineSystem

/// The bounded queue between the lanes and one sink's thread.
///
/// A lock guards its `SinkQueueStateMachine`, whose effects it carries out.
///
/// **Isolation**: lanes call `submit` from any thread. Only the sink's thread calls `next` and
/// reports the results of its steps. Only the sink's thread waits, and only while it has nothing to
/// do.
final class SinkQueue: Sendable {
    let machine: Mutex<SinkQueueStateMachine>
    private let wake = ThreadEvent()
    private let probes = Mutex<[@Sendable () -> Void]>([])
    let spill: SinkSpill
    /// The queue on disk; `nil` if `queue.disk` is not set.
    let disk: RecordLog?
    let log: Log
    /// How long records waited; the sink's thread adds to it.
    private let waits = DurationHistogram()
    /// How long writes took; the sink's thread adds to it.
    private let writes = DurationHistogram()
    private let spillQueue = DispatchQueue(label: "tapline.spill")

    /// The queue for the timers of all sinks.
    private static let watch = DispatchQueue(label: "tapline.watch")

    init(
        _ options: QueueOptions,
        _ retry: RetryOptions = RetryOptions(),
        batchLimit: Int,
        batchDelay: Microseconds,
        spill: SinkSpill,
        disk: RecordLog? = nil,
        log: Log = .none
    ) {
        machine = Mutex(
            SinkQueueStateMachine(options, retry, batchLimit: batchLimit, batchDelay: batchDelay)
        )
        self.spill = spill
        self.disk = disk
        self.log = log
    }
}

// MARK: - Lanes

extension SinkQueue {
    /// Accepts a batch, as far as `overflow` allows.
    ///
    /// If the result is `paused`, `ready` is kept and called once there is room again.
    func submit(
        _ batch: RecordBatch,
        isLive: Bool,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        let now = SteadyClock.microseconds
        let (result, effects) = machine.withLock {
            $0.submitted(batch, isLive: isLive, now: now, ready: ready)
        }
        carryOut(effects)
        return result
    }

    /// Notes an exchange that has begun.
    func opened(_ exchange: ActiveExchange) {
        carryOut(machine.withLock { $0.opened(exchange) })
    }

    /// Notes exchanges that have ended.
    func ended(_ ids: [ExchangeID]) {
        carryOut(machine.withLock { $0.ended(ids) })
    }
}

// MARK: - The pipeline

extension SinkQueue {
    /// Marks the end of submissions; the sink's thread ends when everything is written.
    func close() { carryOut(machine.withLock { $0.closed() }) }

    /// Marks the end of submissions; the sink's thread ends soon, and leaves what is not written to a
    /// successor with the same queue on disk.
    func leave() { carryOut(machine.withLock { $0.leaveRequested() }) }

    /// Leaves the queue on disk to a successor, if it should and the sink has no thread because it could
    /// not be opened.
    ///
    /// - Returns: Whether it has.
    func leaveUnopened() -> Bool {
        let now = SteadyClock.microseconds
        let answer = machine.withLock { $0.isLeaving ? $0.next(now: now) : nil }
        guard let (step, effects) = answer else { return false }
        carryOut(effects)
        guard case .end = step else { return false }
        ended()
        return true
    }

    /// Has the sink write and flush the records that are queued now, and calls back when it has, or
    /// when the sink has ended.
    func flush(_ done: @escaping @Sendable () -> Void) {
        carryOut(machine.withLock { $0.flushRequested(done) })
    }

    /// Whether a source or the disk relies on records that the sink has flushed.
    var isReliedOn: Bool { machine.withLock { $0.isReliedOn } }

    /// Asks the sink to reopen its files.
    func reopen() { carryOut(machine.withLock { $0.reopenRequested() }) }

    /// Calls back once the sink's thread has got to its next step, or at once if it is within one that
    /// may take long.
    func probe(_ answered: @escaping @Sendable () -> Void) {
        probes.withLock { $0.append(answered) }
        if machine.withLock({ $0.isAtWork }) { answerProbes() } else { wake.signal() }
    }

    private func answerProbes() {
        let answers = probes.withLock { probes in
            defer { probes = [] }
            return probes
        }
        for answer in answers { answer() }
    }

    /// Stops waiting for the sink: unwritten records count as lost, whatever the sink still does.
    ///
    /// Those on disk remain there for the next run.
    func abandon() {
        carryOut(machine.withLock { $0.abandoned() })
        spill.discard()
    }

    /// The current counters.
    var counters: SinkCounters { machine.withLock { $0.counters } }

    /// The current state.
    var state: SinkState {
        let now = SteadyClock.microseconds
        var state = machine.withLock { $0.state(now: now) }
        state.queueTimes = waits.distribution
        state.writeTimes = writes.distribution
        return state
    }
}

// MARK: - The sink's thread

extension SinkQueue {
    /// Waits for the next step.
    func next() -> SinkQueueStateMachine.Step {
        while true {
            let now = SteadyClock.microseconds
            let answer = machine.withLock { $0.next(now: now) }
            guard let (step, effects) = answer else {
                assertionFailure("the sink's thread did not report its last step")
                return .end(repeatsNotes: false)
            }
            carryOut(effects)
            // After the step is known: a probe that came earlier did not find the thread at work.
            answerProbes()
            switch step {
            case .sleep(let end?): wake.take(until: end)
            case .sleep(nil): wake.take()
            case .readBack(let count): readBack(count)
            case .readDisk(let count, let start, let end): readDisk(count, from: start, to: end)
            case .select(let entries):
                for entry in entries where entry.arrived > 0 {
                    let time = (now &- entry.arrived).multipliedClamped(by: 1000)
                    waits.add(nanoseconds: Int(time), count: entry.range.count)
                }
                return step
            default: return step
            }
        }
    }

    private func readBack(_ count: Int) {
        let result = spill.read(count)
        report { machine, now in
            if let failure = result.failure { return machine.readFailed(failure, now: now) }
            return machine.readBack(
                result.batch,
                lost: result.lost,
                result.reason,
                bytes: result.bytes
            )
        }
    }

    private func readDisk(_ count: Int, from start: SegmentPosition, to end: SegmentPosition) {
        guard let result = disk?.read(count, from: start, to: end) else { return }
        report { machine, now in
            if let failure = result.failure, result.end == start {
                return machine.readFailed(failure, now: now)
            }
            return machine.diskRead(result.batch, end: result.end, lost: result.lost, result.reason)
        }
    }

    /// Notes a write that began at a time of `SteadyClock`.
    func measureWrite(since begin: Int64) {
        let time = (SteadyClock.microseconds &- begin).multipliedClamped(by: 1000)
        writes.add(nanoseconds: Int(time))
    }

    /// Reports the result of a step.
    func report(
        _ event: (inout SinkQueueStateMachine, Int64) -> SinkQueueStateMachine.Effects?
    ) {
        let now = SteadyClock.microseconds
        guard let effects = machine.withLock({ event(&$0, now) }) else {
            return assertionFailure("the sink's thread reported a step that it was not given")
        }
        carryOut(effects)
    }

    /// The sink could not be opened; `left` records of its predecessor stay on disk.
    func notOpened(left: Int = 0) {
        carryOut(machine.withLock { $0.notOpened(left: left) })
        disk?.close()
    }

    /// The sink is closed.
    func ended() {
        spill.discard()
        disk?.close()
    }
}

// MARK: - Effects

extension SinkQueue {
    func carryOut(_ effects: consuming SinkQueueStateMachine.Effects) {
        if let position = effects.commits { commit(position) }
        if effects.wakes { wake.signal() }
        if effects.spills { spillQueue.async { [self] in moveToDisk() } }
        if let time = effects.watchAt {
            let left = max(time - SteadyClock.microseconds, 0)
            // A millisecond later, so that the time has certainly passed.
            let start = DispatchTime.now() + .microseconds(Int(clamping: left)) + .milliseconds(1)
            SinkQueue.watch.asyncAfter(deadline: start) { [self] in
                report { machine, now in machine.looked(now: now) }
            }
        }
        if let time = effects.retryDiskAt {
            let left = max(time - SteadyClock.microseconds, 0)
            let start = DispatchTime.now() + .microseconds(Int(clamping: left)) + .milliseconds(1)
            spillQueue.asyncAfter(deadline: start) { [self] in
                report { machine, now in machine.diskPauseEnded(now: now) }
            }
        }
        for notice in effects.notices { say(notice) }
        for callback in effects.callbacks { callback() }
    }

    /// Moves staged records to disk until few are left.
    private func moveToDisk() {
        if let disk { return move(to: disk) }
        while let entries = machine.withLock({ $0.takeStaged() }) {
            do {
                let bytes = try spill.append(entries)
                report { machine, now in machine.spilled(bytes: bytes, now: now) }
            } catch {
                report { machine, now in machine.spillFailed("\(error)", now: now) }
            }
        }
    }
}
