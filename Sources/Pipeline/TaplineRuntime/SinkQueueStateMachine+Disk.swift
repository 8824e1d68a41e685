// SPDX-License-Identifier: MIT

internal import TaplinePlugin
internal import TaplineSegments

// MARK: - The queue on disk

extension SinkQueueStateMachine {
    /// The positions in a queue on disk.
    ///
    /// ```
    /// committed ≤ flushing ≤ finished ≤ taken ≤ next ≤ end
    /// ```
    /// Records from `taken` to `next` are in memory, too, and need not be read.
    struct DiskPositions {
        /// After the last record.
        var end: SegmentPosition
        /// The oldest record that may still be on disk.
        var first: SegmentPosition
        /// The record that is read from disk next.
        var next: SegmentPosition
        /// After the records that the sink's thread has taken.
        var taken: SegmentPosition
        /// After the records that the sink has written, or that are given up.
        var finished: SegmentPosition
        /// `finished` when the current flush began.
        var flushing: SegmentPosition
        /// After the records that need not be read after a restart.
        var committed: SegmentPosition
        /// Where the sink's thread is reading.
        var reading: SegmentPosition
        /// When the last flush began.
        var flushedAt: Instant = 0

        init(next: SegmentPosition, end: SegmentPosition) {
            self.end = end
            self.next = next
            first = next
            taken = next
            finished = next
            flushing = next
            committed = next
            reading = next
        }

        /// The number of records that are only on disk.
        var stored: Int {
            end.record > next.record ? Int(clamping: end.record - next.record) : 0
        }
    }

    /// Whether records on disk can be read.
    enum ReadAccess {
        case working
        /// The last read has failed; it is tried again at this time.
        case failing(until: Instant, String)
    }

    /// Whether records go to disk before the sink gets them.
    var isDurable: Bool { settings.options.disk != nil }

    /// Whether the oldest records make room for new ones.
    var dropsOldest: Bool { settings.options.overflow == .dropOldest }

    /// The queue on disk is open, with the records of earlier runs, or with the `left` ones of a sink
    /// that a reload has replaced.
    mutating func diskOpened(
        next: SegmentPosition,
        end: SegmentPosition,
        left: Int? = nil
    ) -> Effects {
        guard !isOver else { return Effects() }
        let found = DiskPositions(next: next, end: end)
        disk = found
        spill = .idle
        contents.stored = found.stored
        contents.storedTimes = [(0, found.stored)]
        if let left {
            totals.takenOver = min(left, found.stored)
            // The predecessor had written the others, but could not flush them.
            totals.repeated += found.stored - totals.takenOver
        } else {
            totals.recovered = found.stored
        }
        var effects = Effects()
        if contents.staged.count > 0 { startSpilling(&effects) }
        effects.wakes = pacer.arrived(isFull: true)
        return effects
    }

    /// Accepts a batch for the disk, as far as there is memory.
    mutating func keep(
        _ batch: RecordBatch,
        isLive: Bool,
        now: Instant,
        _ effects: inout Effects
    ) {
        let count = batch.records.count
        switch settings.options.overflow {
        case .block:
            var isTooMuch = isLive && isStagedFull(1, isLive: true)
            if case .full = spill { isTooMuch = isLive && isStagedFull(1) }
            guard !isTooMuch else {
                lose(count)
                return end(batch, &effects)
            }
        case .dropNewest:
            guard !isStagedFull(1) else {
                totals.dropped += count
                return end(batch, &effects)
            }
        case .dropOldest:
            while isStagedFull(1), contents.staged.count > 0 {
                for entry in contents.staged.removeFirst(upTo: 1) {
                    totals.dropped += entry.range.count
                    if entry.endsBatch { end(entry.batch, &effects) }
                }
            }
        }
        contents.staged.append(QueueEntry(batch, arrived: now))
        totals.peakQueue = max(totals.peakQueue, contents.countInMemory)
        if case .idle = spill { startSpilling(&effects) }
    }

    /// Notifies the source of a batch that is durable, or dropped.
    private func end(_ batch: RecordBatch, _ effects: inout Effects) {
        guard let acknowledgement = batch.acknowledgement else { return }
        effects.callbacks.append { acknowledgement.done() }
    }

    /// Whether a recording that has just submitted must wait.
    ///
    /// It waits for a sink that works, so that few records have to be read back.
    var mustWaitForDisk: Bool {
        if isStagedFull(1) { return true }
        guard !isFailing, disk != nil else { return false }
        return contents.stored > 0 || !isMemoryWithin(1)
    }

    /// Whether waiting recordings may go on.
    var mayResumeAfterDisk: Bool {
        guard !isStagedFull(2) else { return false }
        return isFailing || (contents.stored == 0 && isMemoryWithin(2))
    }

    private func isMemoryWithin(_ part: Int) -> Bool {
        contents.countInMemory <= settings.options.maxExchanges / part
            && contents.bytes <= settings.options.maxBytes / part
    }
}

// MARK: - The thread that writes to disk

extension SinkQueueStateMachine {
    /// The taken records are durable; each entry ends at one of the positions.
    mutating func diskWrote(_ ends: [SegmentPosition], bytes: Int) -> Effects? {
        guard case .working = spill, contents.movingCount > 0, var disk, let last = ends.last else {
            return isOver ? Effects() : nil
        }
        var effects = Effects()
        for entry in contents.moving where entry.endsBatch { end(entry.batch, &effects) }
        if let share = diskShare { diskShare = share < Self.moveLimit.records ? 2 * share : nil }
        disk.end = last
        // While the sink keeps up, records need not be read back.
        if contents.stored == 0, !isFull {
            for (entry, end) in zip(contents.moving, ends) {
                contents.front.append(entry.ending(at: end))
            }
            disk.next = last
        } else {
            contents.stored += contents.movingCount
            contents.noteStored()
        }
        contents.moving = []
        contents.movingCount = 0
        self.disk = disk
        noteDiskBytes(bytes)
        effects.callbacks += waitersToResume()
        let isDue = contents.front.count >= settings.batchLimit || contents.stored > 0
        effects.wakes = pacer.arrived(isFull: isDue) || isLeaving
        return effects
    }

    /// The taken records could not be written, so they stay in memory.
    mutating func diskFailed(_ reason: String, now: Instant) -> Effects? {
        movingFailed(.diskFull(reason), now: now)
    }

    /// The disk has no room for the taken records: half as many are tried at once, a single one later.
    ///
    /// The share grows again with each success.
    mutating func diskWasFull(_ reason: String, now: Instant) -> Effects? {
        let count = contents.movingCount
        guard case .working = spill, count > 1 || count == 1 && hasCommitted else {
            return diskFailed(reason, now: now)
        }
        diskShare = max(count / 2, 1)
        contents.stageMoving()
        return Effects()
    }

    /// Records before a position were removed to make room.
    mutating func diskDropped(until start: SegmentPosition) -> Effects {
        guard !isOver, var disk else { return Effects() }
        if start.record > disk.first.record { disk.first = start }
        if start.record > disk.next.record { disk.next = start }
        let count = contents.stored - disk.stored
        contents.stored = disk.stored
        self.disk = disk
        guard count > 0 else { return Effects() }
        totals.dropped += count
        due = min(due, contents.count)
        _ = contents.noteRead(count)
        return Effects(callbacks: waitersToResume())
    }

    /// The time until which the thread sleeps.
    mutating func sleepEnd(now: Instant) -> Instant? {
        var end = pacer.rest(now: now)
        if case .failing(let until, _) = access, contents.stored > 0, until > now {
            end = min(end ?? until, until)
        }
        return end
    }

    private mutating func noteDiskBytes(_ bytes: Int) {
        totals.spillBytes = bytes
        totals.peakSpillBytes = max(totals.peakSpillBytes, bytes)
    }
}

// MARK: - The sink's thread

extension SinkQueueStateMachine {
    /// Returns whether records are on disk that may be read now.
    func canRead(now: Instant) -> Bool {
        guard contents.stored > 0 else { return false }
        guard case .failing(let until, _) = access else { return true }
        return now >= until
    }

    /// Begins to read from the disk.
    mutating func beginReading() -> Step {
        phase = .reading
        guard var disk else { return .readBack(min(settings.batchLimit, contents.stored)) }
        disk.reading = disk.next
        self.disk = disk
        return .readDisk(min(settings.batchLimit, contents.stored), from: disk.next, to: disk.end)
    }

    /// The sink's thread has read records up to a position; `lost` records were unreadable.
    mutating func diskRead(
        _ batch: RecordBatch?,
        end: SegmentPosition,
        lost: Int,
        _ reason: String
    ) -> Effects? {
        guard case .reading = phase else { return nil }
        phase = .ready
        access = .working
        guard !isOver, var disk else { return Effects() }
        var effects = Effects()
        // Otherwise they were dropped meanwhile.
        guard disk.next == disk.reading else { return effects }
        let isStuck = end == disk.reading
        disk.next = isStuck ? disk.end : end
        let passed = contents.stored - disk.stored
        contents.stored = disk.stored
        let arrived = contents.noteRead(passed)
        if let batch {
            contents.front.append(QueueEntry(batch, arrived: arrived).ending(at: disk.next))
        } else {
            disk.taken = disk.next
            disk.finished = disk.next
            flushes.wrote()
        }
        self.disk = disk
        let missing = isStuck ? passed : lost
        totals.errors += missing
        due = max(0, due - missing)
        if missing > 0 { effects.notices = [.diskUnreadable(records: missing, reason)] }
        effects.callbacks = waitersToResume()
        return effects
    }

    /// The sink's thread could not read, for a reason that may pass: no record is lost.
    mutating func readFailed(_ reason: String, now: Instant) -> Effects? {
        guard case .reading = phase else { return nil }
        phase = .ready
        guard !isOver else { return Effects() }
        var effects = Effects()
        // Logged once, until a read succeeds.
        if case .working = access { effects.notices = [.diskReadFailing(reason)] }
        access = .failing(until: now &+ Self.fullPause, reason)
        return effects
    }

    /// The thread has taken entries from memory.
    mutating func noteTaken(_ entries: [QueueEntry]) {
        if let end = entries.last?.end { disk?.taken = end }
    }

    /// The sink is done with all records that its thread has taken.
    mutating func noteFinished() {
        guard var disk else { return }
        disk.finished = disk.taken
        self.disk = disk
    }

    /// A position was committed; the disk now holds `bytes`.
    mutating func diskCommitted(bytes: Int) -> Effects {
        var effects = Effects()
        guard !isOver else { return effects }
        totals.spillBytes = bytes
        hasCommitted = true
        if case .full = spill, contents.staged.count > 0 { startSpilling(&effects) }
        return effects
    }

    /// The acknowledgements of batches that are on their way to the disk.
    var acknowledgementsBeforeDisk: [BatchAcknowledgement] {
        guard isDurable else { return [] }
        return (contents.moving + contents.staged.entries).lazy.filter(\.endsBatch)
            .compactMap(\.batch.acknowledgement)
    }

    /// Counts the records that stay on disk when the queue is over.
    ///
    /// - Returns: The number of the others, which are lost.
    mutating func giveUpRecords(taken: Int) -> Int {
        let all = contents.count + taken
        guard let disk else { return all }
        let waiting = contents.stored + contents.front.count + taken
        // Those in memory may have been dropped from the disk.
        let onDisk = max(disk.end.record, disk.first.record) - disk.first.record
        totals.kept = min(waiting, Int(clamping: onDisk))
        return all - totals.kept
    }

    /// Whether records are on their way to the disk.
    var isWritingToDisk: Bool {
        isDurable && spill.isAtWork && contents.staged.count + contents.movingCount > 0
    }
}
