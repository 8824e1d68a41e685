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
/// The thread of the source sends all answers, since sending may wait for the network, and the sinks
/// must not.
///
/// **Isolation**: any thread; `answer`, `extend` and `end` are for the thread of the source.
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
        /// The batches that are to be answered.
        var finished: [(batch: Batch, isDone: Bool)] = []
        var next: UInt64 = 0
        /// The number of messages that are not answered.
        var count = 0
        var isOver = false
    }

    private let send: @Sendable (NATSPull.Answer, _ replies: [UInt8]) -> Void
    private let wake: @Sendable () -> Void
    /// Half of the server's time for an answer, in microseconds.
    private let halfWait: Int64
    private let retryDelay: Int64
    private let figures: NATSFigures
    private let state = Mutex(State())

    /// - Parameters:
    ///   - ackWait: The server's time for an answer, in microseconds.
    ///   - retryDelay: When a message that is returned is delivered again, in microseconds.
    ///   - figures: Counts the messages that are returned.
    ///   - wake: Is called when there is something to answer.
    ///   - send: Sends an answer to messages.
    init(
        ackWait: Int64,
        retryDelay: Int64,
        _ figures: NATSFigures,
        wake: @escaping @Sendable () -> Void,
        send: @escaping @Sendable (NATSPull.Answer, _ replies: [UInt8]) -> Void
    ) {
        self.send = send
        self.wake = wake
        halfWait = max(ackWait / 2, 1)
        self.retryDelay = retryDelay
        self.figures = figures
    }

    /// The number of messages that are not answered.
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

    /// Notes that the messages of a batch are to be answered, if they still wait.
    fileprivate func finish(_ number: UInt64, isDone: Bool) {
        let isFirst = state.withLock { state -> Bool in
            guard !state.isOver, let batch = state.batches.removeValue(forKey: number) else {
                return false
            }
            state.finished.append((batch: batch, isDone: isDone))
            return state.finished.count == 1
        }
        if isFirst { wake() }
    }

    /// Answers the messages that the sinks are done with, or could not store.
    func answer() {
        let finished = state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
        for (batch, isDone) in finished {
            send(isDone ? .done : .again(after: retryDelay), batch.replies)
            if !isDone { figures.update { $0.returned += batch.count } }
        }
        let answered = finished.reduce(0) { $0 + $1.batch.count }
        // Only now, so that a count of 0 means that all answers are sent.
        if answered > 0 { state.withLock { $0.count -= answered } }
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
        for batch in due { send(.working, batch.replies) }
    }

    /// Returns all messages that wait, to be delivered again; later answers are ignored.
    ///
    /// - Returns: Their number.
    func end() -> Int {
        let batches = state.withLock { state in
            state.isOver = true
            defer { state.batches = [:] }
            return Array(state.batches.values)
        }
        answer()
        for batch in batches { send(.again(after: 0), batch.replies) }
        return batches.reduce(0) { $0 + $1.count }
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
