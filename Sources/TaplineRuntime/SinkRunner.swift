// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The thread of one sink: opens it, feeds it from its queue, tries failed batches again, closes it.
///
/// A sink that fails holds up nobody else: after `retry.max_elapsed` it is degraded, what it gets
/// counts as errors, and each batch is tried once, so that it recovers when the fault has gone.
final class SinkRunner: Sendable {
    let id: String
    let queue: SinkQueue
    let wantsActive: Bool
    private let factory: any SinkFactory
    private let condition: Filter?
    private let retry: RetryOptions
    private let log: Log
    private let ended = DispatchSemaphore(value: 0)
    private let hurry = Atomic<Bool>(false)
    private let pause = DispatchSemaphore(value: 0)
    private let thread = Mutex<OwnThread?>(nil)

    init(_ sink: Topology.Sink, log: Log) {
        id = sink.id
        factory = sink.factory
        condition = sink.condition
        retry = sink.retry
        wantsActive = sink.factory.wantsActive
        self.log = log.of(sink.id)
        queue = SinkQueue(
            sink.queue,
            batchLimit: sink.factory.batchLimit,
            batchDelay: sink.factory.batchDelay
        )
    }

    /// Opens the sink on its thread and says what went wrong, if anything did; then the thread goes
    /// on with what the queue brings.
    func start(now: @escaping @Sendable () -> Timestamp) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            let fail = { @Sendable [self] (error: any Error) in
                queue.finish(lost: false)
                continuation.resume(returning: error)
                ended.signal()
            }
            do {
                let started = try OwnThread.start { [self] in
                    let sink: any Sink
                    do {
                        sink = try factory.open(SinkContext(id: id, log: log, now: now))
                    } catch {
                        return fail(error)
                    }
                    continuation.resume(returning: nil)
                    run(sink)
                    ended.signal()
                }
                thread.withLock { $0 = started }
            } catch {
                fail(error)
            }
        }
    }

    /// Waits until the sink's thread has ended and is joined, at most until a time.
    ///
    /// - Returns: Whether it has ended.
    func wait(until deadline: DispatchTime) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tapline.wait.\(id)").async { [self] in
                let hasEnded = ended.wait(timeout: deadline) == .success
                if hasEnded {
                    ended.signal()
                    thread.withLock { $0 }?.join()
                }
                continuation.resume(returning: hasEnded)
            }
        }
    }

    /// No more patience: a batch that fails is lost, and no pause between tries goes on.
    func giveUpRetries() {
        hurry.store(true, ordering: .relaxed)
        pause.signal()
    }
}

// MARK: - The loop

extension SinkRunner {
    private func run(_ sink: any Sink) {
        var batch: [Record] = []
        var isOpen = true
        var notes = Notes()
        while isOpen {
            switch queue.next() {
            case .records(let entries):
                select(entries, into: &batch)
                isOpen = batch.isEmpty || write(batch, to: sink)
                batch.removeAll(keepingCapacity: true)
                queue.settle()
                if !queue.counters.isDegraded {
                    if notes.areBehind { note([], [], in: sink, &notes) }
                    notes.isToldOf = notes.areBehind
                }
            case .active(let opened, let ended): note(opened, ended, in: sink, &notes)
            case .flush:
                attempt("flush") { try sink.flush() }
                queue.flushed()
            case .reopen: attempt("open its files anew") { try sink.reopen() }
            case .end: isOpen = false
            }
        }
        if notes.areBehind { note([], [], in: sink, &notes) }
        queue.finish(lost: false)
        attempt("flush") { try sink.flush() }
        attempt("close") { try sink.close() }
    }

    /// Whether a sink has noted the unfinished exchanges that it was told of.
    private struct Notes {
        var areBehind = false
        /// Whether that was said, since records were last written.
        var isToldOf = false
    }

    /// Tells the sink which exchanges have begun and ended.
    ///
    /// Where it cannot keep that now no record is lost: it gets another chance with each call.
    private func note(
        _ opened: [ActiveExchange],
        _ ended: [ExchangeID],
        in sink: any Sink,
        _ notes: inout Notes
    ) {
        do {
            try sink.active(opened: opened, ended: ended)
            notes.areBehind = false
        } catch let error as SinkError where error.kind == .closed {
            // The reader has gone; the next write ends the sink.
        } catch {
            notes.areBehind = true
            if notes.isToldOf { return }
            notes.isToldOf = true
            log.warning("cannot note unfinished exchanges, trying again: \(error)")
        }
    }

    /// The records that `when` lets through.
    private func select(_ entries: [SinkQueue.Entry], into batch: inout [Record]) {
        var filtered = 0
        for entry in entries {
            for position in entry.range {
                let record = entry.batch.records[position]
                if let condition, !condition.matches(record.exchange) {
                    filtered += 1
                } else {
                    batch.append(record)
                }
            }
        }
        if filtered > 0 { queue.count { $0.filtered += filtered } }
    }

    /// Writes a batch, again and again where that may help.
    ///
    /// Says whether the sink is still there.
    private func write(_ batch: [Record], to sink: any Sink) -> Bool {
        var interval = min(retry.initial, retry.maxInterval)
        var firstFailure: ContinuousClock.Instant?
        while true {
            do {
                let result = try sink.write(batch)
                queue.count {
                    $0.written += batch.count - result.duplicates
                    $0.duplicates += result.duplicates
                }
                recovered()
                return true
            } catch let error as SinkError where error.kind == .closed {
                log.info("ended: \(error.message)")
                queue.count { $0.dropped += batch.count }
                return false
            } catch let error as SinkError where error.kind == .refused {
                log.error("\(Counted.text(batch.count, "record")) refused: \(error.message)")
                queue.count { $0.errors += batch.count }
                return true
            } catch {
                let isFirst = firstFailure == nil
                let began = firstFailure ?? ContinuousClock.now
                firstFailure = began
                guard mayRetry(after: Microseconds(ContinuousClock.now - began)) else {
                    degrade(batch.count, error)
                    return true
                }
                if isFirst { log.warning("write failed, trying again: \(error)") }
                queue.count { $0.retries += 1 }
                _ = pause.wait(timeout: .now() + .microseconds(Int(clamping: interval.count)))
                let isHalf = interval.count <= retry.maxInterval.count / 2
                interval = isHalf ? Microseconds(interval.count * 2) : retry.maxInterval
            }
        }
    }

    private func mayRetry(after elapsed: Microseconds) -> Bool {
        !queue.counters.isDegraded && !hurry.load(ordering: .relaxed)
            && elapsed < retry.maxElapsed
    }

    private func degrade(_ count: Int, _ error: any Error) {
        queue.count { $0.errors += count }
        guard !queue.counters.isDegraded else { return }
        log.error("degraded, records are lost from here on: \(error)")
        queue.setDegraded(true)
    }

    private func recovered() {
        guard queue.counters.isDegraded else { return }
        log.info("recovered")
        queue.setDegraded(false)
    }

    /// Does what is not worth a retry.
    private func attempt(_ what: String, _ action: () throws -> Void) {
        do {
            try action()
        } catch let error as SinkError where error.kind == .closed {
            // The reader has gone; the next write ends the sink.
        } catch {
            log.error("cannot \(what): \(error)")
            queue.count { $0.failures += 1 }
        }
    }
}
