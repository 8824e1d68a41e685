// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Records of a lane, and the queues that they go to.
struct Delivery {
    let batch: RecordBatch
    let queues: [SinkQueue]
    /// The counters of the lane, where its exchanges end.
    let board: LaneCounters
}

/// Hands the records of one source to its sinks, in ticket order if they have tickets.
///
/// **Isolation**: any thread.
final class FanOut: Sendable {
    /// What a source submits together: records of one or more generations.
    struct Submission {
        var deliveries: [Delivery]
        /// The position in the order of submissions; `nil` if the order does not matter.
        let ticket: UInt64?
    }

    private struct Order: ~Copyable {
        var next: UInt64 = 0
        var early: [UInt64: [Delivery]] = [:]
    }

    let isLive: Bool
    private let order = Mutex(Order())
    /// Since when the source waits for sinks.
    let wait = SinkWait()

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Hands each batch to its sinks.
    ///
    /// A submission with a ticket is held until all earlier tickets have been handed over.
    func submit(
        _ submission: Submission,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        guard let ticket = submission.ticket else {
            return spread(submission.deliveries, ready: ready)
        }
        return order.withLock { order in
            guard ticket == order.next else {
                order.early[ticket] = submission.deliveries
                return .open
            }
            order.next += 1
            var all = submission.deliveries
            while let following = order.early.removeValue(forKey: order.next) {
                all += following
                order.next += 1
            }
            return spread(all, ready: ready)
        }
    }

    /// Hands over several submissions.
    func submit(
        _ submissions: [Submission],
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        if submissions.isEmpty { return .open }
        if submissions.count == 1 { return submit(submissions[0], ready: ready) }
        // Each submission notes its own wait.
        return PendingSinks.gather(ready, noting: nil) { ready in
            submissions.map { submit($0, ready: ready) }
        }
    }

    private func spread(
        _ deliveries: [Delivery],
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        PendingSinks.gather(ready, noting: wait) { ready in
            deliveries.flatMap { delivery in
                let results = delivery.queues.map {
                    $0.submit(delivery.batch, isLive: isLive, ready: ready)
                }
                // Only now, since a sink that a reload has removed closes when nothing is under way.
                delivery.board.end(delivery.batch.records.count)
                return results
            }
        }
    }
}

/// Combines several results into one, and calls back when every paused queue has room again.
private final class PendingSinks: Sendable {
    /// Keeps the count above zero until the number of expected callbacks is known.
    private static let open = Int.max / 2

    private let left = Atomic<Int>(PendingSinks.open)
    private let ready: @Sendable () -> Void
    private let wait: SinkWait?

    private init(_ ready: @escaping @Sendable () -> Void, noting wait: SinkWait?) {
        self.ready = ready
        self.wait = wait
    }

    /// Returns one result for all: `closed` if all are closed, `paused` if any is paused.
    static func gather(
        _ ready: @escaping @Sendable () -> Void,
        noting wait: SinkWait?,
        _ submit: (@escaping @Sendable () -> Void) -> [SubmitResult]
    ) -> SubmitResult {
        let readiness = PendingSinks(ready, noting: wait)
        let answers = submit { readiness.arrive() }
        var paused = 0
        var closed = 0
        for answer in answers {
            switch answer {
            case .open: break
            case .paused: paused += 1
            case .closed: closed += 1
            }
        }
        if !answers.isEmpty, closed == answers.count { return .closed }
        guard paused > 0 else { return .open }
        guard readiness.expect(paused) else { return .open }
        wait?.begin()
        return .paused
    }

    /// Sets how many callbacks are expected; some may have arrived already.
    ///
    /// Returns whether any are outstanding.
    private func expect(_ count: Int) -> Bool {
        left.wrappingAdd(count - PendingSinks.open, ordering: .acquiringAndReleasing).newValue > 0
    }

    private func arrive() {
        guard left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 else {
            return
        }
        wait?.end()
        ready()
    }
}

/// How long the lanes of a source have been waiting for sinks.
///
/// **Isolation**: any thread. An end may come before its beginning.
final class SinkWait: Sendable {
    private let state = Mutex((count: 0, since: Int64(0)))

    /// Since when a lane waits, as `SteadyClock` counts; `nil` if none does.
    var since: Int64? { state.withLock { $0.count > 0 ? $0.since : nil } }

    func begin() {
        let now = SteadyClock.microseconds
        state.withLock { state in
            state.count += 1
            if state.count == 1 { state.since = now }
        }
    }

    func end() { state.withLock { $0.count -= 1 } }
}
