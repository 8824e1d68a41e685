// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Seals the exchanges of a worker that have ended, and hands their records to the sinks in batches.
///
/// **Isolation**: the worker's thread.
final class RecordQueue {
    /// The maximum number of records in a batch.
    private static let batch = 64
    /// How long a record waits for others.
    private static let batchDelay = Microseconds(10_000)
    /// The most bytes of an exchange that is sealed so fast that it need not be measured.
    private static let immediateBytes = 1024

    /// Whether the sinks have no room, so that no new exchange begins.
    private(set) var isPaused = false
    /// The bytes that are kept of the exchanges that wait to be sealed.
    ///
    /// Stored outside the backlog, where each access would be checked for exclusivity.
    private(set) var backlogBytes = 0

    private let loop: EventLoop
    private let lane: any Lane
    private var pending = 0
    private var backlog = UnsealedExchanges(limit: Microseconds(5000))
    private var batchTimer: LoopTimer?
    private let closed: @Sendable () -> Void
    /// Called when there is room again.
    var resumed: () -> Void = {}

    /// - Parameters:
    ///   - loop: The worker's loop.
    ///   - lane: The worker's lane.
    ///   - closed: Called when the sinks no longer accept records.
    init(_ loop: EventLoop, _ lane: any Lane, closed: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.lane = lane
        self.closed = closed
        batchTimer = LoopTimer(on: loop) { [unowned self] in submit() }
    }

    /// Seals the exchanges that wait, after the loop has ended.
    func end() {
        batchTimer = nil
        resumed = {}
        // No connection waits for the loop now.
        while let ended = popFirst() { seal(ended) }
    }

    /// Hands an exchange that has ended to the record stages, now or in a later turn of the loop.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: The context of the exchange.
    ///   - kept: The bytes that are kept of it, which are released after sealing.
    ///   - memory: The memory that counts these bytes.
    func add(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext,
        _ kept: Int,
        _ memory: ClientMemory
    ) {
        guard kept > Self.immediateBytes else {
            seal(exchange, context)
            return memory.release(kept)
        }
        let ended = UnsealedExchanges.Ended(exchange, context, kept, memory)
        if backlog.isEmpty, backlog.hasTime(in: loop.now) { return seal(ended) }
        if backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
        backlog.append(ended)
        backlogBytes = backlog.bytes
    }

    private func popFirst() -> UnsealedExchanges.Ended? {
        let first = backlog.popFirst()
        backlogBytes = backlog.bytes
        return first
    }

    /// Seals as many exchanges as the turn of the loop has time for, and the rest in later turns.
    private func sealOn() {
        while backlog.hasTime(in: loop.now), let ended = popFirst() { seal(ended) }
        if !backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
    }

    private func seal(_ ended: UnsealedExchanges.Ended) {
        let begun = EventLoop.clockNow()
        seal(ended.exchange, ended.context)
        ended.memory.release(ended.kept)
        backlog.spend(Microseconds(EventLoop.clockNow() &- begun))
    }

    private func seal(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) {
        guard lane.finish(exchange, context) else { return }
        pending += 1
        if pending >= Self.batch {
            submit()
        } else if pending == 1 {
            batchTimer?.arm(after: Self.batchDelay)
        }
    }

    /// Hands finished records to the sinks, or keeps them until there is room.
    private func submit() {
        guard !isPaused else { return }
        pending = 0
        batchTimer?.cancel()
        let loop = loop
        let resume = Resume(queue: self)
        let result = lane.submit(ticket: nil) {
            loop.execute { resume.queue.open() }
        }
        switch result {
        case .open: break
        case .paused: isPaused = true
        case .closed: closed()
        }
    }

    private func open() {
        isPaused = false
        if pending > 0 { submit() }
        resumed()
    }
}

/// A reference to a queue for a callback from another thread.
///
/// It is used only on the loop's thread, and not after the loop's end, until which the queue lives.
///
/// Not weak: a weak reference would add an indirection to the reference counting in every step of
/// an exchange.
private struct Resume: @unchecked Sendable { unowned let queue: RecordQueue }
