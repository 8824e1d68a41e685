// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

// Exchanges that wait until somebody decides about them.
extension PipelineLane: PausingLane {
    /// Keeps the first pause that a hook requests.
    ///
    /// The tag is that of a source that cannot wait; others replace it.
    func note(_ wanted: Pause, _ pause: inout Pause?, _ exchange: inout Exchange) {
        guard pause == nil else { return }
        pause = wanted
        exchange.tags[Pause.tag] = "passed, since the source cannot wait"
    }

    func show(
        _ pause: Pause,
        _ exchange: inout Exchange,
        _ context: ExchangeContext,
        decided: @escaping @Sendable (PauseDecision?) -> Void
    ) -> PausedExchanges? {
        guard let board = shared.paused, board.isAttended else {
            shared.noteUnattended(pause.stage)
            pause.end(.unattended, &exchange.tags)
            return nil
        }
        // Set before the copy is made, so that the copy has the tag too.
        exchange.tags[Pause.tag] = "waiting"
        let whole = exchange
        let isShown =
            board.hasRoom(for: pause.stage, atMost: pause.limit)
            && board.add(
                entry(of: pause, exchange, context),
                of: pause.stage,
                atMost: pause.limit,
                checking: { decision throws(PauseRefusal) in
                    var copy = whole
                    try decision.edit?(&copy)
                },
                decided: decided
            )
        guard isShown else {
            pause.end(.full, &exchange.tags)
            return nil
        }
        return board
    }

    /// What is shown of an exchange: a copy that has passed the record stages.
    ///
    /// It fails closed: without a record, only harmless facts are shown. There is none if a stage
    /// that redacts is excluded by its condition, which may be true at the end of the exchange.
    private func entry(
        of pause: Pause,
        _ exchange: Exchange,
        _ context: ExchangeContext
    ) -> PausedExchanges.Entry {
        // The counters of the copy are dropped with it.
        var copy = chain
        let shown = shared.budget.isExhausted ? exchange.withoutBodies() : exchange
        var record: Record?
        let skipped = copy.skippedRedactions
        var preview = context
        preview.isPreview = true
        if case .sealed(let sealed) = copy.seal(shown, preview),
            copy.skippedRedactions == skipped
        {
            record = sealed
        }
        let now = shared.now()
        return PausedExchanges.Entry(
            ActiveExchange(exchange) { hosts.passes($0) },
            at: now,
            until: Timestamp(microseconds: now.microseconds.addingClamped(pause.timeout.count)),
            hook: context.plane,
            rule: pause.rule,
            record: record
        )
    }

    func carryOut(
        _ decision: PauseDecision,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    ) -> WireOutcome.Action {
        wait.pause.end(.decided, &exchange.tags)
        if recordsProvenance { context.beginProvenance(exchange) }
        let (before, status) = (exchange.request.line, exchange.response?.status)
        let isChanged = change(&exchange, decision.edit)
        exchange.noteOriginal(request: before)
        var (action, made) = (action, isChanged ? ProvenanceDecision.changed : .resumed)
        switch decision.action {
        case .proceed: break
        case .respond(let response):
            let method = exchange.original.method ?? exchange.request.method
            exchange.response = response
            exchange.response?.frame(answering: method)
            made = .answered
            action = wait.hook == .request ? .respond : .forward
        case .abort:
            exchange.state = .cancelled
            exchange.error = ExchangeError(code: "aborted", message: "aborted by hand")
            made = .aborted
            action = .abort
        }
        if wait.hook == .response { exchange.noteOriginal(status: status) }
        if recordsProvenance { context.noteDecision(made, action.verdict, after: wait, exchange) }
        // Set after provenance is noted, since the tag is not a change made by hand.
        if made != .resumed { exchange.tags[Pause.tag] = made.rawValue }
        return action
    }

    /// Makes changes; returns whether there are any.
    private func change(_ exchange: inout Exchange, _ edit: PauseDecision.Edit?) -> Bool {
        guard let edit else { return false }
        var changed = exchange
        do throws(PauseRefusal) {
            try edit(&changed)
        } catch {
            // Not reached while `show` tries the changes on the same exchange.
            return false
        }
        exchange = changed
        return true
    }

    func pass(
        _ end: Pause.End,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    ) {
        wait.pause.end(end, &exchange.tags)
        guard recordsProvenance, let decision = end.provenance else { return }
        context.beginProvenance(exchange)
        context.noteDecision(decision, action.verdict, after: wait, exchange)
    }
}

extension Pause.End {
    /// Its name in provenance; `nil` if the exchange did not wait.
    fileprivate var provenance: ProvenanceDecision? {
        switch self {
        case .decided: .resumed
        case .timeout: .timeout
        case .unattended: .unattended
        case .ended: .ended
        case .full: nil
        }
    }
}

extension WireOutcome.Action {
    /// The verdict that leads to it.
    fileprivate var verdict: ProvenanceVerdict {
        switch self {
        case .forward: .proceed
        case .respond: .respond
        case .abort: .abort
        }
    }
}
