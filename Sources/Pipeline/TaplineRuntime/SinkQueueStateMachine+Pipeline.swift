// SPDX-License-Identifier: MIT

internal import TaplinePlugin

// MARK: - The pipeline

extension SinkQueueStateMachine {
    /// No more records will be submitted.
    mutating func closed() -> Effects {
        if case .open = lifecycle { lifecycle = .closing }
        return waking()
    }

    /// A caller waits until the records that are queued now are durable.
    mutating func flushRequested(_ done: @escaping Callback) -> Effects {
        guard !isOver else { return Effects(callbacks: [done]) }
        flushes.waiting.append(done)
        return waking()
    }

    /// The files are to be reopened.
    mutating func reopenRequested() -> Effects {
        wantsReopening = true
        return waking()
    }

    /// The pipeline no longer waits: unwritten records are lost, whatever the sink still does.
    mutating func abandoned() -> Effects {
        switch lifecycle {
        case .abandoned, .handedOver: return Effects()
        case .open, .closing, .leaving, .finished, .readerGone: break
        }
        var taken = takenCount
        if case .failed = durability {
            // What the sink has not made durable is for the next run, or is lost.
            _ = goBack(held: taken, to: disk?.committed)
            taken = 0
        }
        let lost = giveUpRecords(taken: taken)
        totals.errors += lost
        if isLeaving {
            totals.handedOver += totals.kept
            totals.kept = 0
            health = .well
        }
        var effects = over(.abandoned)
        if lost > 0 { effects.notices.append(.lost(records: lost)) }
        return effects
    }

    /// The sink could not be opened; `left` records of its predecessor stay on disk.
    mutating func notOpened(left: Int = 0) -> Effects {
        totals.dropped += giveUpRecords(taken: 0)
        if disk == nil {
            totals.takenOver += left
            totals.kept += left
        }
        phase = .ended
        return over(.finished)
    }

    /// Ends the queue: its remaining records are not written.
    mutating func over(_ lifecycle: Lifecycle) -> Effects {
        self.lifecycle = lifecycle
        contents = QueueContents()
        acknowledgements.removeAll()
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

    /// Whether the sink's thread is within a step that may take long, or has ended.
    var isAtWork: Bool {
        switch phase {
        case .calling, .reading, .ended: true
        default: false
        }
    }

    var isDegraded: Bool {
        if case .degraded = health { true } else { false }
    }

    /// The number of records that the thread has taken but not written.
    var takenCount: Int {
        switch phase {
        case .selecting(let count): count
        case .holding(let batch, _), .calling(.write(let batch), _),
            .calling(.deadLetter(let batch), _):
            batch.count
        case .calling(.reopen(let batch?, _), _): batch.count
        default: 0
        }
    }

    /// The current counters.
    var counters: SinkCounters {
        var counters = totals
        counters.queued = isOver ? 0 : contents.count + takenCount
        counters.isDegraded = isDegraded
        counters.inSpill = contents.stored
        return counters
    }
}
