// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// Seals the exchanges of a worker that have ended, and hands their records to the sinks in batches.
///
/// **Isolation**: the worker's thread.
final class RecordQueue {
    /// The most bytes of an exchange that is sealed so fast that it need not be measured.
    private static let immediateBytes = 1024

    /// The bytes that are kept of the exchanges that wait to be sealed.
    ///
    /// Stored outside the backlog, where each access would be checked for exclusivity.
    private(set) var backlogBytes = 0

    private let loop: EventLoop
    private let batches: RecordBatches
    private var backlog = UnsealedExchanges(limit: Microseconds(5000))

    /// - Parameters:
    ///   - loop: The worker's loop.
    ///   - lane: The worker's lane.
    ///   - closed: Called when the sinks no longer accept records.
    init(_ loop: EventLoop, _ lane: any Lane, closed: @escaping @Sendable () -> Void) {
        self.loop = loop
        batches = RecordBatches(loop, lane, closed: closed)
    }

    /// Whether the sinks have no room, so that no new exchange begins.
    var isPaused: Bool { batches.isPaused }

    /// Sets what is called when there is room again.
    func whenResumed(_ action: @escaping () -> Void) { batches.resumed = action }

    /// Seals the exchanges that wait, after the loop has ended.
    func end() {
        batches.end()
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
            batches.seal(exchange, context)
            return memory.release(kept)
        }
        let ended = UnsealedExchanges.Ended(exchange, context, kept, memory)
        if backlog.isEmpty, backlog.hasTime(in: loop.now) { return seal(ended) }
        if backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
        backlog.append(ended)
        backlogBytes = backlog.bytes
    }

    /// Hands over an exchange of which no bytes are kept.
    func add(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) {
        batches.seal(exchange, context)
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
        batches.seal(ended.exchange, ended.context)
        ended.memory.release(ended.kept)
        backlog.spend(Microseconds(EventLoop.clockNow() &- begun))
    }
}
