// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

// How exchanges begin and end, and become records.
extension PipelineLane {
    var wantsOpened: Bool { captures != nil || shared.wantsActive || limitsRecording }

    func opened(_ exchange: borrowing Exchange, _ context: inout ExchangeContext) {
        guard admits(exchange, &context) else { return }
        if limitsRecording { decideRecording(exchange, &context) }
        guard shared.wantsActive, context.isRecorded else { return }
        context.isAnnounced = true
        shared.opened(ActiveExchange(exchange) { hosts.passes($0) })
        // The next `submit` may take a while.
        reportEnded()
    }

    func reportEnded() {
        guard !ended.isEmpty else { return }
        shared.ended(ended)
        ended.removeAll(keepingCapacity: true)
    }

    func finish(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) -> Bool {
        switch enter(consume exchange, consume context) {
        case .ended(.sealed(let record)):
            keep(record)
            return true
        case .parked(let waiting):
            park(waiting)
            return true
        case .ended, nil: return false
        }
    }

    func abandoned(_ exchange: borrowing Exchange, _ context: borrowing ExchangeContext) {
        if context.isAnnounced { shared.ended([exchange.id]) }
        if context.isInFlight { shared.limits.leave() }
    }

    /// Counts an exchange that is not recorded.
    private func noteUnrecorded(_ reason: RecordingDecision) {
        counters.count(reason)
        if reason == .shedMemory || reason == .shedProcessor { shared.limits.noteShed() }
    }

    /// Runs the record stages and returns the outcome; `nil` if the exchange is not recorded, since
    /// the source's `when` or a limit excludes it.
    func settle(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext
    ) -> RecordChain.Outcome? {
        var step = enter(consume exchange, consume context)
        while case .parked(let waiting) = step { step = resume(waiting, waiting.verdict.wait()) }
        guard case .ended(let outcome) = step else { return nil }
        return outcome
    }

    /// Runs the record stages up to a verdict that is given later, as `settle` does without one.
    private func enter(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext
    ) -> RecordChain.Step? {
        counters.received += 1
        if context.isAnnounced { ended.append(exchange.id) }
        guard admits(exchange, &context) else {
            counters.filtered += 1
            return nil
        }
        if context.isInFlight { shared.limits.leave() }
        guard context.isRecorded else {
            noteUnrecorded(context.recording)
            return nil
        }
        counters.sent += 1
        measure(exchange)
        if recordsProvenance { noteUnaskedHooks(&context) }
        // Consumed, since a copy of the context would copy all of its provenance at the next change.
        let step =
            shared.budget.isExhausted
            ? chain.begin(exchange.withoutBodies(), consume context)
            : chain.begin(consume exchange, consume context)
        if case .ended(let outcome) = step { report(outcome) }
        return step
    }
}
