// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// The records of a lane, and the queues that they go to.
struct Delivery {
    let batch: RecordBatch
    let queues: [SinkQueue]
}

/// Hands the records of one source to its sinks, in ticket order if they have tickets.
///
/// **Isolation**: any thread.
final class FanOut: Sendable {
    private struct Order: ~Copyable {
        var next: UInt64 = 0
        var early: [UInt64: [Delivery]] = [:]
    }

    private let isLive: Bool
    private let order = Mutex(Order())

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Hands each batch to its sinks.
    ///
    /// Batches with a ticket are held until all earlier tickets have been handed over.
    func submit(
        _ deliveries: [Delivery],
        ticket: UInt64?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        guard let ticket else { return spread(deliveries, ready: ready) }
        return order.withLock { order in
            guard ticket == order.next else {
                order.early[ticket] = deliveries
                return .open
            }
            order.next += 1
            var all = deliveries
            while let following = order.early.removeValue(forKey: order.next) {
                all += following
                order.next += 1
            }
            return spread(all, ready: ready)
        }
    }

    private func spread(
        _ deliveries: [Delivery],
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        PendingSinks.gather(ready) { ready in
            deliveries.flatMap { delivery in
                delivery.queues.map { $0.submit(delivery.batch, isLive: isLive, ready: ready) }
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

    private init(_ ready: @escaping @Sendable () -> Void) {
        self.ready = ready
    }

    /// Returns one result for all: `closed` if all are closed, `paused` if any is paused.
    static func gather(
        _ ready: @escaping @Sendable () -> Void,
        _ submit: (@escaping @Sendable () -> Void) -> [SubmitResult]
    ) -> SubmitResult {
        let readiness = PendingSinks(ready)
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
        return readiness.expect(paused) ? .paused : .open
    }

    /// Sets how many callbacks are expected; some may have arrived already.
    ///
    /// Returns whether any are outstanding.
    private func expect(_ count: Int) -> Bool {
        left.wrappingAdd(count - PendingSinks.open, ordering: .acquiringAndReleasing).newValue > 0
    }

    private func arrive() {
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ready() }
    }
}
