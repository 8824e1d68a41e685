// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineCrypto
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// Receives the exchanges of an app in one lane that all of its threads share.
///
/// ```
/// begin ──▶ request hooks ──▶ … ──▶ response hooks ──▶ end ──▶ (thread) record hooks ──▶ sinks
/// ```
/// Wire hooks run on the thread that requests them, record hooks on a thread of the intake, so that
/// no request waits for its own redaction. They share the lane, so exchanges that begin or end
/// during a hook wait for it.
///
/// **Isolation**: any thread; the lane is guarded by a mutex.
/// **Limits**: an app never waits for sinks. While the sinks accept nothing and `maxWaiting`
/// exchanges wait for their record hooks, exchanges that end are dropped and counted.
final class CaptureIntake: Sendable {
    /// The most ended exchanges that wait for their record hooks.
    static let maxWaiting = 4096
    /// The number of ended exchanges that form a batch, so that not each one wakes a thread.
    private static let batch = 64
    /// The size of the bodies that forms a batch.
    private static let batchBytes = 1 << 20
    /// The longest time that an exchange waits for others, in microseconds.
    private static let batchDelay: Int64 = 20_000

    private struct State {
        let lane: any Lane
        let random = SecureRandom()
        /// Exchanges that have not ended.
        var live: [ExchangeID: CapturedExchange] = [:]
        /// Ended exchanges that wait for their record hooks.
        var ended: [CapturedExchange] = []
        /// The size of their bodies.
        var held = 0
        /// Determines how long the intake's thread sleeps.
        var pacer = BatchPacer(delay: CaptureIntake.batchDelay)
        /// Whether no further exchange may begin.
        var isClosing = false
        var isClosed = false

        var hasFullBatch: Bool {
            ended.count >= CaptureIntake.batch || held >= CaptureIntake.batchBytes
        }
    }

    /// Calls that wait until what has ended so far is recorded.
    private struct Waiters {
        var all: [DispatchSemaphore] = []
        /// Whether recording has ended.
        var isOver = false
    }

    /// The lane is accessed only under the mutex, from any thread.
    private struct Guarded: @unchecked Sendable { var state: State }

    let pipeline: any Intake
    let isOffline: Bool
    /// Whether no wire hook may run, because its result could not be carried out.
    let recordsOnly: Bool
    private let guarded: Mutex<Guarded>
    /// Held by the thread that records.
    private let recording = Mutex<Void>(())
    /// Separate from the lane, which a hook may hold for a long time.
    private let waiters = Mutex(Waiters())
    /// Wakes the intake's thread.
    private let wake = ThreadEvent()
    /// Whether the sinks accept nothing at the moment.
    private let isPaused = Atomic<Bool>(false)
    /// The warnings that have been logged and are not repeated.
    private let warnings = Mutex<Set<String>>([])
    /// The recording thread, which `close` joins.
    private let recorder = Mutex<DedicatedThread?>(nil)
    /// The number of the thread on which hooks are running; 0 if none are.
    private let hooks = Atomic<UInt>(0)

    init(_ intake: any Intake, isOffline: Bool, recordsOnly: Bool = false) throws {
        pipeline = intake
        self.isOffline = isOffline
        self.recordsOnly = recordsOnly
        guarded = Mutex(Guarded(state: State(lane: try intake.makeLane())))
        if recordsOnly {
            intake.log.warning(
                "this version of Foundation stores its tasks in an unknown layout: exchanges are "
                    + "recorded, but stages cannot change or answer them"
            )
        }
        let thread = try DedicatedThread.start { [self] in recordInBatches() }
        recorder.withLock { $0 = thread }
    }

    /// Logs a warning once for each distinct message.
    func warnOnce(_ text: String) {
        let isNew = warnings.withLock { $0.insert(text).inserted }
        if isNew { pipeline.log.warning(text) }
    }

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hasStart: Whether it begins now; otherwise its times are not recorded.
    /// - Returns: The exchange; `nil` if the intake is closed.
    func begin(_ request: Request, hasStart: Bool = true) -> CapturedExchange? {
        let started = Timestamp(microseconds: WallClock.microseconds)
        return guarded.withLock { guarded -> CapturedExchange? in
            guard !guarded.state.isClosing else { return nil }
            let random = guarded.state.random
            let id = ExchangeID(started: started, random: random.next(), random.next())
            let captured = CapturedExchange(
                id,
                started,
                hasStart: hasStart,
                request,
                guarded.state.lane,
                self
            )
            guarded.state.live[id] = captured
            return captured
        }
    }

    /// Calls a closure with the lane; returns `nil` if the intake is closed.
    func withLane<Result: Sendable>(_ body: (any Lane) -> Result) -> Result? {
        guarded.withLock { guarded in
            guarded.state.isClosed ? nil : noted { body(guarded.state.lane) }
        }
    }

    /// Whether this thread is within a hook, which blocks all other calls that need the lane.
    var isInHook: Bool { hooks.load(ordering: .relaxed) == ThreadID.current.number }

    /// Runs a closure that may run hooks.
    @discardableResult private func noted<Result>(_ body: () -> Result) -> Result {
        hooks.store(ThreadID.current.number, ordering: .relaxed)
        defer { hooks.store(0, ordering: .relaxed) }
        return body()
    }

    /// Accepts an ended exchange, with the size of its bodies in the lane; its record hooks run
    /// later.
    ///
    /// - Returns: Whether there is room for it; otherwise it is counted as dropped.
    func takes(_ exchange: CapturedExchange, heldBytes: Int) -> Bool {
        let (isTaken, wakes) = guarded.withLock { guarded -> (Bool, Bool) in
            guarded.state.live[exchange.id] = nil
            let isFull = guarded.state.ended.count >= Self.maxWaiting
            guard !isFull, !isPaused.load(ordering: .relaxed) else {
                pipeline.dropped(1)
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

    /// The loop of the intake's thread, until the intake closes.
    private func recordInBatches() {
        while true {
            let isAwaited = waiters.withLock { !$0.all.isEmpty }
            guard let sleep = nextSleep(isAwaited: isAwaited) else { return }
            switch sleep {
            case .idle: wake.take()
            case .until(let time): wake.take(until: time)
            case .none where isPaused.load(ordering: .relaxed) && !isAwaited:
                // Exchanges that ended before the sinks were full wait until there is room.
                wake.take(until: SteadyClock.microseconds + Self.batchDelay)
            case .none:
                record()
                guarded.withLock { $0.state.pacer.took(now: SteadyClock.microseconds) }
            }
        }
    }

    /// How long the intake's thread sleeps.
    private enum Sleep {
        /// Does not sleep.
        case none
        /// Sleeps at most until a time.
        case until(Int64)
        /// Sleeps until it is woken.
        case idle
    }

    /// Returns how long to sleep now; `nil` if the intake closes.
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

    /// Runs the record hooks of the exchanges that have ended so far, and passes the records to the
    /// sinks.
    ///
    /// The lane is held for one exchange at a time.
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
                // Set this before the call, because there may be room again before the call
                // returns.
                isPaused.store(true, ordering: .relaxed)
                let result = guarded.state.lane.submit(ticket: nil) { [weak self] in
                    self?.isPaused.store(false, ordering: .relaxed)
                }
                if case .paused = result { return }
                isPaused.store(false, ordering: .relaxed)
            }
        }
    }

    /// Runs the record hooks of an ended exchange, and keeps the result for the sinks.
    func finish(_ held: borrowing ExchangeBox, heldBytes: Int) {
        guarded.withLock { guarded in
            guarded.state.lane.release(heldBytes)
            guard !guarded.state.isClosed else { return held.take { _, _ in } }
            noted { held.take { _ = guarded.state.lane.finish($0, $1) } }
        }
    }

    /// Releases an ended exchange that will have no record.
    func abandon(_ held: borrowing ExchangeBox, heldBytes: Int) {
        guarded.withLock { guarded in
            guarded.state.lane.release(heldBytes)
            guard !guarded.state.isClosed else { return held.take { _, _ in } }
            held.take { guarded.state.lane.abandoned($0, $1) }
        }
    }

    /// Passes the exchanges that have ended so far to the sinks and waits; returns whether that was
    /// done in time.
    func flush(until deadline: DispatchTime) -> Bool {
        let done = DispatchSemaphore(value: 0)
        let isOver = waiters.withLock { waiters in
            if !waiters.isOver { waiters.all.append(done) }
            return waiters.isOver
        }
        if isOver { return true }
        wake.signal()
        return done.wait(timeout: deadline) == .success
    }

    /// Ends unfinished exchanges as cancelled, and passes everything to the sinks.
    func close() {
        let live = guarded.withLock { guarded in
            guarded.state.isClosing = true
            return Array(guarded.state.live.values)
        }
        wake.signal()
        for exchange in live { exchange.stopped() }
        record()
        // Later calls return at once, and waiting calls are notified.
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
