// SPDX-License-Identifier: MIT

public import Dispatch
internal import Synchronization
internal import TaplineCrypto
internal import TaplineFiles
public import TaplineModel
internal import TaplinePlugin

/// Where an app hands in its exchanges: one lane that all of its threads share.
///
/// ```
/// begin ──▶ request hooks ──▶ … ──▶ response hooks ──▶ end ──▶ (thread) record hooks ──▶ sinks
/// ```
/// Wire hooks run on the thread that asks for them, record hooks on a thread of the port, so that no
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
    /// The longest that an exchange waits for others, in microseconds.
    private static let batchDelay: Int64 = 20_000

    private struct State {
        let lane: any Lane
        let random = SecureRandom()
        /// Exchanges that have begun and not ended.
        var live: [ExchangeID: CapturedExchange] = [:]
        /// Exchanges that have ended and wait for their record hooks.
        var ended: [CapturedExchange] = []
        /// The bytes that are held for them.
        var held = 0
        /// How long the port's thread sleeps.
        var pacer = BatchPacer(delay: CapturePort.batchDelay)
        /// Nothing begins any more.
        var isClosing = false
        var isClosed = false

        var hasFullBatch: Bool {
            ended.count >= CapturePort.batch || held >= CapturePort.batchBytes
        }
    }

    /// Who waits until what has ended by now is recorded.
    private struct Waiters {
        var all: [DispatchSemaphore] = []
        /// Nothing is recorded any more.
        var isOver = false
    }

    /// The lane is touched under the mutex alone, whatever the thread.
    private struct Guarded: @unchecked Sendable { var state: State }

    let intake: any Intake
    let isOffline: Bool
    /// The hooks on what passes that stages have; the others need not be run.
    let wireHooks: Hooks
    private let guarded: Mutex<Guarded>
    /// One at a time records.
    private let recording = Mutex<Void>(())
    /// Beside the lane, which a hook may hold for long.
    private let waiters = Mutex(Waiters())
    /// Wakes the port's thread.
    private let wake = DispatchSemaphore(value: 0)
    /// Whether the sinks take no more.
    private let isPaused = Atomic<Bool>(false)
    /// What the log was told and need not be told again.
    private let warnings = Mutex<Set<String>>([])
    /// The thread that records, which `close` joins.
    private let recorder = Mutex<OwnThread?>(nil)
    /// The number of the thread on which hooks run now; 0 where none do.
    private let hooks = Atomic<UInt>(0)

    init(_ intake: any Intake, isOffline: Bool, recordsOnly: Bool = false) throws {
        self.intake = intake
        self.isOffline = isOffline
        let lane = try intake.makeLane()
        wireHooks = recordsOnly ? [] : lane.wireHooks
        guarded = Mutex(Guarded(state: State(lane: lane)))
        if recordsOnly {
            intake.log.warning(
                "this Foundation holds its tasks in a way that Tapline does not know: exchanges are "
                    + "recorded, and no stage changes or answers them"
            )
        }
        let thread = try OwnThread.start { [self] in recordInBatches() }
        recorder.withLock { $0 = thread }
    }

    /// Warns of what is so for each exchange of a kind.
    func warnOnce(_ text: String) {
        let isNew = warnings.withLock { $0.insert(text).inserted }
        if isNew { intake.log.warning(text) }
    }

    /// An exchange that begins now; `nil` if the port is closed.
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

    /// Lends the lane; `nil` if the port is closed.
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
    ///
    /// - Returns: Whether there is room for it; otherwise it counts as dropped.
    func takes(_ exchange: CapturedExchange, heldBytes: Int) -> Bool {
        let (isTaken, wakes) = guarded.withLock { guarded -> (Bool, Bool) in
            guarded.state.live[exchange.id] = nil
            let isFull = guarded.state.ended.count >= Self.maxWaiting
            guard !isFull, !isPaused.load(ordering: .relaxed) else {
                intake.dropped(1)
                return (false, false)
            }
            guarded.state.ended.append(exchange)
            guarded.state.held += heldBytes
            let isBatch = guarded.state.hasFullBatch
            return (true, guarded.state.pacer.arrived(isFull: isBatch))
        }
        if wakes { wake.signal() }
        return isTaken
    }

    /// What the port's thread does until the port closes.
    private func recordInBatches() {
        while true {
            let isAwaited = waiters.withLock { !$0.all.isEmpty }
            guard let sleep = nextSleep(isAwaited: isAwaited) else { return }
            switch sleep {
            case .idle: wake.wait()
            case .until(let time): wait(until: time)
            case .none where isPaused.load(ordering: .relaxed) && !isAwaited:
                // What has ended before the sinks were full waits until there is room.
                wait(until: SteadyClock.microseconds + Self.batchDelay)
            case .none:
                record()
                guarded.withLock { $0.state.pacer.took(now: SteadyClock.microseconds) }
            }
        }
    }

    /// How long the port's thread sleeps.
    private enum Sleep {
        /// Not at all.
        case none
        /// At most until a time.
        case until(Int64)
        /// Until it is woken.
        case idle
    }

    /// How long to sleep now; `nil` if the port closes.
    private func nextSleep(isAwaited: Bool) -> Sleep? {
        let now = SteadyClock.microseconds
        return guarded.withLock { guarded -> Sleep? in
            guard !guarded.state.isClosing else { return nil }
            if isAwaited {
                guarded.state.pacer.woke()
                return Sleep.none
            }
            if guarded.state.ended.isEmpty {
                return guarded.state.pacer.rest(now: now).map(Sleep.until) ?? .idle
            }
            let isDue = guarded.state.hasFullBatch
            return switch guarded.state.pacer.fill(isDue: isDue, now: now) {
            case .take: Sleep.none
            case .sleep(let time): .until(time)
            }
        }
    }

    private func wait(until time: Int64) {
        let left = max(time - SteadyClock.microseconds, 0)
        _ = wake.wait(timeout: .now() + .microseconds(Int(clamping: left)))
    }

    /// Runs the record hooks of what has ended so far, and hands the records to the sinks, with the
    /// lane for one of them at a time.
    private func record() {
        recording.withLock { _ in
            let served = waiters.withLock { waiters in
                defer { waiters.all = [] }
                return waiters.all
            }
            defer { for waiter in served { waiter.signal() } }
            let ended = guarded.withLock { guarded in
                guarded.state.held = 0
                defer { guarded.state.ended = [] }
                return guarded.state.ended
            }
            for exchange in ended { exchange.record() }
            guarded.withLock { guarded in
                guard !guarded.state.isClosed, !ended.isEmpty else { return }
                // Before it is asked for: there may be room again before it has answered.
                isPaused.store(true, ordering: .relaxed)
                let admission = guarded.state.lane.submit(ticket: nil) { [weak self] in
                    self?.isPaused.store(false, ordering: .relaxed)
                }
                if case .paused = admission { return }
                isPaused.store(false, ordering: .relaxed)
            }
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
            guard !guarded.state.isClosed else { return held.take { _, _ in } }
            held.take { guarded.state.lane.abandoned($0, $1) }
        }
    }

    /// Hands what has ended so far to the sinks, and waits for that; returns whether it was done in time.
    public func flush(until deadline: DispatchTime) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isOver = waiters.withLock { waiters in
            if !waiters.isOver { waiters.all.append(done) }
            return waiters.isOver
        }
        if isOver { return true }
        wake.signal()
        return done.wait(timeout: deadline) == .success
    }

    /// Ends what has not ended as cancelled, and hands everything to the sinks.
    func close() {
        let live = guarded.withLock { guarded in
            guarded.state.isClosing = true
            return Array(guarded.state.live.values)
        }
        wake.signal()
        for exchange in live { exchange.stopped() }
        record()
        // Who comes after this finds nothing to wait for, and who came before it is told.
        let waiting = waiters.withLock { waiters in
            waiters.isOver = true
            defer { waiters.all = [] }
            return waiters.all
        }
        for waiter in waiting { waiter.signal() }
        guarded.withLock { guarded in
            guarded.state.isClosed = true
            guarded.state.live = [:]
            noted { guarded.state.lane.close() }
        }
        recorder.withLock { $0.take() }?.join()
    }
}
