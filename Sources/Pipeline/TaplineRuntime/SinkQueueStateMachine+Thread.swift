// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

// MARK: - The next step of the thread

extension SinkQueueStateMachine {
    /// Returns the next step, for the sink's thread.
    ///
    /// - Returns: `nil` if the thread has not reported the result of its last step.
    mutating func next(now: Instant) -> (Step, Effects)? {
        pacer.woke()
        switch phase {
        case .selecting, .calling, .reading: return nil
        case .ended: return (.end(repeatsNotes: false), Effects())
        case .ready where isLeaving, .restarting where isLeaving, .holding where isLeaving:
            return leave(now)
        case .ready: return isOver ? (end(), Effects()) : choose(now)
        case .restarting(let start):
            if isOver { return (end(), Effects()) }
            if now >= start { return call(.restart, .restart, now) }
            return (.sleep(until: start), Effects())
        case .holding(let batch, let start):
            if isOver { return (end(), Effects()) }
            if wantsReopening {
                wantsReopening = false
                return call(.reopen(batch, notBefore: start), .reopen, now)
            }
            if let dead = batch.dead, now >= start {
                return call(
                    .deadLetter(batch),
                    .deadLetter(dead, reason: batch.refusal),
                    now
                )
            }
            guard now >= start, let piece = batch.pieces.last else {
                return (.sleep(until: start), Effects())
            }
            return call(.write(batch), .write(piece), now)
        }
    }

    private mutating func choose(_ now: Instant) -> (Step, Effects) {
        if wantsReopening {
            wantsReopening = false
            return call(.reopen(nil, notBefore: now), .reopen, now)
        }
        if case .due = active.notes { return call(.note, .note(opened: [], ended: []), now) }
        if !isDurable { contents.promote() }
        var effects = Effects()
        endSpillProgress(&effects)
        due = min(due, contents.count)
        if isFlushDue(now: now) {
            if !flushes.isNow { flushes.need = .none }
            return call(.flush, .flush, now, effects)
        }
        let hasRecords = contents.front.count > 0 || canRead(now: now)
        if due > 0, hasRecords { return (takeRecords(now), effects) }
        if !flushes.isNow, active.count > 0 || hasRecords {
            let most = max(active.count, contents.front.count + contents.stored)
            let isDue = most >= settings.batchLimit || isClosing || !flushes.waiting.isEmpty
            switch pacer.fill(isDue: isDue, now: now) {
            case .sleep(let end): return (.sleep(until: end), effects)
            case .take: break
            }
            return active.count > 0 ? takeActive(now, effects) : (takeRecords(now), effects)
        }
        // Records that are being moved to disk are written before a flush or the end.
        let isEmpty = contents.count == 0
        if due == 0, flushes.isNow || isEmpty, flushes.isNeeded {
            flushes.need = .none
            flushes.running += flushes.waiting
            flushes.waiting = []
            return call(.flush, .flush, now, effects)
        }
        if isEmpty, isClosing { return (end(), effects) }
        return (.sleep(until: sleepEnd(now: now)), effects)
    }

    private var isClosing: Bool {
        if case .closing = lifecycle { true } else { false }
    }

    private mutating func end() -> Step {
        let repeatsNotes = if case .current = active.notes { false } else { true }
        phase = .ended
        if !isOver { lifecycle = .finished }
        return .end(repeatsNotes: repeatsNotes)
    }

    /// Begins a call of the sink, and starts a timer for it.
    mutating func call(
        _ call: Call,
        _ step: Step,
        _ now: Instant,
        _ effects: Effects = Effects()
    ) -> (Step, Effects) {
        var effects = effects
        phase = .calling(call, since: now)
        if case .flush = call { noteFlushBegan(now: now) }
        if !isWatched {
            isWatched = true
            effects.watchAt = now &+ Self.hangTimeout
        }
        return (step, effects)
    }

    /// Reports begun and ended exchanges before the records that are due are written.
    ///
    /// Those records are written before exchanges that begin or end later are reported. Otherwise a
    /// sink that is slow at one would never get to the other.
    private mutating func takeActive(_ now: Instant, _ effects: Effects) -> (Step, Effects) {
        pacer.took(now: now)
        due = contents.count
        if !flushes.waiting.isEmpty { flushes.need = .now }
        let changes = active.take()
        return call(.note, .note(opened: changes.opened, ended: changes.ended), now, effects)
    }

    private mutating func takeRecords(_ now: Instant) -> Step {
        // No more than the known number: the spill thread may have written records that it has not
        // yet reported.
        guard contents.front.count > 0 else { return beginReading() }
        let limit = due > 0 ? min(due, settings.batchLimit) : settings.batchLimit
        let taken = contents.takeFront(upTo: limit)
        noteTaken(taken)
        if !isDurable, acknowledgements.isAwaited {
            for entry in taken { contents.unflushed.append(entry) }
        }
        let count = taken.reduce(0) { $0 + $1.range.count }
        due = max(0, due - count)
        flushes.wrote()
        pacer.took(now: now)
        phase = .selecting(count)
        return .select(taken)
    }
}

// MARK: - The result of the step

extension SinkQueueStateMachine {
    /// The thread has applied `when`; `count` records are left to be written.
    mutating func selected(_ count: Int) -> Effects? {
        guard case .selecting(let taken) = phase else { return nil }
        guard !isOver else { return returned() }
        totals.filtered += taken - count
        guard count > 0 else {
            phase = .ready
            noteFinished()
            return Effects(callbacks: waitersToResume())
        }
        phase = .holding(Batch(count: count), notBefore: .min)
        return Effects()
    }

    /// The sink has written a piece of the batch; it already had `duplicates` of its records, and its
    /// destination has discarded `rejected` of them.
    mutating func wrote(duplicates: Int, rejected: Int = 0) -> Effects? {
        guard case .calling(.write(var batch), _) = phase else { return nil }
        guard !isOver, let piece = batch.pieces.popLast() else { return returned() }
        let rejected = min(max(rejected, 0), piece.count)
        totals.written += piece.count - duplicates - rejected
        totals.duplicates += duplicates
        totals.errors += rejected
        batch.refusals = 0
        var effects = recoverFromFailedWrite()
        goOn(with: batch, &effects)
        return effects
    }

    /// The sink has failed to write a piece of the batch; none of it is written.
    mutating func writeFailed(_ error: SinkError, now: Instant) -> Effects? {
        guard case .calling(.write(var batch), let since) = phase else { return nil }
        guard !isOver else { return returned() }
        switch error.kind {
        case .closed:
            totals.dropped += giveUpRecords(taken: batch.count)
            phase = .ready
            let withdrawn = acknowledgements.all + acknowledgementsBeforeDisk
            var effects = over(.readerGone)
            for acknowledgement in withdrawn {
                effects.callbacks.append { acknowledgement.withdraw() }
            }
            effects.notices = [.readerGone(error.message)]
            return effects
        case .refused:
            guard let piece = batch.pieces.popLast() else { return returned() }
            var effects = recoverFromHang()
            if piece.count > 1 {
                // One record may be the cause; the others must not be lost with it.
                let middle = piece.lowerBound + piece.count / 2
                batch.pieces += [middle..<piece.upperBound, piece.lowerBound..<middle]
                goOn(with: batch, &effects)
            } else {
                refused(piece, of: batch, error.message, now, &effects)
            }
            return effects
        case .passing:
            totals.retries += 1
            var effects = Effects()
            let pause = fail(since, error.message, now, &effects)
            let asked = error.retryAfter?.count ?? 0
            phase = .holding(batch, notBefore: now.addingClamped(max(pause, asked)))
            return effects
        }
    }

    /// Continues with the next piece of a batch, or with the next step.
    mutating func goOn(with batch: Batch, _ effects: inout Effects) {
        guard batch.pieces.isEmpty, batch.dead == nil else {
            phase = .holding(batch, notBefore: .min)
            return
        }
        phase = .ready
        noteFinished()
        if countRefusals(batch.refused) {
            effects.notices.append(.refused(soFar: refusals, batch.refusal))
        }
        if case .outdated = active.notes { active.notes = .due }
        effects.callbacks += waitersToResume()
    }

    /// The sink was notified of begun and ended exchanges, or failed to note them.
    mutating func noted(failure: String?) -> Effects? {
        guard case .calling(.note, _) = phase else { return nil }
        guard !isOver else { return returned() }
        phase = .ready
        guard let failure else {
            active.notes = .current
            return recoverFromHang()
        }
        var effects = recoverFromHang()
        // Logged once, until the sink has caught up.
        if case .current = active.notes { effects.notices.append(.notesOutdated(failure)) }
        active.notes = .outdated
        return effects
    }

    /// The sink has reopened its files, or failed to.
    mutating func reopened(failure: String?) -> Effects? {
        guard case .calling(.reopen(let batch, let start), _) = phase else { return nil }
        guard !isOver else { return returned() }
        phase = batch.map { .holding($0, notBefore: start) } ?? .ready
        var effects = recoverFromHang()
        count(failure, &effects)
        return effects
    }

    /// A final call of the sink has failed.
    mutating func closeFailed(_ failure: String) -> Effects {
        var effects = Effects()
        switch lifecycle {
        case .abandoned, .handedOver: return effects
        case .open, .closing, .leaving, .finished, .readerGone: break
        }
        count(failure, &effects)
        return effects
    }

    mutating func count(_ failure: String?, _ effects: inout Effects) {
        guard let failure else { return }
        totals.failures += 1
        effects.notices.append(.callFailed(failure))
    }

    /// The thread reports to a queue that is over.
    mutating func returned() -> Effects {
        phase = .ready
        return Effects()
    }
}

// MARK: - Health

extension SinkQueueStateMachine {
    /// A timer has fired.
    mutating func looked(now: Instant) -> Effects {
        var effects = Effects()
        guard case .calling(_, let since) = phase, !isOver else {
            isWatched = false
            return effects
        }
        let limit = since &+ Self.hangTimeout
        guard now >= limit else {
            effects.watchAt = limit
            return effects
        }
        switch health {
        case .well:
            let pause = min(settings.retry.initial.count, settings.retry.maxInterval.count)
            health = .failing(FailureState(since: since, pause: pause, cause: .hang))
            effects.notices = [.hanging]
            effects.callbacks = waitersToResume()
            effects.watchAt = max(limit, since &+ settings.retry.maxElapsed.count)
        case .failing(let failureState):
            let end = failureState.since &+ settings.retry.maxElapsed.count
            if now >= end {
                health = .degraded(failureState)
                effects.notices = [.degraded(nil)]
                isWatched = false
            } else {
                effects.watchAt = end
            }
        case .degraded: isWatched = false
        }
        return effects
    }

    /// A write has failed with an error that may be temporary.
    ///
    /// - Returns: The delay before the next try.
    mutating func fail(
        _ since: Instant,
        _ message: String,
        _ now: Instant,
        _ effects: inout Effects
    ) -> Int64 {
        let retry = settings.retry
        var failureState: FailureState
        switch health {
        case .well:
            let pause = min(retry.initial.count, retry.maxInterval.count)
            failureState = FailureState(since: since, pause: pause, cause: .error(message))
            effects.notices.append(.failing(message))
        case .failing(let former), .degraded(let former):
            failureState = former
            if former.isHang { effects.notices.append(.failing(message)) }
        }
        failureState.cause = .error(message)
        let pause = failureState.pause
        let isHalf = pause <= retry.maxInterval.count / 2
        failureState.pause = isHalf ? pause * 2 : retry.maxInterval.count
        if isDegraded {
            health = .degraded(failureState)
        } else if now &- failureState.since >= retry.maxElapsed.count {
            health = .degraded(failureState)
            effects.notices.append(.degraded(message))
        } else {
            health = .failing(failureState)
        }
        effects.callbacks += waitersToResume()
        return pause
    }

    /// A write has succeeded.
    mutating func recover() -> Effects {
        var effects = Effects()
        switch health {
        case .well: return effects
        case .failing(let failureState):
            if failureState.isHang { effects.notices = [.recovered] }
        case .degraded: effects.notices = [.recovered]
        }
        health = .well
        return effects
    }

    /// A call other than a write has returned: this ends a hang, but not a failure to write.
    mutating func recoverFromHang() -> Effects {
        switch health {
        case .failing(let failureState) where failureState.isHang,
            .degraded(let failureState) where failureState.isHang:
            recover()
        default: Effects()
        }
    }

    /// Returns the callbacks of waiting sources that may resume.
    mutating func waitersToResume() -> [Callback] {
        guard !waiters.isEmpty else { return [] }
        guard isDurable ? mayResumeAfterDisk : mayResume else { return [] }
        defer { waiters = [] }
        return waiters
    }

    /// Whether waiting recordings may go on.
    private var mayResume: Bool {
        let options = settings.options
        return isFailing
            ? !spill.isAtWork || !isStagedFull(2)
            : contents.later == 0 && contents.front.count <= options.maxExchanges / 2
                && contents.front.bytes <= options.maxBytes / 2
    }
}
