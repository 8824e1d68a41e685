// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// The way of one source's records to all sinks, in the order of tickets where there are any.
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

    /// Hands a batch to every sink; with a ticket, as soon as all before it have been handed over.
    func submit(
        _ batch: RecordBatch,
        ticket: UInt64?,
        ready: @escaping @Sendable () -> Void
    ) -> Admission {
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
            return Readiness.gather(ready) { ready in
                batches.map { spread($0, ready: ready) }
            }
        }
    }

    private func spread(
        _ batch: RecordBatch,
        ready: @escaping @Sendable () -> Void
    ) -> Admission {
        Readiness.gather(ready) { ready in
            queues.map { $0.submit(batch, isLive: isLive, ready: ready) }
        }
    }
}

/// Joins several answers to one: it calls back when all that paused have room again.
private final class Readiness: Sendable {
    /// Keeps the count from reaching zero before it is known how many will arrive.
    private static let open = Int.max / 2

    private let left = Atomic<Int>(Readiness.open)
    private let ready: @Sendable () -> Void

    private init(_ ready: @escaping @Sendable () -> Void) {
        self.ready = ready
    }

    /// One answer for all: `closed` where all are, `paused` where one is.
    static func gather(
        _ ready: @escaping @Sendable () -> Void,
        _ submit: (@escaping @Sendable () -> Void) -> [Admission]
    ) -> Admission {
        let readiness = Readiness(ready)
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

    /// Says how many will arrive, some of whom may have done so already.
    ///
    /// Returns whether any are left.
    private func expect(_ count: Int) -> Bool {
        left.wrappingAdd(count - Readiness.open, ordering: .acquiringAndReleasing).newValue > 0
    }

    private func arrive() {
        if left.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { ready() }
    }
}
