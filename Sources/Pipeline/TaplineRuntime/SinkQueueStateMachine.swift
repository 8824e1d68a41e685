// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments

/// The protocol between the lanes, one sink's thread, the spill thread, and the pipeline.
///
/// Pure: it takes no lock, makes no calls and reads no clock. Each method is an event and returns
/// effects, which the caller carries out after it has released the lock.
///
/// ```
///                        ┌───────────────── finished ◀──┐
/// ready ──┬─▶ selecting ─▶ holding ──▶ calling(write) ──┤
///   ▲     │                   ▲                         │ failed, refused, pieces are left
///   │     │                   └─────────────────────────┘
///   │     ├─▶ calling(note, flush, reopen) ──┐
///   │     ├─▶ reading (from the disk) ───────┤
///   ├─────┼──────────────────────────────────┘
///   │     └─▶ ended
///   └── calling(restart) ◀──▶ restarting ◀── a flush has failed that a source waits for
/// ```
/// Besides the phase of the thread, the machine tracks the health of the sink (`well`, `failing`,
/// `degraded`), the life of the queue (`open`, `closing`, `leaving`, `finished`, `handedOver`,
/// `abandoned`) and the state of the spill, whether the disk can be read, and whether flushes
/// succeed.
///
/// What may change in every phase has a flag of its own: a request to reopen the files, and the
/// timer that watches calls. A timer of the spill ends the pause after a failure to write to disk,
/// whatever the sink's thread is doing.
///
/// **Units**: an `Instant` is in microseconds of a monotonic clock.
struct SinkQueueStateMachine: ~Copyable {
    typealias Instant = Int64
    typealias Callback = @Sendable () -> Void

    /// How long a call of the sink may take before the sink is considered failing.
    static let hangTimeout: Int64 = 5_000_000

    /// The fixed settings.
    struct Settings {
        let options: QueueOptions
        let retry: RetryOptions
        let batchLimit: Int
    }

    /// What the sink's thread is doing.
    enum Phase {
        /// It asks for work, or sleeps until there is some.
        case ready
        /// It applies `when` to this number of records.
        case selecting(Int)
        /// It has a batch and writes it no earlier than at this time.
        case holding(Batch, notBefore: Instant)
        /// It is in a call of the sink.
        case calling(Call, since: Instant)
        /// It reads from the disk.
        case reading
        /// It closes and opens the sink no earlier than at this time.
        case restarting(notBefore: Instant)
        /// It has ended.
        case ended
    }

    /// A call of the sink.
    enum Call {
        case write(Batch)
        case note
        case flush
        /// It writes a record of this batch to the file for dead letters.
        case deadLetter(Batch)
        /// With the batch that is held during the call.
        case reopen(Batch?, notBefore: Instant)
        /// It closes and opens the sink.
        case restart
    }

    /// The health of the sink.
    enum Health {
        case well
        case failing(FailureState)
        /// It has failed for longer than `max_elapsed`.
        case degraded(FailureState)
    }

    /// When and how a sink began to fail.
    struct FailureState {
        let since: Instant
        /// The delay after the next failure.
        var pause: Int64
        /// What has failed last.
        var cause: Cause

        enum Cause {
            /// A call has not returned.
            case hang
            /// A call has thrown this error.
            case error(String)
        }

        var isHang: Bool {
            if case .hang = cause { true } else { false }
        }
    }

    /// The life of the queue.
    enum Lifecycle {
        case open
        /// No more records will be submitted.
        case closing
        /// No more records will be submitted, and those on disk are left to a successor.
        case leaving
        /// The sink has ended; new records are dropped.
        case finished
        /// The same since its reader is gone: it takes no further part in acknowledgements.
        case readerGone
        /// The sink has ended, and a successor has the queue on disk.
        case handedOver
        /// The pipeline no longer waits; unwritten records count as lost.
        case abandoned
    }

    /// Whether the sink knows which exchanges have begun.
    enum Notes {
        case current
        /// A call has failed; it is repeated after the next batch.
        case outdated
        case due
    }

    let settings: Settings
    var phase = Phase.ready
    var health = Health.well
    var lifecycle = Lifecycle.open
    var spill: Spill
    /// The positions in the queue on disk; `nil` without one, or before it is open.
    var disk: DiskPositions?
    var contents = QueueContents()
    /// The most records that are written to a disk at a time that was full; `nil` if it was not.
    var diskShare: Int?
    /// Whether records were committed since the last attempt to write to disk began.
    var hasCommitted = false
    var active = ActiveChanges()
    var flushes = FlushRequests()
    var acknowledgements = PendingAcknowledgements()
    var access = ReadAccess.working
    var durability = Durability.working
    var pacer: BatchPacer
    /// The number of records that are written before the next begun and ended exchanges are
    /// reported.
    var due = 0
    var wantsReopening = false
    /// Whether a timer watches the current call of the sink.
    var isWatched = false
    /// The number of refused records, set aside or not; logged when it reaches a power of two.
    var refusals = 0
    /// What has been logged about the spill.
    var spillLog = SpillLog.quiet
    var waiters: [Callback] = []
    var totals = SinkCounters()

    init(_ options: QueueOptions, _ retry: RetryOptions, batchLimit: Int, batchDelay: Microseconds)
    {
        settings = Settings(
            options: options,
            retry: retry,
            batchLimit: min(batchLimit, options.maxExchanges)
        )
        pacer = BatchPacer(delay: batchDelay.count)
        let spills = options.disk == nil && options.spillMaxBytes > 0
        spill = spills && options.overflow == .block ? .idle : .none
    }
}

// MARK: - Parts of the state

extension SinkQueueStateMachine {
    /// Begun and ended exchanges that the sink has not been notified of.
    struct ActiveChanges {
        var notes = Notes.current
        var opened: [ActiveExchange] = []
        var ended: [ExchangeID] = []
        /// How many entries may wait before exchanges that both begin and end here are removed.
        var limit = 0

        var count: Int { opened.count + ended.count }

        /// Removes and returns all changes; `notes` stays.
        mutating func take() -> (opened: [ActiveExchange], ended: [ExchangeID]) {
            let taken = (opened, ended)
            opened = []
            ended = []
            limit = 0
            return taken
        }

        /// Removes exchanges whose beginning and end are both unreported, since the sink need not
        /// know of them.
        ///
        /// This bounds the size by the number of open exchanges, however slow the sink is.
        mutating func forgetUnreported(beyond least: Int) {
            guard count > max(limit, least) else { return }
            let over = Set(ended)
            let unreported = Set(opened.lazy.map(\.id))
            opened.removeAll { over.contains($0.id) }
            ended.removeAll { unreported.contains($0) }
            // The next removal must not come right after this one.
            limit = 2 * count
        }
    }

    /// Callers that wait until queued records are durable.
    struct FlushRequests {
        var waiting: [Callback] = []
        /// The callers that the current flush is for.
        var running: [Callback] = []
        var need = Need.none

        /// Whether a flush is needed.
        enum Need {
            /// Nothing was written since the last one.
            case none
            /// Something was.
            case someTime
            /// Callers wait, and are next.
            case now
        }

        /// Something is written.
        mutating func wrote() {
            if case .none = need { need = .someTime }
        }

        var isNow: Bool {
            if case .now = need { true } else { false }
        }

        /// Whether a flush has a purpose.
        var isNeeded: Bool {
            if case .none = need { !waiting.isEmpty } else { true }
        }

        mutating func removeAll() -> [Callback] {
            defer { (waiting, running) = ([], []) }
            return waiting + running
        }
    }

    /// The next step of the sink's thread.
    enum Step {
        /// Apply `when` to these records, in this order.
        case select([QueueEntry])
        /// Write this part of the batch.
        case write(Range<Int>)
        /// Notify the sink of exchanges that have begun and ended.
        case note(opened: [ActiveExchange], ended: [ExchangeID])
        /// Make the written records durable.
        case flush
        /// Reopen the files.
        case reopen
        /// Close the sink if it is open, and open it.
        case restart
        /// Read this number of records from the spill.
        case readBack(Int)
        /// Read this number of records from the queue on disk, between two positions.
        case readDisk(Int, from: SegmentPosition, to: SegmentPosition)
        /// Write this record of the batch to the file for dead letters.
        case deadLetter(Int, reason: String)
        /// Sleep until woken, or until this time.
        case sleep(until: Instant?)
        /// Close the sink. If `repeatsNotes`, repeat the notification of exchanges first.
        case end(repeatsNotes: Bool)
    }

    /// The effects of an event, which the caller carries out.
    struct Effects {
        /// Wake the sink's thread.
        var wakes = false
        /// Have the spill's thread call `stage`.
        var spills = false
        /// Call `looked` at this time.
        var watchAt: Instant?
        /// Call `diskPauseEnded` at this time.
        var retryDiskAt: Instant?
        /// Release these entries; they may be the last that own their records.
        var released: [QueueEntry] = []
        /// Call these callbacks.
        var callbacks: [Callback] = []
        /// The records before this position need not be read from disk again.
        var commits: SegmentPosition?
        /// Log these notices.
        var notices: [Notice] = []
    }

    /// A message for the log.
    enum Notice: Equatable {
        case failing(String)
        case hanging
        case degraded(String?)
        case recovered
        case readerGone(String)
        case refused(soFar: Int, String)
        case notesOutdated(String)
        case callFailed(String)
        case spilling(records: Int, bytes: Int)
        case stillSpilling(records: Int, bytes: Int)
        case spillEmpty(records: Int)
        case spillFull(String)
        case spillUnreadable(records: Int, String)
        case lost(records: Int)
        case diskFull(String)
        case diskUnreadable(records: Int, String)
        case diskReadFailing(String)
        case writingAgain(records: Int)
        case deadLetters(soFar: Int, String)
    }
}

// MARK: - Lanes

extension SinkQueueStateMachine {
    /// A lane submits a batch.
    ///
    /// If the result is `paused`, `ready` is kept and called once there is room again.
    mutating func submitted(
        _ batch: RecordBatch,
        isLive: Bool,
        now: Instant,
        ready: @escaping Callback
    ) -> (SubmitResult, Effects) {
        let count = batch.records.count
        guard count > 0 else {
            var effects = Effects()
            acknowledge(batch, &effects)
            return (.open, effects)
        }
        totals.received += count
        totals.receivedBytes = totals.receivedBytes.addingClamped(batch.memory)
        var effects = Effects()
        guard !isOver else {
            totals.dropped += count
            acknowledge(batch, &effects)
            return (.closed, effects)
        }
        switch settings.options.overflow {
        case _ where isDurable: keep(batch, isLive: isLive, now: now, &effects)
        case .dropNewest:
            let fits = isFull ? 0 : min(limits.count - contents.front.count, count)
            if fits > 0 { push(batch, 0..<fits, now) }
            totals.dropped += count - fits
        case .dropOldest:
            push(batch, 0..<count, now)
            while isOverFull, contents.front.count > 1 {
                let excess = contents.front.count - limits.count
                totals.dropped += contents.front.dropFirst(upTo: excess)
            }
        case .block:
            block(batch, isLive: isLive, now: now, &effects)
        }
        acknowledge(batch, &effects)
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
            push(batch, batch.records.indices, now)
        } else if contents.later == 0, !isFailing, isWaitedFor || !isFull {
            push(batch, batch.records.indices, now)
        } else {
            stage(batch, isLive: isLive, now: now, &effects)
        }
    }

    private mutating func push(_ batch: RecordBatch, _ range: Range<Int>, _ now: Instant) {
        let memory = batch.memory * range.count / max(batch.records.count, 1)
        contents.front.append(QueueEntry(batch, range, memory: memory, arrived: now))
        acknowledgements.accepted += range.count
        totals.peakQueue = max(totals.peakQueue, contents.countInMemory)
    }

    /// Notes a batch whose source waits until the sink is done with it.
    private mutating func acknowledge(_ batch: RecordBatch, _ effects: inout Effects) {
        guard let acknowledgement = batch.acknowledgement else { return }
        if case .readerGone = lifecycle {
            effects.callbacks.append { acknowledgement.withdraw() }
            return
        }
        guard !isOver else { return }
        // A queue on disk does so when the batch is there.
        if isDurable, !batch.records.isEmpty { return }
        if !batch.records.isEmpty { flushes.wrote() }
        guard let done = acknowledgements.add(acknowledgement) else { return }
        effects.callbacks.append { done.done() }
    }

    /// Whether a source that has just submitted must wait.
    private func mustWait(isLive: Bool) -> Bool {
        guard !isLive, settings.options.overflow == .block else { return false }
        if isDurable { return mustWaitForDisk }
        // Nothing waits for a failing sink, but a recording may wait for the disk.
        if isFailing { return isStagedFull(1) && spill.isAtWork }
        return isFull || contents.later > 0
    }

    /// How much the front may hold.
    private var limits: (count: Int, bytes: Int) {
        (
            settings.options.maxExchanges + contents.returned.count,
            settings.options.maxBytes.addingClamped(contents.returned.bytes)
        )
    }

    var isFull: Bool {
        contents.front.count >= limits.count || contents.front.bytes >= limits.bytes
    }

    private var isOverFull: Bool {
        contents.front.count > limits.count || contents.front.bytes > limits.bytes
    }

    var isFailing: Bool {
        if case .well = health { false } else { true }
    }

    var isOver: Bool {
        switch lifecycle {
        case .open, .closing, .leaving: false
        case .finished, .readerGone, .handedOver, .abandoned: true
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
        active.forgetUnreported(beyond: settings.options.maxExchanges)
        effects.wakes = pacer.arrived(isFull: active.count >= settings.batchLimit)
        return effects
    }
}
