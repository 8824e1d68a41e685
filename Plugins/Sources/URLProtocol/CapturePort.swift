// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineCrypto
internal import TaplineFiles
public import TaplineModel
internal import TaplinePlugin

/// Where an app hands in its exchanges: one lane that all of its threads share.
///
/// ```
/// begin ──▶ request hooks ──▶ … ──▶ response hooks ──▶ end ──▶ (queue) record hooks ──▶ sinks
/// ```
/// Wire hooks run on the thread that asks for them, record hooks on a queue of the port, so that no
/// request waits for its own redaction. They share the lane, so that what begins or ends in the
/// meantime waits for the one exchange that is at them.
///
/// **Isolation**: any thread; the lane is behind a mutex.
/// **Limits**: an app is never held up. While the sinks take no more, and while `maxWaiting`
/// exchanges wait for their record hooks, those that end are dropped and counted.
public final class CapturePort: Sendable {
    /// The most exchanges that have ended and wait for their record hooks.
    static let maxWaiting = 4096
    /// How many exchanges that have ended go on together, so that not each one wakes a thread.
    private static let batch = 64
    /// How many bytes of bodies wait with them.
    private static let batchBytes = 1 << 20
    /// The longest that an exchange waits for others.
    private static let batchDelay = DispatchTimeInterval.milliseconds(20)

    private struct State {
        let lane: any Lane
        let random = SecureRandom()
        /// Exchanges that have begun and not ended.
        var live: [ExchangeID: CapturedExchange] = [:]
        /// Exchanges that have ended and wait for their record hooks.
        var ended: [CapturedExchange] = []
        /// The bytes that are held for them.
        var held = 0
        var isPaused = false
        /// Nothing begins any more.
        var isClosing = false
        var isClosed = false
    }

    /// The lane is touched under the mutex alone, whatever the thread.
    private struct Guarded: @unchecked Sendable { var state: State }

    let intake: any Intake
    let isOffline: Bool
    /// The hooks on what passes that stages have; the others need not be run.
    let wireHooks: Hooks
    private let guarded: Mutex<Guarded>
    private let queue = DispatchQueue(label: "tapline.capture")
    /// The number of the thread on which hooks run now; 0 where none do.
    private let hooks = Atomic<UInt>(0)

    init(_ intake: any Intake, isOffline: Bool) throws {
        self.intake = intake
        self.isOffline = isOffline
        let lane = try intake.makeLane()
        wireHooks = lane.wireHooks
        guarded = Mutex(Guarded(state: State(lane: lane)))
    }

    /// An exchange that begins now; nothing where the port is closed.
    public func begin(_ request: Request) -> CapturedExchange? {
        let started = Timestamp(microseconds: WallClock.microseconds)
        return guarded.withLock { guarded -> CapturedExchange? in
            guard !guarded.state.isClosing else { return nil }
            let random = guarded.state.random
            let id = ExchangeID(started: started, random: random.next(), random.next())
            let captured = CapturedExchange(id, started, request, guarded.state.lane, self)
            guarded.state.live[id] = captured
            return captured
        }
    }

    /// Lends the lane; nothing where the port is closed.
    func withLane<Result: Sendable>(_ body: (any Lane) -> Result) -> Result? {
        guarded.withLock { guarded in
            guarded.state.isClosed ? nil : noted { body(guarded.state.lane) }
        }
    }

    /// Whether this thread is within a hook, for which all that asks for the lane has to wait.
    public var isInHook: Bool { hooks.load(ordering: .relaxed) == ThreadID.current.number }

    /// Does what may run hooks.
    @discardableResult private func noted<Result>(_ body: () -> Result) -> Result {
        hooks.store(ThreadID.current.number, ordering: .relaxed)
        defer { hooks.store(0, ordering: .relaxed) }
        return body()
    }

    /// Takes an exchange that has ended, with as many bytes of bodies that the lane holds; its record
    /// hooks run a little later.
    func ended(_ exchange: CapturedExchange, heldBytes: Int) {
        let step = guarded.withLock { guarded -> Step in
            guarded.state.live[exchange.id] = nil
            let isFull = guarded.state.ended.count >= Self.maxWaiting
            guard !guarded.state.isPaused, !isFull else { return .drop }
            guarded.state.ended.append(exchange)
            guarded.state.held += heldBytes
            let isBatch = guarded.state.ended.count % Self.batch == 0
            if isBatch || guarded.state.held >= Self.batchBytes { return .recordNow }
            return guarded.state.ended.count == 1 ? .recordSoon : .wait
        }
        switch step {
        case .drop:
            exchange.abandon()
            intake.dropped(1)
        case .wait: break
        case .recordNow: queue.async { [self] in record() }
        case .recordSoon:
            queue.asyncAfter(deadline: .now() + Self.batchDelay) { [self] in record() }
        }
    }

    /// What becomes of an exchange that has ended.
    private enum Step {
        case drop, wait, recordNow, recordSoon
    }

    /// Runs the record hooks of what has ended so far, and hands the records to the sinks.
    ///
    /// On the queue, and with the lane for one of them at a time.
    private func record() {
        var ended: [CapturedExchange] = []
        guarded.withLock { guarded in
            guarded.state.held = 0
            swap(&ended, &guarded.state.ended)
        }
        for exchange in ended { exchange.record() }
        guarded.withLock { guarded in
            guard !guarded.state.isClosed, !ended.isEmpty else { return }
            let admission = guarded.state.lane.submit(ticket: nil) { [weak self] in self?.goOn() }
            if case .paused = admission { guarded.state.isPaused = true }
        }
    }

    /// Runs the record hooks of one that has ended, and keeps what becomes of it for the sinks.
    func finish(_ held: borrowing HeldExchange, heldBytes: Int) {
        guarded.withLock { guarded in
            guarded.state.lane.release(heldBytes)
            guard !guarded.state.isClosed else { return held.take { _, _ in } }
            noted { held.take { _ = guarded.state.lane.finish($0, $1) } }
        }
    }

    /// Takes one that has ended, and of which there will be no record.
    func abandon(_ held: borrowing HeldExchange, heldBytes: Int) {
        guarded.withLock { guarded in
            guarded.state.lane.release(heldBytes)
            held.take { guarded.state.lane.abandoned($0, $1) }
        }
    }

    /// Hands what has ended so far to the sinks.
    public func flush() { queue.sync { record() } }

    private func goOn() {
        // Not at once: the sink's thread may hold locks of its own.
        queue.async { [self] in guarded.withLock { $0.state.isPaused = false } }
    }

    /// Ends what has not ended as cancelled, and hands everything to the sinks.
    func close() {
        let live = guarded.withLock { guarded in
            guarded.state.isClosing = true
            return Array(guarded.state.live.values)
        }
        for exchange in live { exchange.stopped() }
        flush()
        guarded.withLock { guarded in
            guarded.state.isClosed = true
            guarded.state.live = [:]
            noted { guarded.state.lane.close() }
        }
    }
}
