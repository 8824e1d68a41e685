// SPDX-License-Identifier: MIT

internal import TaplinePlugin

extension SinkQueueStateMachine {
    /// What the thread that moves records to disk is doing.
    enum Spill {
        /// Spilling is disabled for this sink.
        case none
        case idle
        /// It has been asked to move records, or is moving them.
        case working
        /// The disk is full or `spill_max_bytes` is reached; a timer retries at this time.
        case full(until: Instant)

        var isNone: Bool {
            if case .none = self { true } else { false }
        }

        /// Whether records are being moved to disk.
        var isAtWork: Bool {
            if case .working = self { true } else { false }
        }
    }

    /// What has been logged about the spill since it was last empty.
    enum SpillLog {
        case quiet
        /// Records have passed through it; the last message was logged at a time.
        case spilling(records: Int, loggedAt: Instant)
        /// The same, and the lack of room has been logged.
        case full(records: Int, loggedAt: Instant)

        /// The records that have passed through it.
        var records: Int {
            switch self {
            case .quiet: 0
            case .spilling(let records, _), .full(let records, _): records
            }
        }

        /// Notes records that pass through it.
        ///
        /// - Returns: Whether a message is due.
        mutating func add(_ count: Int, now: Instant) -> Bool {
            switch self {
            case .quiet:
                self = .spilling(records: count, loggedAt: now)
                return true
            case .spilling(let records, let last):
                let isDue = now &- last >= SinkQueueStateMachine.spillLogInterval
                self = .spilling(records: records + count, loggedAt: isDue ? now : last)
                return isDue
            case .full(let records, let last):
                let isDue = records == 0 || now &- last >= SinkQueueStateMachine.spillLogInterval
                self = .full(records: records + count, loggedAt: isDue ? now : last)
                return isDue
            }
        }

        /// Notes the lack of room.
        ///
        /// - Returns: Whether it has not been logged.
        mutating func becameFull() -> Bool {
            switch self {
            case .quiet: self = .full(records: 0, loggedAt: 0)
            case .spilling(let records, let last): self = .full(records: records, loggedAt: last)
            case .full: return false
            }
            return true
        }
    }

    /// The most records and bytes that are moved to disk at a time.
    static let moveLimit = (records: 2048, bytes: 4 << 20)
    /// The number of bytes from which records are moved.
    static let moveFrom = 256 << 10
    /// The delay before a full disk is tried again.
    static let fullPause: Int64 = 1_000_000
    /// The interval between log messages about an ongoing spill.
    static let spillLogInterval: Int64 = 60_000_000

    /// Returns whether the staged records take up `1/part` of the memory for waiting records.
    ///
    /// Live sources do not wait for the disk, so their limit is four times as high.
    func isStagedFull(_ part: Int, isLive: Bool = false) -> Bool {
        let options = settings.options
        let count = isLive ? max(4 * options.maxExchanges, 32_768) : options.maxExchanges
        let bytes = isLive ? max(4 * options.maxBytes, 64 << 20) : options.maxBytes
        return contents.staged.count >= count / part || contents.staged.bytes >= bytes / part
    }

    /// Stages a batch to be moved to disk.
    mutating func stage(
        _ batch: RecordBatch,
        isLive: Bool,
        now: Instant,
        _ effects: inout Effects
    ) {
        var isTooMuch = isLive && isStagedFull(1, isLive: true)
        if case .full = spill { isTooMuch = (isLive || isFailing) && isStagedFull(1) }
        if isTooMuch {
            lose(batch.records.count)
        } else {
            contents.staged.append(QueueEntry(batch, arrived: now))
            acknowledgements.accepted += batch.records.count
            totals.peakQueue = max(totals.peakQueue, contents.countInMemory)
        }
        if case .idle = spill, isWorthMoving { startSpilling(&effects) }
    }

    /// Counts records that are dropped for lack of room.
    mutating func lose(_ count: Int) {
        totals.dropped += count
        totals.unspilled += count
    }

    private var isWorthMoving: Bool {
        if isDurable { return contents.staged.count > 0 }
        return contents.staged.bytes >= Self.moveFrom
            || contents.staged.count >= settings.batchLimit
    }

    mutating func startSpilling(_ effects: inout Effects) {
        spill = .working
        effects.spills = true
    }

    /// Returns the next records to be moved to disk, for the spill thread.
    mutating func takeStaged() -> [QueueEntry]? {
        guard case .working = spill, !isOver, contents.movingCount == 0 else { return nil }
        guard isWorthMoving else {
            spill = .idle
            return nil
        }
        let before = contents.staged.count
        if let diskShare { contents.staged.divideFirst(at: diskShare) }
        contents.moving = contents.staged.removeFirst(
            upTo: diskShare ?? Self.moveLimit.records,
            // What is written together is dropped together.
            bytes: isDurable
                ? min(Self.moveLimit.bytes, max(settings.options.segmentBytes, 1))
                : Self.moveLimit.bytes
        )
        contents.movingCount = before - contents.staged.count
        hasCommitted = false
        return contents.moving
    }

    /// The taken records are on disk; the spill now takes `bytes`.
    mutating func spilled(bytes: Int, now: Instant) -> Effects? {
        guard case .working = spill, contents.movingCount > 0 else {
            return isOver ? Effects() : nil
        }
        var effects = Effects()
        let isFirst = spillLog.records == 0
        let isLogged = spillLog.add(contents.movingCount, now: now)
        totals.spilled += contents.movingCount
        contents.stored += contents.movingCount
        contents.noteStored()
        contents.moving = []
        contents.movingCount = 0
        totals.spillBytes = bytes
        totals.peakSpillBytes = max(totals.peakSpillBytes, bytes)
        if isLogged {
            let records = contents.stored
            effects.notices = [
                isFirst
                    ? .spilling(records: records, bytes: bytes)
                    : .stillSpilling(records: records, bytes: bytes)
            ]
        }
        effects.callbacks = waitersToResume()
        effects.wakes = pacer.arrived(isFull: true)
        return effects
    }

    /// The taken records could not be moved to disk, so they stay in memory.
    mutating func spillFailed(_ reason: String, now: Instant) -> Effects? {
        movingFailed(.spillFull(reason), now: now)
    }

    /// Returns the taken records to the front of those in memory, and logs `notice` once until there
    /// is room again.
    mutating func movingFailed(_ notice: Notice, now: Instant) -> Effects? {
        guard case .working = spill, contents.movingCount > 0 else {
            return isOver ? Effects() : nil
        }
        contents.stageMoving()
        var effects = Effects()
        if spillLog.becameFull() { effects.notices = [notice] }
        let end = now &+ Self.fullPause
        spill = .full(until: end)
        effects.retryDiskAt = end
        effects.callbacks = waitersToResume()
        // Without a queue on disk, the sink may take them from memory.
        effects.wakes = pacer.arrived(isFull: true)
        return effects
    }

    /// The timer of a failure to write to disk has fired.
    mutating func diskPauseEnded(now: Instant) -> Effects {
        var effects = Effects()
        // A later failure has a timer of its own.
        guard case .full(let end) = spill, now >= end else { return effects }
        if contents.staged.count > 0 { startSpilling(&effects) } else { spill = .idle }
        return effects
    }

    /// The sink's thread has read records from the spill, which now takes `bytes`; `lost` records
    /// were unreadable.
    mutating func readBack(
        _ batch: RecordBatch?,
        lost: Int,
        _ reason: String,
        bytes: Int
    ) -> Effects? {
        guard case .reading = phase else { return nil }
        phase = .ready
        access = .working
        guard !isOver else { return Effects() }
        let count = batch?.records.count ?? 0
        let arrived = contents.noteRead(count + lost)
        if let batch { contents.front.append(QueueEntry(batch, arrived: arrived)) }
        // An empty result means that the spill holds nothing.
        let isEmpty = count + lost == 0
        let missing = isEmpty ? contents.stored : min(lost, contents.stored)
        contents.stored = max(0, contents.stored - count - missing)
        due = max(0, due - missing)
        totals.errors += missing
        totals.spillBytes = bytes
        var effects = Effects()
        if missing > 0 { effects.notices.append(.spillUnreadable(records: missing, reason)) }
        if case .full = spill, contents.staged.count > 0 { startSpilling(&effects) }
        endSpillProgress(&effects)
        effects.callbacks = waitersToResume()
        return effects
    }
}

extension SinkQueueStateMachine {
    /// Adds the notice that the spill is empty again, if it is.
    mutating func endSpillProgress(_ effects: inout Effects) {
        if case .quiet = spillLog { return }
        guard contents.later == 0 else { return }
        if spillLog.records > 0 {
            effects.notices.append(.spillEmpty(records: spillLog.records))
        }
        spillLog = .quiet
        if case .full = spill { spill = .idle }
    }
}
