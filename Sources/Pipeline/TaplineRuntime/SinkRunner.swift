// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineQuery
internal import TaplineSystem

/// The thread of one sink: opens it, carries out the steps from its queue, and closes it.
final class SinkRunner: Sendable {
    let id: String
    let queue: SinkQueue
    let wantsActive: Bool
    /// The exclusive resources of the sink.
    let claims: [ResourceClaim]
    private let factory: any SinkFactory
    /// The sink's own metrics.
    var metrics: [Metric] { factory.metrics }
    private let condition: Filter?
    private let deadLetters: String?
    private let opening = Mutex(Opening.done)
    private let isGivenUp = Atomic<Bool>(false)
    private let log: Log
    private let ended = ThreadEvent()
    private let thread = Mutex<DedicatedThread?>(nil)

    /// The progress of a sink that opens after others.
    private enum Opening {
        /// It is open, or was never to wait.
        case done
        /// Others have to close the same files first.
        case waiting(since: Int64)
        /// It could not be opened, and is tried again.
        case failing(since: Int64, String)
    }

    init(_ sink: Topology.Sink, log: Log, spill: SinkSpill, disk: RecordLog? = nil) {
        id = sink.id
        factory = sink.factory
        claims = sink.claims
        deadLetters = sink.queue.deadLetters
        condition = sink.condition
        wantsActive = sink.factory.wantsActive
        self.log = log.of(sink.id)
        queue = SinkQueue(
            sink.queue,
            sink.retry,
            batchLimit: sink.factory.batchLimit,
            batchDelay: sink.factory.batchDelay,
            spill: spill,
            disk: disk,
            log: self.log
        )
    }

    /// Opens the sink on its thread, which then carries out the steps from the queue.
    ///
    /// Returns the error if the sink fails to open.
    func start(now: @escaping @Sendable () -> Timestamp) async -> (any Error)? {
        let error = await open(now: now)
        if error != nil {
            queue.notOpened()
            ended.signal()
        }
        return error
    }

    private func open(
        left: Int? = nil,
        now: @escaping @Sendable () -> Timestamp
    ) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            do {
                let started = try DedicatedThread.start { [self] in
                    let sink: any Sink
                    let context = SinkContext(id: id, log: log, now: now)
                    do {
                        try queue.openDisk(left: left)
                        sink = try factory.open(context)
                    } catch {
                        return continuation.resume(returning: error)
                    }
                    continuation.resume(returning: nil)
                    run(sink, context)
                    ended.signal()
                }
                thread.withLock { $0 = started }
            } catch {
                continuation.resume(returning: error)
            }
        }
    }

    /// Opens the sink once others that use the same files have closed them, and again until it
    /// opens; meanwhile its queue keeps the records.
    func start(after predecessors: [SinkRunner], now: @escaping @Sendable () -> Timestamp) {
        let since = SteadyClock.microseconds
        opening.withLock { $0 = .waiting(since: since) }
        Task { [self] in
            for predecessor in predecessors {
                while await !predecessor.wait(atMost: Microseconds(.milliseconds(20))) {
                    // Only its thread closes the queue on disk.
                    let mayOpen = predecessor.isAbandoned && !sharesDisk(with: predecessor)
                    if mayOpen || isAbandoned { break }
                }
            }
            let former = predecessors.filter(sharesDisk)
            let left = former.reduce(0) { $0 + $1.queue.counters.handedOver }
            var failures = 0
            while !isAbandoned {
                guard let error = await open(left: former.isEmpty ? nil : left, now: now) else {
                    return opening.withLock { $0 = .done }
                }
                if queue.leaveUnopened() {
                    ended.signal()
                    return
                }
                failures += 1
                opening.withLock { $0 = .failing(since: since, "\(error)") }
                if failures == 1 { log.error("cannot be opened, trying again: \(error)") }
                try? await Task.sleep(for: SinkRunner.reopenDelay)
            }
            queue.notOpened(left: left)
            ended.signal()
        }
    }

    /// Whether both use the same queue on disk.
    func sharesDisk(with other: SinkRunner) -> Bool {
        guard let path = queue.disk?.path else { return false }
        return other.queue.disk?.path == path
    }

    private static let reopenDelay = Duration.milliseconds(500)

    /// Whether the sink waits for another one to close, or could not be opened so far.
    var isWaitingToOpen: Bool {
        if case .done = opening.withLock({ $0 }) { false } else { true }
    }

    /// The state of the sink and its queue; `starting` with the reason while it waits to open.
    var state: SinkState {
        var state = queue.state
        guard state.state == .running else { return state }
        let (begin, reason): (Int64, String)
        switch opening.withLock({ $0 }) {
        case .done: return state
        case .waiting(let since):
            (begin, reason) = (since, "it opens once its predecessor has closed the same files")
        case .failing(let since, let error):
            (begin, reason) = (since, "it cannot be opened: \(error)")
        }
        state.state = .starting
        state.reason = reason
        state.failingFor = Microseconds(max(SteadyClock.microseconds &- begin, 0))
        return state
    }

    /// Whether nobody waits for the sink any longer.
    var isAbandoned: Bool { isGivenUp.load(ordering: .relaxed) }

    /// Stops waiting for the sink: unwritten records count as lost.
    func abandon() {
        isGivenUp.store(true, ordering: .relaxed)
        queue.abandon()
    }

    /// Waits until the sink's thread has ended and is joined, or for a time, which does not depend on
    /// the wall clock.
    ///
    /// - Returns: Whether it has ended.
    func wait(atMost time: Microseconds) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tapline.wait.\(id)").async { [self] in
                let end = SteadyClock.microseconds.addingClamped(time.count)
                let hasEnded = ended.wait(until: end)
                if hasEnded { thread.withLock { $0 }?.join() }
                continuation.resume(returning: hasEnded)
            }
        }
    }
}

// MARK: - The loop

extension SinkRunner {
    private func run(_ opened: any Sink, _ context: SinkContext) {
        var sink: (any Sink)? = opened
        var batch = SelectedRecords()
        while true {
            let step = queue.next()
            switch step {
            case .select(let entries):
                batch.select(entries, where: condition)
                queue.report { machine, _ in machine.selected(batch.records.count) }
            case .deadLetter(let position, let reason):
                setAside(batch.records[position], reason)
            case .restart:
                let failure = restart(&sink, context)
                batch.removeAll()
                queue.report { machine, now in machine.restarted(failure: failure, now: now) }
            case .end(let repeatsNotes):
                if repeatsNotes { try? sink?.active(opened: [], ended: []) }
                return end(sink)
            default:
                // A sink that could not be opened again gets no other steps.
                if let sink { carryOut(step, &batch, sink) }
            }
        }
    }

    /// Carries out a step that is a call of the sink.
    private func carryOut(
        _ step: SinkQueueStateMachine.Step,
        _ batch: inout SelectedRecords,
        _ sink: any Sink
    ) {
        switch step {
        case .write(let piece): write(piece, of: &batch, to: sink)
        case .note(let opened, let ended): note(opened, ended, in: sink)
        case .flush:
            let failure = flush(sink)
            queue.report { machine, now in machine.flushed(failure: failure, now: now) }
        case .reopen:
            let failure = attempt("reopen its files") { try sink.reopen() }
            queue.report { machine, _ in machine.reopened(failure: failure) }
        default: break
        }
    }

    /// Flushes the sink, and syncs it if something relies on that.
    ///
    /// - Returns: The error message; `nil` if it has succeeded.
    private func flush(_ sink: any Sink) -> String? {
        if let failure = attempt("flush", { try sink.flush() }) { return failure }
        return queue.isReliedOn ? attempt("sync") { try sink.sync() } : nil
    }

    /// Closes the sink, and opens it again.
    ///
    /// - Returns: The error message; `nil` if it is open.
    private func restart(_ sink: inout (any Sink)?, _ context: SinkContext) -> String? {
        if let former = sink.take() {
            // What it cannot write any more is written again.
            _ = attempt("close") { try former.close() }
        }
        do {
            sink = try factory.open(context)
            return nil
        } catch {
            return "open: \(error)"
        }
    }

    /// Writes a refused record to the file for dead letters.
    private func setAside(_ record: Record, _ reason: String) {
        let failure = attempt("write to the file for dead letters") {
            guard let deadLetters else { return }
            try DeadLetterFile(deadLetters, sink: id).write(record, reason: reason)
        }
        queue.report { machine, now in machine.wroteDeadLetter(failure: failure, now: now) }
    }

    private func end(_ sink: (any Sink)?) {
        guard let sink else { return queue.ended() }
        let failures = [
            flush(sink), attempt("close") { try sink.close() },
        ]
        for failure in failures.compactMap(\.self) {
            queue.report { machine, _ in machine.closeFailed(failure) }
        }
        queue.ended()
    }

    /// Notifies the sink of exchanges that have begun and ended.
    ///
    /// If it fails to note them, no record is lost: the notification is repeated with later calls.
    private func note(_ opened: [ActiveExchange], _ ended: [ExchangeID], in sink: any Sink) {
        var failure: String?
        do {
            try sink.active(opened: opened, ended: ended)
        } catch let error as SinkError where error.kind == .closed {
            // The reader is gone; the next write ends the sink.
        } catch {
            failure = "\(error)"
        }
        queue.report { machine, _ in machine.noted(failure: failure) }
    }

    /// Writes a part of the batch, and releases a batch that is written.
    private func write(_ piece: Range<Int>, of batch: inout SelectedRecords, to sink: any Sink) {
        let begin = SteadyClock.microseconds
        defer { queue.measureWrite(since: begin) }
        do {
            let isWhole = piece == batch.records.indices
            let result = try sink.write(isWhole ? batch.records : Array(batch.records[piece]))
            if isWhole { batch.removeAll() }
            queue.report { machine, _ in
                machine.wrote(duplicates: result.duplicates, rejected: result.rejected)
            }
        } catch {
            let error = error as? SinkError ?? SinkError(.passing, "\(error)")
            queue.report { machine, now in machine.writeFailed(error, now: now) }
        }
    }

    /// Calls an action that is not retried.
    ///
    /// - Returns: The error message; `nil` if the action succeeds.
    private func attempt(_ what: String, _ action: () throws -> Void) -> String? {
        do {
            try action()
        } catch let error as SinkError where error.kind == .closed {
            // The reader is gone; the next write ends the sink.
        } catch {
            return "\(what): \(error)"
        }
        return nil
    }
}

/// The records of a sink's next batch.
private struct SelectedRecords {
    private(set) var records: [Record] = []
    /// The owners of the records.
    ///
    /// Keeping them makes a batch the last to release the records, so that it returns them to the
    /// lane that made them.
    private var entries: [QueueEntry] = []

    /// Takes the records that match `when`.
    mutating func select(_ entries: [QueueEntry], where condition: Filter?) {
        removeAll()
        self.entries = entries
        for entry in entries {
            for position in entry.range {
                let record = entry.batch.records[position]
                if let condition, !condition.matches(record.exchange) { continue }
                records.append(record)
            }
        }
    }

    mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
    }
}
