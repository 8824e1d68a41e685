// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Seals the exchanges of a worker that have ended, and hands their records to the sinks in batches.
///
/// **Isolation**: the worker's thread.
final class RecordQueue {
    /// How many records are handed on together at most.
    private static let batch = 64
    /// How long a record waits for others.
    private static let batchDelay = Microseconds(10_000)
    /// The most bytes kept of an exchange that is sealed in no time, so that it need not be measured.
    private static let quickBytes = 1024

    /// Whether the sinks have no room, so that no exchange is begun.
    private(set) var isPaused = false
    /// The bytes that are kept of exchanges that wait to be sealed.
    ///
    /// Beside the backlog, since each look at that would be checked for exclusivity.
    private(set) var backlogBytes = 0

    private let loop: EventLoop
    private let lane: any Lane
    private var pending = 0
    private var backlog = SealBacklog(limit: Microseconds(5000))
    private var batchTimer: LoopTimer?
    private let closed: @Sendable () -> Void
    /// Called when there is room again.
    var resumed: () -> Void = {}

    /// - Parameters:
    ///   - loop: The worker's loop.
    ///   - lane: The worker's lane.
    ///   - closed: Called when the sinks take nothing any more.
    init(_ loop: EventLoop, _ lane: any Lane, closed: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.lane = lane
        self.closed = closed
        batchTimer = LoopTimer(on: loop) { [unowned self] in submit() }
    }

    /// Seals what waits, when the loop has ended.
    func end() {
        batchTimer = nil
        resumed = {}
        // Nobody waits for the loop any more.
        while let ended = popFirst() { seal(ended) }
    }

    /// Hands an exchange that has ended to the record stages, now or in a later turn of the loop.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: The context of that.
    ///   - kept: The bytes that are kept of it, which are released then.
    ///   - memory: What has counted them.
    func add(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext,
        _ kept: Int,
        _ memory: ClientMemory
    ) {
        guard kept > Self.quickBytes else {
            seal(exchange, context)
            return memory.release(kept)
        }
        let ended = SealBacklog.Ended(exchange, context, kept, memory)
        if backlog.isEmpty, backlog.hasTime(in: loop.now) { return seal(ended) }
        if backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
        backlog.append(ended)
        backlogBytes = backlog.bytes
    }

    private func popFirst() -> SealBacklog.Ended? {
        let first = backlog.popFirst()
        backlogBytes = backlog.bytes
        return first
    }

    /// Seals what a turn of the loop has time for, and the rest in later ones.
    private func sealOn() {
        while backlog.hasTime(in: loop.now), let ended = popFirst() { seal(ended) }
        if !backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
    }

    private func seal(_ ended: SealBacklog.Ended) {
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
        let admission = lane.submit(ticket: nil) {
            loop.execute { resume.queue.open() }
        }
        switch admission {
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

/// A queue as a callback from another thread holds it: looked at on the loop's thread alone, and not
/// after the loop's end, until which the queue lives.
///
/// Not weak: an object that is referred to weakly is counted by a detour, at every step of an exchange.
private struct Resume: @unchecked Sendable { unowned let queue: RecordQueue }
