// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineQuery

/// The thread of one sink: opens it, carries out the steps that its queue gives, and closes it.
final class SinkRunner: Sendable {
    let id: String
    let queue: SinkQueue
    let wantsActive: Bool
    private let factory: any SinkFactory
    private let condition: Filter?
    private let log: Log
    private let ended = DispatchSemaphore(value: 0)
    private let thread = Mutex<OwnThread?>(nil)

    init(_ sink: Topology.Sink, log: Log, spill: SinkSpill) {
        id = sink.id
        factory = sink.factory
        condition = sink.condition
        wantsActive = sink.factory.wantsActive
        self.log = log.of(sink.id)
        queue = SinkQueue(
            sink.queue,
            sink.retry,
            batchLimit: sink.factory.batchLimit,
            batchDelay: sink.factory.batchDelay,
            spill: spill,
            log: self.log
        )
    }

    /// Opens the sink on its thread and says what went wrong, if anything did; then the thread goes
    /// on with what the queue brings.
    func start(now: @escaping @Sendable () -> Timestamp) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            let fail = { @Sendable [self] (error: any Error) in
                queue.notOpened()
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
}

// MARK: - The loop

extension SinkRunner {
    private func run(_ sink: any Sink) {
        var batch = SelectedRecords()
        while true {
            switch queue.next() {
            case .select(let entries):
                batch.select(entries, where: condition)
                queue.report { machine, _ in machine.selected(batch.records.count) }
            case .write(let piece): write(piece, of: &batch, to: sink)
            case .note(let opened, let ended): note(opened, ended, in: sink)
            case .flush:
                let failure = attempt("flush") { try sink.flush() }
                queue.report { machine, _ in machine.flushed(failure: failure) }
            case .reopen:
                let failure = attempt("open its files anew") { try sink.reopen() }
                queue.report { machine, _ in machine.reopened(failure: failure) }
            case .end(let isBehind):
                if isBehind { try? sink.active(opened: [], ended: []) }
                end(sink)
                return
            case .readBack, .sleep: break
            }
        }
    }

    private func end(_ sink: any Sink) {
        let failures = [
            attempt("flush") { try sink.flush() }, attempt("close") { try sink.close() },
        ]
        for failure in failures.compactMap(\.self) {
            queue.report { machine, _ in machine.closeFailed(failure) }
        }
        queue.ended()
    }

    /// Tells the sink which exchanges have begun and ended.
    ///
    /// Where it cannot keep that now no record is lost: it gets another chance with each call.
    private func note(_ opened: [ActiveExchange], _ ended: [ExchangeID], in sink: any Sink) {
        var failure: String?
        do {
            try sink.active(opened: opened, ended: ended)
        } catch let error as SinkError where error.kind == .closed {
            // The reader has gone; the next write ends the sink.
        } catch {
            failure = "\(error)"
        }
        queue.report { machine, _ in machine.noted(failure: failure) }
    }

    /// Writes a part of the batch, and lets go of a batch that is written.
    private func write(_ piece: Range<Int>, of batch: inout SelectedRecords, to sink: any Sink) {
        do {
            let isWhole = piece == batch.records.indices
            let result = try sink.write(isWhole ? batch.records : Array(batch.records[piece]))
            if isWhole { batch.removeAll() }
            queue.report { machine, _ in machine.wrote(duplicates: result.duplicates) }
        } catch {
            let error = error as? SinkError ?? SinkError(.passing, "\(error)")
            queue.report { machine, now in machine.writeFailed(error, now: now) }
        }
    }

    /// Does what is not worth a retry.
    ///
    /// - Returns: What failed.
    private func attempt(_ what: String, _ action: () throws -> Void) -> String? {
        do {
            try action()
        } catch let error as SinkError where error.kind == .closed {
            // The reader has gone; the next write ends the sink.
        } catch {
            return "\(what): \(error)"
        }
        return nil
    }
}

/// The records of a sink's next batch.
private struct SelectedRecords {
    private(set) var records: [Record] = []
    /// What holds the records, so that the last to let go of them is a batch, which returns them to
    /// the lane that made them.
    private var entries: [QueueEntry] = []

    /// Takes the records that `when` lets through.
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
