// SPDX-License-Identifier: MIT

internal import TaplineSegments

// A sink that a reload has replaced leaves its queue on disk to its successor.
extension SinkQueueStateMachine {
    /// No more records will be submitted, and a successor continues with the queue on disk.
    ///
    /// The sink's thread ends with its next step; what it has not written stays on disk.
    mutating func leaveRequested() -> Effects {
        switch lifecycle {
        case .open, .closing:
            lifecycle = .leaving
            return waking()
        case .leaving, .finished, .readerGone, .handedOver, .abandoned: return Effects()
        }
    }

    var isLeaving: Bool {
        if case .leaving = lifecycle { true } else { false }
    }

    /// Returns the last steps of a thread that leaves its queue to a successor.
    mutating func leave(_ now: Instant) -> (Step, Effects) {
        let isOnDisk = contents.staged.count + contents.movingCount == 0
        // Records that are being moved to disk come first; their arrival wakes the thread.
        guard isOnDisk, let disk else { return (.sleep(until: nil), Effects()) }
        let held = takenCount
        phase = .ready
        if case .failed = durability {
            _ = goBack(held: held, to: disk.committed)
        } else {
            _ = goBack(held: held, to: disk.finished)
            // So that the successor does not get again what is written.
            if disk.finished != disk.committed { return call(.flush, .flush, now) }
        }
        let lost = giveUpRecords(taken: 0)
        totals.errors += lost
        totals.handedOver += totals.kept
        totals.kept = 0
        // Its successor shows whether the records can be written.
        health = .well
        phase = .ended
        var effects = over(.handedOver)
        if lost > 0 { effects.notices.append(.lost(records: lost)) }
        return (.end(repeatsNotes: false), effects)
    }
}
