// SPDX-License-Identifier: MIT

internal import Synchronization

/// Notifies a source when every sink that takes part is done with a batch.
///
/// A sink whose reader is gone withdraws. If all do, no sink has the batch, and nobody is notified.
///
/// **Isolation**: any thread.
final class BatchAcknowledgement: Sendable {
    private let left: Atomic<Int>
    private let isStored = Atomic<Bool>(false)
    private let acknowledged: @Sendable () -> Void

    /// Creates an acknowledgement that calls back when `sinks` sinks are done.
    init(sinks: Int, _ acknowledged: @escaping @Sendable () -> Void) {
        left = Atomic(sinks)
        self.acknowledged = acknowledged
    }

    /// A sink is done with the batch.
    func done() {
        isStored.store(true, ordering: .relaxed)
        withdraw()
    }

    /// A sink takes no further part.
    func withdraw() {
        // This order also orders what other sinks have stored before.
        let left = left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        if left == 0, isStored.load(ordering: .relaxed) { acknowledged() }
    }
}

/// The batches of one sink whose sources wait until the sink is done with them.
///
/// A queue keeps the order of its records, in memory and on disk. So a count of records is enough
/// to know which batches are done: all records up to the end of a batch have left the queue, and
/// the sink has flushed since.
///
/// ```
/// accepted ──▶ finished (left the queue) ──▶ durable (flushed)
///     ▲                   │ a flush has failed: the records are queued again
///     └───────────────────┘
/// ```
struct PendingAcknowledgements {
    /// The shortest time between two flushes of a queue that is never empty, in microseconds.
    static let flushInterval: Int64 = 500_000

    private struct Pending {
        let acknowledgement: BatchAcknowledgement
        /// The number of accepted records up to the end of the batch.
        let end: Int
    }

    /// The number of records that the queue has accepted.
    var accepted = 0
    private var durable = 0
    /// The number of finished records when the current flush began.
    private var flushing = 0
    private var flushedAt: Int64 = 0
    private var pending: [Pending] = []

    /// Adds a batch whose records have just been accepted or dropped.
    ///
    /// - Returns: The acknowledgement, if the sink is done with the batch already.
    mutating func add(_ acknowledgement: BatchAcknowledgement) -> BatchAcknowledgement? {
        if accepted == durable { return acknowledgement }
        pending.append(Pending(acknowledgement: acknowledgement, end: accepted))
        return nil
    }

    /// The acknowledgements that wait.
    var all: [BatchAcknowledgement] { pending.map(\.acknowledgement) }

    /// Whether a source waits for records that the sink is not done with.
    var isAwaited: Bool { !pending.isEmpty }

    /// Returns whether a batch is ready to be flushed, and the last flush was long enough ago.
    func isFlushDue(queued: Int, now: Int64) -> Bool {
        guard let first = pending.first, first.end <= accepted - queued else { return false }
        return now &- flushedAt >= Self.flushInterval
    }

    /// A flush begins while no record is taken and `queued` ones wait.
    mutating func flushBegan(queued: Int, now: Int64) {
        flushing = accepted - queued
        flushedAt = now
    }

    /// The flush has succeeded.
    ///
    /// - Returns: The acknowledgements of the batches that are done.
    mutating func flushed() -> [BatchAcknowledgement] {
        durable = flushing
        let count = pending.firstIndex { $0.end > flushing } ?? pending.count
        guard count > 0 else { return [] }
        let ended = pending[..<count].map(\.acknowledgement)
        pending.removeFirst(count)
        return ended
    }

    /// The queue is over: its records are not written.
    mutating func removeAll() { pending = [] }
}
