// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Hands the records of one source to all sinks, in ticket order if they have tickets.
///
/// **Isolation**: any thread.
final class FanOut: Sendable {
    private struct Order: ~Copyable {
        var next: UInt64 = 0
        var early: [UInt64: RecordBatch] = [:]
    }

    private let queues: [SinkQueue]
    let isLive: Bool
    private let order = Mutex(Order())
    /// Since when the source waits for sinks.
    let wait = SinkWait()

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
        guard let ticket else { return spread(batch, noting: wait, ready: ready) }
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
            return PendingSinks.gather(ready, noting: wait) { ready in
                batches.map { spread($0, ready: ready) }
            }
        }
    }

    /// Hands several batches to every sink, each with its ticket.
    func submit(
        _ batches: [(batch: RecordBatch, ticket: UInt64?)],
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        if batches.isEmpty { return .open }
        if batches.count == 1 {
            return submit(batches[0].batch, ticket: batches[0].ticket, ready: ready)
        }
        // Each batch notes its own wait.
        return PendingSinks.gather(ready, noting: nil) { ready in
            batches.map { submit($0.batch, ticket: $0.ticket, ready: ready) }
        }
    }

    private func spread(
        _ batch: RecordBatch,
        noting wait: SinkWait? = nil,
        ready: @escaping @Sendable () -> Void
    ) -> SubmitResult {
        PendingSinks.gather(ready, noting: wait) { ready in
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
