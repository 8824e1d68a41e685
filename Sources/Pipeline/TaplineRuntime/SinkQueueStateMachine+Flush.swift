// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments

// MARK: - Flushes

extension SinkQueueStateMachine {
    /// Whether written records wait for a flush that is due.
    func isFlushDue(now: Instant) -> Bool {
        guard let disk else {
            return acknowledgements.isFlushDue(queued: contents.count, now: now)
        }
        guard disk.finished != disk.committed else { return false }
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
        for ended in acknowledgements.flushEnded(hasFailed: failure != nil) {
            effects.callbacks.append { ended.done() }
        }
        if disk == nil {
            count(failure, &effects)
        } else if let failure {
            flushFailed(failure, since, now, &effects)
        } else {
            commit(&effects)
        }
        return effects
    }

    private mutating func commit(_ effects: inout Effects) {
        guard var disk else { return }
        if disk.flushing != disk.committed {
            disk.committed = disk.flushing
            effects.commits = disk.committed
        }
        if case .failed = disk.flushes {
            disk.flushes = .working
            effects.notices += recover().notices
        }
        self.disk = disk
    }
}

// MARK: - Flushes that fail

extension SinkQueueStateMachine {
    /// A flush of a sink with a queue on disk has failed.
    ///
    /// It is unknown which records are durable, and a later flush may succeed without them
    /// (fsync(2)). So the sink is opened again, and everything since the last flush is written again.
    private mutating func flushFailed(
        _ failure: String,
        _ since: Instant,
        _ now: Instant,
        _ effects: inout Effects
    ) {
        guard var disk else { return }
        if case .failed(let count) = disk.flushes {
            disk.flushes = .failed(count + 1)
        } else {
            disk.flushes = .failed(1)
        }
        self.disk = disk
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
        let records = goBack(held: 0)
        // A flush that succeeds ends the failure, even if nothing is to be written again.
        flushes.wrote()
        if case .failed(1)? = disk?.flushes {
            effects.notices.append(.writingAgain(records: records))
        }
        effects.callbacks += waitersToResume()
        return effects
    }

    /// Goes back to the committed position, as a restart of the program does.
    ///
    /// - Parameter held: The number of records that the sink's thread holds and gives up.
    /// - Returns: The number of records that the sink had taken and gets again.
    mutating func goBack(held: Int) -> Int {
        guard var disk else { return 0 }
        let waiting = contents.front.count + contents.stored + held
        // Records before `first` are not on disk any more.
        let start = disk.committed.record >= disk.first.record ? disk.committed : disk.first
        disk.next = start
        disk.taken = start
        disk.finished = start
        disk.flushing = start
        contents.front = QueueEntries()
        contents.stored = disk.stored
        contents.storedTimes = [(0, disk.stored)]
        due = 0
        self.disk = disk
        let repeated = max(disk.stored - waiting, 0)
        totals.repeated += repeated
        // Records that were only in memory, since the oldest were dropped from the disk, are lost.
        totals.dropped += max(waiting - disk.stored, 0)
        return repeated
    }

    /// A write has succeeded; after a failed flush, only a flush shows that the sink works.
    mutating func recoverFromFailedWrite() -> Effects {
        if case .failed? = disk?.flushes { recoverFromHang() } else { recover() }
    }
}
