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
/// request waits for the redaction of another.
///
/// **Isolation**: any thread; the lane is behind a mutex.
/// **Limits**: an app is never held up. While the sinks take no more, and while `maxWaiting`
/// exchanges wait for their record hooks, those that end are dropped and counted.
public final class CapturePort: Sendable {
    /// The most exchanges that have ended and wait for their record hooks.
    static let maxWaiting = 4096
    /// How many records are handed to the sinks together.
    private static let batch = 64
    /// The longest that a record waits for others.
    private static let batchDelay = DispatchTimeInterval.milliseconds(20)

    private struct State {
        let lane: any Lane
        let random = SecureRandom()
        /// Exchanges that have begun and not ended.
        var live: [ExchangeID: CapturedExchange] = [:]
        var waiting = 0
        var pending = 0
        var isPaused = false
        var isClosed = false
    }

    /// The lane is touched under the mutex alone, whatever the thread.
    private struct Guarded: @unchecked Sendable { var state: State }

    let intake: any Intake
    let isOffline: Bool
    private let guarded: Mutex<Guarded>
    private let queue = DispatchQueue(label: "tapline.capture")

    init(_ intake: any Intake, isOffline: Bool) throws {
        self.intake = intake
        self.isOffline = isOffline
        guarded = Mutex(Guarded(state: State(lane: try intake.makeLane())))
    }

    /// An exchange that begins now; nothing where the port is closed.
    public func begin(_ request: Request) -> CapturedExchange? {
        let started = Timestamp(microseconds: WallClock.microseconds)
        return guarded.withLock { guarded -> CapturedExchange? in
            guard !guarded.state.isClosed else { return nil }
            let random = guarded.state.random
            let exchange = Exchange(
                id: ExchangeID(started: started, random: random.next(), random.next()),
                source: intake.id,
                started: started,
                request: request
            )
            var context = ExchangeContext()
            guarded.state.lane.opened(exchange, &context)
            let captured = CapturedExchange(exchange, self)
            guarded.state.live[exchange.id] = captured
            return captured
        }
    }

    /// Lends the lane; nothing where the port is closed.
    func withLane<Result: Sendable>(_ body: (any Lane) -> Result) -> Result? {
        guarded.withLock { $0.state.isClosed ? nil : body($0.state.lane) }
    }

    /// Takes an exchange that has ended.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: What the stages have noted of it.
    ///   - wasSent: Whether the server was asked, so that bytes have travelled.
    func ended(_ exchange: Exchange, _ context: ExchangeContext, wasSent: Bool) {
        let isTaken = guarded.withLock { guarded -> Bool in
            guarded.state.live[exchange.id] = nil
            guard !guarded.state.isPaused, guarded.state.waiting < Self.maxWaiting else {
                return false
            }
            guarded.state.waiting += 1
            return true
        }
        guard isTaken else { return intake.dropped(1) }
        queue.async { [self] in
            var exchange = exchange
            if wasSent { exchange.bytes = ByteEstimate(exchange).counts }
            record(exchange, context)
        }
    }

    private func record(_ exchange: Exchange, _ context: ExchangeContext) {
        let pending = guarded.withLock { guarded -> Int in
            guarded.state.waiting -= 1
            guard !guarded.state.isClosed else { return 0 }
            if guarded.state.lane.finish(exchange, context) { guarded.state.pending += 1 }
            return guarded.state.pending
        }
        if pending >= Self.batch {
            submit()
        } else if pending == 1 {
            queue.asyncAfter(deadline: .now() + Self.batchDelay) { [self] in submit() }
        }
    }

    /// Hands what has ended so far to the sinks.
    public func flush() {
        queue.sync {}
        submit()
    }

    /// Hands finished records to the sinks.
    private func submit() {
        guarded.withLock { guarded in
            guard !guarded.state.isClosed, guarded.state.pending > 0 else { return }
            guarded.state.pending = 0
            let admission = guarded.state.lane.submit(ticket: nil) { [weak self] in self?.goOn() }
            if case .paused = admission { guarded.state.isPaused = true }
        }
    }

    private func goOn() {
        // Not at once: the sink's thread may hold locks of its own.
        queue.async { [self] in guarded.withLock { $0.state.isPaused = false } }
    }

    /// Ends what has not ended as cancelled, and hands everything to the sinks.
    func close() {
        let live = guarded.withLock { Array($0.state.live.values) }
        for exchange in live { exchange.stopped() }
        queue.sync {}
        guarded.withLock { guarded in
            guarded.state.isClosed = true
            guarded.state.live = [:]
            guarded.state.lane.close()
        }
    }
}
