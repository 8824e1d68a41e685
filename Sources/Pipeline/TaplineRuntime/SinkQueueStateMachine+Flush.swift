// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments

// MARK: - Flushes

extension SinkQueueStateMachine {
    /// Whether the sink makes records durable.
    enum Durability {
        case working
        /// This number of flushes has failed since the last one that succeeded.
        case failed(Int)
    }

    /// Whether a source waits for records to be durable, or a queue on disk then forgets them.
    var isReliedOn: Bool { isDurable || acknowledgements.isAwaited }

    /// Whether written records wait for a flush that is due.
    func isFlushDue(now: Instant) -> Bool {
        guard let disk else {
            let kept = contents.unflushed
            // Memory is bounded, however fast records come.
            if kept.count >= settings.options.maxExchanges { return true }
            if kept.bytes >= settings.options.maxBytes { return true }
            return acknowledgements.isFlushDue(queued: contents.count, now: now)
        }
        guard disk.finished != disk.committed else { return false }
        // A full disk has room once what the sink has written is committed.
        if case .full = spill, contents.front.count == 0, contents.stored == 0 { return true }
        return now &- disk.flushedAt >= PendingAcknowledgements.flushInterval
    }

    /// A flush begins.
    mutating func noteFlushBegan(now: Instant) {
        acknowledgements.flushBegan(queued: contents.count, now: now)
        guard var disk else { return }
        disk.flushing = disk.finished
        disk.flushedAt = now
        self.disk = disk
    }

    /// The sink has made the written records durable, or failed to.
    mutating func flushed(failure: String?, now: Instant) -> Effects? {
        guard case .calling(.flush, let since) = phase else { return nil }
        guard !isOver else { return returned() }
        phase = .ready
        var effects = recoverFromHang()
        effects.callbacks += flushes.running
        flushes.running = []
        guard let failure else {
            flushSucceeded(&effects)
            return effects
        }
        if isReliedOn {
            flushFailed(failure, since, now, &effects)
        } else {
            count(failure, &effects)
        }
        return effects
    }

    private mutating func flushSucceeded(_ effects: inout Effects) {
        for ended in acknowledgements.flushed() {
            effects.callbacks.append { ended.done() }
        }
        effects.released = contents.unflushed.entries
        contents.unflushed = QueueEntries()
        if let flushing = disk?.flushing, flushing != disk?.committed {
            disk?.committed = flushing
            effects.commits = flushing
        }
        if case .failed = durability {
            durability = .working
            effects.notices += recover().notices
        }
    }
}

// MARK: - Flushes that fail

extension SinkQueueStateMachine {
    /// A flush has failed that a source waits for, or that a queue on disk is for.
    ///
    /// It is unknown which records are durable, and a later flush may succeed without them
    /// (fsync(2)). So the sink is opened again, and everything since the last flush is written again.
    private mutating func flushFailed(
        _ failure: String,
        _ since: Instant,
        _ now: Instant,
        _ effects: inout Effects
    ) {
        if case .failed(let count) = durability {
            durability = .failed(count + 1)
        } else {
            durability = .failed(1)
        }
        totals.retries += 1
        let pause = fail(since, failure, now, &effects)
        phase = .restarting(notBefore: now.addingClamped(pause))
    }

    /// The sink was closed and opened again, or could not be opened.
    mutating func restarted(failure: String?, now: Instant) -> Effects? {
        guard case .calling(.restart, let since) = phase else { return nil }
        guard !isOver else { return returned() }
        if let failure {
            var effects = Effects()
            let pause = fail(since, failure, now, &effects)
            phase = .restarting(notBefore: now.addingClamped(pause))
            return effects
        }
        phase = .ready
        var effects = recoverFromHang()
        let records = goBack(held: 0, to: disk?.committed)
        // A flush that succeeds ends the failure, even if nothing is to be written again.
        flushes.wrote()
        if case .failed(1) = durability {
            effects.notices.append(.writingAgain(records: records))
        }
        effects.callbacks += waitersToResume()
        return effects
    }

    /// Queues records again that the sink's thread has taken.
    ///
    /// - Parameters:
    ///   - held: The number of records that the sink's thread holds and gives up.
    ///   - position: The first of them in the queue on disk; without one, all since the last flush
    ///     are queued again.
    /// - Returns: The number of records that the sink had taken and gets again.
    mutating func goBack(held: Int, to position: SegmentPosition?) -> Int {
        let waiting = contents.count + held
        if let position { goBack(to: position) } else { contents.requeueUnflushed() }
        due = 0
        let repeated = max(contents.count - waiting, 0)
        totals.repeated += repeated
        // Records that were only in memory, since the oldest were dropped from the disk, are lost.
        totals.dropped += max(waiting - contents.count, 0)
        return repeated
    }

    /// Goes back to a position; a restart of the program goes back to the committed one.
    private mutating func goBack(to position: SegmentPosition) {
        guard var disk else { return }
        // Records before `first` are not on disk any more.
        let start = position.record >= disk.first.record ? position : disk.first
        disk.next = start
        disk.taken = start
        disk.finished = start
        disk.flushing = start
        contents.front = QueueEntries()
        contents.stored = disk.stored
        contents.storedTimes = [(0, disk.stored)]
        self.disk = disk
    }

    /// A write has succeeded; after a failed flush, only a flush shows that the sink works.
    mutating func recoverFromFailedWrite() -> Effects {
        if case .failed = durability { recoverFromHang() } else { recover() }
    }
}
