// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The conversation between the lanes, one sink's thread, the thread that spills, and the pipeline.
///
/// Pure: it takes no lock, calls nobody and reads no clock. Each method is an event; what it returns
/// is to be carried out by the caller, once the lock is released.
///
/// ```
///                        ┌───────────────── finished ◀──┐
/// ready ──┬─▶ selecting ─▶ holding ──▶ calling(write) ──┤
///   ▲     │                   ▲                         │ failed, refused, pieces are left
///   │     │                   └─────────────────────────┘
///   │     ├─▶ calling(note, flush, reopen) ──┐
///   │     ├─▶ reading (from the spill) ──────┤
///   └─────┼──────────────────────────────────┘
///         └─▶ ended
/// ```
/// Beside the phase of the thread stand the health of the sink (`well`, `failing`, `degraded`), the
/// life of the queue (`open`, `closing`, `finished`, `abandoned`) and what the spill is at.
///
/// **Units**: an `Instant` is in microseconds of a clock that never goes back.
struct SinkQueueStateMachine: ~Copyable {
    typealias Instant = Int64
    typealias Callback = @Sendable () -> Void

    /// How long a call of the sink may take before the sink counts as failing.
    static let patience: Int64 = 5_000_000

    /// What does not change.
    struct Settings {
        let options: QueueOptions
        let retry: RetryOptions
        let batchLimit: Int
    }

    /// What the sink's thread is at.
    enum Phase {
        /// It asks for work, or sleeps until there is some.
        case ready
        /// It looks through so many records for those that `when` lets pass.
        case selecting(Int)
        /// It has a batch that it writes from that time on.
        case holding(Batch, notBefore: Instant)
        /// It is within a call of the sink.
        case calling(Call, since: Instant)
        /// It reads from the spill.
        case reading
        /// It does nothing any more.
        case ended
    }

    /// A call of the sink.
    enum Call {
        case write(Batch)
        case note
        case flush
        /// With the batch that waits meanwhile.
        case reopen(Batch?, notBefore: Instant)
    }

    /// How the sink does.
    enum Health {
        case well
        case failing(Trouble)
        /// It has failed for longer than `max_elapsed`.
        case degraded(Trouble)
    }

    /// Since when a sink fails.
    struct Trouble {
        let since: Instant
        /// How long to wait after the next failure.
        var pause: Int64
        /// Whether a call has not returned, rather than thrown.
        var isHang: Bool
    }

    /// What becomes of the queue.
    enum Life {
        case open
        /// Nothing more will be submitted.
        case closing
        /// The sink has ended by itself; what comes is dropped.
        case finished
        /// The pipeline waits no longer; what there was counts as lost.
        case abandoned
    }

    /// What the sink knows of exchanges that have begun.
    enum Notes {
        case current
        /// A call has failed: it is repeated after the next batch.
        case behind
        case due
    }

    let settings: Settings
    var phase = Phase.ready
    var health = Health.well
    var life = Life.open
    var spill: Spill
    var contents = QueueContents()
    var active = ActiveChanges()
    var flushes = FlushRequests()
    var pacer: BatchPacer
    /// Records whose turn it is, whatever begins and ends meanwhile.
    var due = 0
    var wantsReopening = false
    /// Whether somebody looks at the clock while the sink is called.
    var isWatched = false
    /// What the log has been told of the spill.
    var tale = SpillTale()
    var waiters: [Callback] = []
    var tally = SinkCounters()

    init(_ options: QueueOptions, _ retry: RetryOptions, batchLimit: Int, batchDelay: Microseconds)
    {
        settings = Settings(
            options: options,
            retry: retry,
            batchLimit: min(batchLimit, options.maxExchanges)
        )
        pacer = BatchPacer(delay: batchDelay.count)
        spill = options.spillMaxBytes > 0 && options.overflow == .block ? .idle : .none
    }
}

// MARK: - What its parts are

extension SinkQueueStateMachine {
    /// A batch that is being written, in pieces that are all or nothing.
    struct Batch {
        /// What is left to be written; the last piece is the next.
        var pieces: [Range<Int>]
        /// Records that the sink refused, and why it refused the last of them.
        var refused = 0
        var refusal = ""

        init(count: Int) { pieces = [0..<count] }

        /// The records that are left.
        var count: Int { pieces.reduce(0) { $0 + $1.count } }
    }

    /// What has begun and ended and the sink was not told of.
    struct ActiveChanges {
        var notes = Notes.current
        var opened: [ActiveExchange] = []
        var ended: [ExchangeID] = []
        /// How many may wait before those go whose beginning the sink was not told of.
        var limit = 0

        var count: Int { opened.count + ended.count }

        /// Stays bounded by what is open, however long the sink takes: it need not be told of the
        /// beginning of what is over.
        mutating func forgetUntold(beyond least: Int) {
            guard count > max(limit, least) else { return }
            let over = Set(ended)
            let untold = Set(opened.lazy.map(\.id))
            opened.removeAll { over.contains($0.id) }
            ended.removeAll { untold.contains($0) }
            // Not again for each of those that are left.
            limit = 2 * count
        }
    }

    /// Who waits until what is queued is lasting.
    struct FlushRequests {
        var waiting: [Callback] = []
        /// Those for whom the sink flushes at this moment.
        var running: [Callback] = []
        /// Whether something was written since the last flush.
        var isNeeded = false
        /// Whether it is the turn of those who wait.
        var isDue = false

        mutating func removeAll() -> [Callback] {
            defer { (waiting, running) = ([], []) }
            return waiting + running
        }
    }

    /// What the thread of the sink does next.
    enum Step {
        /// Look through these records, in this order, for those that `when` lets pass.
        case select([QueueEntry])
        /// Write this part of the batch.
        case write(Range<Int>)
        /// Tell the sink which exchanges have begun and ended.
        case note(opened: [ActiveExchange], ended: [ExchangeID])
        /// Make lasting what was written.
        case flush
        /// Open the files anew.
        case reopen
        /// Read so many records from the spill.
        case readBack(Int)
        /// Sleep until woken, or until that time.
        case sleep(until: Instant?)
        /// Close the sink; before that repeat the notes if it is behind with them.
        case end(isBehind: Bool)
    }

    /// What is to be carried out after an event.
    struct Effects {
        /// Wake the sink's thread.
        var wakes = false
        /// Have the spill's thread call `stage`.
        var spills = false
        /// Call `looked` at that time.
        var watchAt: Instant?
        /// Call these.
        var callbacks: [Callback] = []
        /// Log these.
        var notices: [Notice] = []
    }

    /// What the log is told.
    enum Notice: Equatable {
        case failing(String)
        case hanging
        case degraded(String?)
        case recovered
        case readerGone(String)
        case refused(Int, String)
        case notesBehind(String)
        case callFailed(String)
        case spilling(records: Int, bytes: Int)
        case stillSpilling(records: Int, bytes: Int)
        case spillEmpty(records: Int)
        case spillFull(String)
        case spillUnreadable(records: Int, String)
        case lost(records: Int)
    }
}

// MARK: - Lanes

extension SinkQueueStateMachine {
    /// A lane has a batch.
    ///
    /// `ready` is kept, and called once there is room again, when the answer is `paused`.
    mutating func submitted(
        _ batch: RecordBatch,
        isLive: Bool,
        now: Instant,
        ready: @escaping Callback
    ) -> (Admission, Effects) {
        let count = batch.records.count
        guard count > 0 else { return (.open, Effects()) }
        tally.received += count
        guard !isOver else {
            tally.dropped += count
            return (.closed, Effects())
        }
        var effects = Effects()
        switch settings.options.overflow {
        case .dropNewest:
            let room = max(0, settings.options.maxExchanges - contents.front.count)
            let fits = contents.front.bytes >= settings.options.maxBytes ? 0 : min(room, count)
            if fits > 0 { push(batch, 0..<fits) }
            tally.dropped += count - fits
        case .dropOldest:
            push(batch, 0..<count)
            while isOverFull, contents.front.count > 1 {
                let excess = contents.front.count - settings.options.maxExchanges
                tally.dropped += contents.front.dropFirst(upTo: excess)
            }
        case .block:
            block(batch, isLive: isLive, now: now, &effects)
        }
        let isBatchFull = contents.front.count >= settings.batchLimit
        if contents.front.count > 0, pacer.arrived(isFull: isBatchFull) { effects.wakes = true }
        guard mustWait(isLive: isLive) else { return (.open, effects) }
        waiters.append(ready)
        return (.paused, effects)
    }

    private mutating func block(
        _ batch: RecordBatch,
        isLive: Bool,
        now: Instant,
        _ effects: inout Effects
    ) {
        let isWaitedFor = !isLive && !isFailing
        if spill.isNone {
            guard isWaitedFor || !isFull else { return lose(batch.records.count) }
            push(batch, batch.records.indices)
        } else if contents.later == 0, !isFailing, isWaitedFor || !isFull {
            push(batch, batch.records.indices)
        } else {
            stage(batch, isLive: isLive, now: now, &effects)
        }
    }

    private mutating func push(_ batch: RecordBatch, _ range: Range<Int>) {
        let memory = batch.memory * range.count / max(batch.records.count, 1)
        contents.front.append(QueueEntry(batch, range, memory: memory))
        tally.peakQueue = max(tally.peakQueue, contents.countInMemory)
    }

    /// Whether a source that has just submitted waits.
    private func mustWait(isLive: Bool) -> Bool {
        guard !isLive, settings.options.overflow == .block else { return false }
        // For a sink that fails nobody waits; a recording may wait for the disk.
        if isFailing { return isStagedFull(1) && spill.isAtWork }
        return isFull || contents.later > 0
    }

    var isFull: Bool {
        contents.front.count >= settings.options.maxExchanges
            || contents.front.bytes >= settings.options.maxBytes
    }

    private var isOverFull: Bool {
        contents.front.count > settings.options.maxExchanges
            || contents.front.bytes > settings.options.maxBytes
    }

    var isFailing: Bool {
        if case .well = health { false } else { true }
    }

    var isOver: Bool {
        switch life {
        case .open, .closing: false
        case .finished, .abandoned: true
        }
    }

    /// An exchange has begun.
    mutating func opened(_ exchange: ActiveExchange) -> Effects {
        noted { $0.opened.append(exchange) }
    }

    /// Exchanges have ended.
    mutating func ended(_ ids: [ExchangeID]) -> Effects {
        noted { $0.ended += ids }
    }

    private mutating func noted(_ change: (inout ActiveChanges) -> Void) -> Effects {
        var effects = Effects()
        guard !isOver else { return effects }
        change(&active)
        active.forgetUntold(beyond: settings.options.maxExchanges)
        effects.wakes = pacer.arrived(isFull: active.count >= settings.batchLimit)
        return effects
    }
}

// MARK: - The pipeline

extension SinkQueueStateMachine {
    /// Nothing more will be submitted.
    mutating func closed() -> Effects {
        if case .open = life { life = .closing }
        return waking()
    }

    /// Somebody waits until what is queued now is lasting.
    mutating func flushRequested(_ done: @escaping Callback) -> Effects {
        guard !isOver else { return Effects(callbacks: [done]) }
        flushes.waiting.append(done)
        return waking()
    }

    /// The files are to be opened anew.
    mutating func reopenRequested() -> Effects {
        wantsReopening = true
        return waking()
    }

    /// The pipeline waits no longer: all that is not written is lost, whatever the sink still does.
    mutating func abandoned() -> Effects {
        if case .abandoned = life { return Effects() }
        let lost = contents.count + inHand
        tally.errors += lost
        var effects = over(.abandoned)
        if lost > 0 { effects.notices.append(.lost(records: lost)) }
        return effects
    }

    /// The sink could not be opened.
    mutating func notOpened() -> Effects {
        tally.dropped += contents.count
        phase = .ended
        return over(.finished)
    }

    /// Ends the queue: nothing in it will be written.
    mutating func over(_ life: Life) -> Effects {
        self.life = life
        contents = QueueContents()
        due = 0
        if !spill.isNone { spill = .idle }
        var effects = waking()
        effects.callbacks = flushes.removeAll() + waiters
        waiters = []
        return effects
    }

    mutating func waking() -> Effects {
        pacer.woke()
        return Effects(wakes: true)
    }

    var isDegraded: Bool {
        if case .degraded = health { true } else { false }
    }

    /// The records that the thread has taken and not written.
    var inHand: Int {
        switch phase {
        case .selecting(let count): count
        case .holding(let batch, _), .calling(.write(let batch), _): batch.count
        case .calling(.reopen(let batch?, _), _): batch.count
        default: 0
        }
    }

    /// The counters as they are now.
    var counters: SinkCounters {
        var counters = tally
        counters.queued = isOver ? 0 : contents.count + inHand
        counters.isDegraded = isDegraded
        counters.inSpill = contents.stored
        return counters
    }
}
