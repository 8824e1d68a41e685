// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineNATS

/// The batches of messages that the server waits for.
///
/// ```
/// delivered ──┬── all sinks are done ──────────▶ acknowledged
///             ├── a sink cannot store it ──────▶ returned, to be delivered again later
///             └── the source ends ─────────────▶ returned, to be delivered again at once
/// ```
///
/// **Isolation**: any thread.
final class Deliveries: Sendable {
    private struct Batch {
        /// The reply subjects, with a zero byte at the end of each.
        let replies: [UInt8]
        let count: Int
        /// When the server's time for an answer began, at the latest.
        var since: Int64
    }

    private struct State {
        var batches: [UInt64: Batch] = [:]
        var next: UInt64 = 0
        /// The number of messages in all batches.
        var count = 0
        var isOver = false
    }

    private let pull: NATSPull
    /// Half of the server's time for an answer, in microseconds.
    private let halfWait: Int64
    private let retryDelay: Int64
    private let figures: NATSFigures
    private let state = Mutex(State())

    init(_ pull: NATSPull, ackWait: Int64, retryDelay: Int64, _ figures: NATSFigures) {
        self.pull = pull
        halfWait = max(ackWait / 2, 1)
        self.retryDelay = retryDelay
        self.figures = figures
    }

    /// The number of messages that wait.
    var count: Int { state.withLock { $0.count } }

    /// Adds the messages of a fetch.
    ///
    /// - Parameters:
    ///   - replies: Their reply subjects, with a zero byte at the end of each.
    ///   - count: Their number.
    ///   - now: When the fetch began.
    /// - Returns: What answers them.
    func add(_ replies: [UInt8], count: Int, now: Int64) -> DeliveryAnswer {
        let number = state.withLock { state in
            let number = state.next
            state.next += 1
            state.batches[number] = Batch(replies: replies, count: count, since: now)
            state.count += count
            return number
        }
        return DeliveryAnswer(self, number)
    }

    /// Answers the messages of a batch, if they still wait.
    fileprivate func finish(_ number: UInt64, isDone: Bool) {
        let batch = state.withLock { state -> Batch? in
            guard !state.isOver, let batch = state.batches.removeValue(forKey: number) else {
                return nil
            }
            state.count -= batch.count
            return batch
        }
        // Not locked meanwhile, since sending may wait for the network.
        guard let batch else { return }
        pull.answer(isDone ? .done : .again(after: retryDelay), batch.replies)
        if !isDone { figures.update { $0.returned += batch.count } }
    }

    /// Asks the server for more time where half of it is over.
    func extend(now: Int64) {
        let due = state.withLock { state -> [Batch] in
            var due: [Batch] = []
            for (number, batch) in state.batches where now - batch.since >= halfWait {
                state.batches[number]?.since = now
                due.append(batch)
            }
            return due
        }
        for batch in due { pull.answer(.working, batch.replies) }
    }

    /// Returns all messages that wait, to be delivered again; later answers are ignored.
    ///
    /// - Returns: Their number.
    func end() -> Int {
        let (batches, count) = state.withLock { state in
            state.isOver = true
            defer { state.batches = [:] }
            return (Array(state.batches.values), state.count)
        }
        for batch in batches { pull.answer(.again(after: 0), batch.replies) }
        return count
    }
}

/// Answers the messages of one batch; if it is released without an answer, they are returned.
///
/// The closure that acknowledges a batch owns it. A pipeline that cannot store the batch releases
/// that closure without a call.
final class DeliveryAnswer: Sendable {
    private let deliveries: Deliveries
    private let number: UInt64

    fileprivate init(_ deliveries: Deliveries, _ number: UInt64) {
        self.deliveries = deliveries
        self.number = number
    }

    deinit { deliveries.finish(number, isDone: false) }

    func acknowledge() { deliveries.finish(number, isDone: true) }
}
