// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// Hands the records of one source to all sinks, in ticket order if they have tickets.
///
/// **Isolation**: any thread.
final class FanOut: Sendable {
    private struct Order: ~Copyable {
        var next: UInt64 = 0
        var early: [UInt64: RecordBatch] = [:]
    }

    private let queues: [SinkQueue]
    private let isLive: Bool
    private let order = Mutex(Order())

    init(_ queues: [SinkQueue], isLive: Bool) {
        self.queues = queues
        self.isLive = isLive
    }

    /// The number of sinks.
    var count: Int { queues.count }

    /// Hands a batch to every sink.
    ///
    /// A batch with a ticket is held until all earlier tickets have been handed over.
    func submit(
        _ batch: RecordBatch,
        ticket: UInt64?,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        guard let ticket else { return spread(batch, ready: ready) }
        return order.withLock { order in
            guard ticket == order.next else {
                order.early[ticket] = batch
                return .open
            }
            order.next += 1
            var batches = [batch]
            while let following = order.early.removeValue(forKey: order.next) {
                batches.append(following)
                order.next += 1
            }
            return PendingSinks.gather(ready) { ready in
                batches.map { spread($0, ready: ready) }
            }
        }
    }

    private func spread(
        _ batch: RecordBatch,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        PendingSinks.gather(ready) { ready in
            queues.map { $0.submit(batch, isLive: isLive, ready: ready) }
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
