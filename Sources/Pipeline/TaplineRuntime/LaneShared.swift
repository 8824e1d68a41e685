// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics

/// The state that all lanes of a pipeline share; all of it is safe to use from any thread.
final class LaneShared: Sendable {
    let log: Log
    let budget: MemoryBudget
    let limits: RecordingLimits
    let failures: FailureLog
    let seed: UInt64
    let now: @Sendable () -> Timestamp
    let collectsCoverage: Bool
    let wantsActive: Bool
    /// The exchanges that wait for a decision; `nil` if none can.
    let paused: PausedExchanges?
    let stopDeadline: StopDeadline
    /// Takes what stopped stages leave to be waited for; `nil` if they wait themselves.
    let endingThreads: EndingThreads?
    /// The queues of all sinks.
    let queues: [SinkQueue]
    private let activeQueues: [SinkQueue]
    private let hasNotedUnattended = Atomic<Bool>(false)

    init(
        log: Log,
        budget: MemoryBudget,
        limits: RecordingLimits = RecordingLimits(),
        sinks: [SinkRunner],
        seed: UInt64,
        now: @escaping @Sendable () -> Timestamp,
        collectsCoverage: Bool = false,
        paused: PausedExchanges? = nil,
        stopDeadline: StopDeadline = StopDeadline(),
        endingThreads: EndingThreads? = nil
    ) {
        self.paused = paused
        self.stopDeadline = stopDeadline
        self.endingThreads = endingThreads
        self.log = log
        self.budget = budget
        self.limits = limits
        self.seed = seed
        self.now = now
        self.collectsCoverage = collectsCoverage
        failures = FailureLog()
        queues = sinks.map(\.queue)
        activeQueues = sinks.filter(\.wantsActive).map(\.queue)
        wantsActive = !activeQueues.isEmpty
    }

    /// Logs once that a stage pauses exchanges, but nobody can let them go on.
    func noteUnattended(_ stage: String) {
        guard !hasNotedUnattended.exchange(true, ordering: .relaxed) else { return }
        log.of(stage).warning(
            "a rule pauses exchanges, but no inspector runs, so they pass; use '--inspect'"
        )
    }

    /// Notifies interested sinks that an exchange has begun.
    func opened(_ exchange: ActiveExchange) {
        for queue in activeQueues { queue.opened(exchange) }
    }

    /// Notifies interested sinks that exchanges have ended.
    func ended(_ ids: [ExchangeID]) {
        for queue in activeQueues { queue.ended(ids) }
    }
}

/// The counters of one lane, published for the summary.
final class LaneCounters: Sendable {
    private struct Counts {
        var source = SourceCounters()
        var stages: [StageCounters] = []
        var wait: StageWait?
        var isFinal = false
    }

    private let counts = Mutex(Counts())
    /// The durations of the exchanges, which the lane adds.
    let durations = DurationHistogram()
    /// Exchanges that have begun; only the lane's thread writes.
    private let begun = Atomic<Int>(0)
    /// Those of them that have ended: without a record, or with one that the sinks have.
    private let ended = Atomic<Int>(0)

    /// Whether no exchange is under way.
    var isIdle: Bool {
        let ended = ended.load(ordering: .acquiring)
        return begun.load(ordering: .acquiring) <= ended
    }

    /// Whether the counts no longer change.
    var isFinal: Bool { counts.withLock { $0.isFinal } }

    /// Counts an exchange that begins; only the lane's thread calls it.
    @inline(__always)
    func begin() { begun.store(begun.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

    /// Counts exchanges that are no longer under way.
    @inline(__always)
    func end(_ count: Int) { ended.wrappingAdd(count, ordering: .releasing) }

    /// Notes that the lane has ended.
    func close() { counts.withLock { $0.isFinal = true } }

    /// The wait of the first record for the verdict of a stage; `nil` if it does not wait.
    var wait: StageWait? { counts.withLock { $0.wait } }

    func update(_ source: SourceCounters, _ stages: [StageCounters], _ wait: StageWait?) {
        counts.withLock {
            $0.source = source
            $0.stages = stages
            $0.wait = wait
        }
    }

    /// Adds the counts to those of other lanes with the same stages.
    func add(to source: inout SourceCounters, _ stages: inout [StageCounters]) {
        counts.withLock {
            source += $0.source
            for (position, count) in $0.stages.enumerated() where position < stages.count {
                stages[position] += count
            }
        }
    }
}

/// Logs the failures of hooks without filling the log if a script fails every time.
///
/// The first few failures of a hook are logged, then only counts that are powers of two.
final class FailureLog: Sendable {
    private static let always = 5
    private let seen = Mutex<[String: Int]>([:])

    func report(_ place: String, _ log: Log, _ message: () -> String) {
        let count = seen.withLock {
            $0[place, default: 0] += 1
            return $0[place, default: 0]
        }
        if count <= FailureLog.always {
            log.error(message())
        } else if count.nonzeroBitCount == 1 {
            log.error("\(message()) (\(count) times so far)")
        }
    }
}
