// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// What happens to an exchange unless somebody decides otherwise.
final class UndecidedOutcome {
    let outcome: WireOutcome
    let pause: Pause
    let board: PausedExchanges
    let hook: Plane

    init(_ outcome: WireOutcome, _ pause: Pause, _ board: PausedExchanges, after hook: Plane) {
        self.outcome = outcome
        self.pause = pause
        self.board = board
        self.hook = hook
    }
}

/// Exchanges that wait for a decision, as they wait for a delay.
extension ProxyExchange {
    /// Shows the exchange to somebody, and waits; carries out the outcome if nobody can decide.
    func wait(_ outcome: WireOutcome, after hook: Plane) {
        guard !head.kind.isConnect else {
            // Its client waits for the tunnel, in which its requests can be paused.
            held.exchange.tags[Pause.tag] = "passed, since a tunnel cannot wait"
            return carryOut(outcome, after: hook)
        }
        guard let pause = outcome.pause, let board = show(pause) else {
            return carryOut(outcome, after: hook)
        }
        guard case .pause = hooksDone(outcome.action, hook, pauses: true) else {
            board.remove(held.exchange.id)
            return
        }
        undecided = UndecidedOutcome(outcome, pause, board, after: hook)
        clock.paused(worker.loop.now, for: pause.timeout)
        client.link.askAgain(after: firstLook)
        server?.pauseReading()
        let timer = LoopTimer(on: worker.loop) { [unowned self] in timeIsOver() }
        timer.arm(after: pause.timeout)
        delayTimer = timer
    }

    /// Asks the lane to show the exchange; returns the board, or `nil` if it passes at once.
    private func show(_ pause: Pause) -> PausedExchanges? {
        guard let lane = lane as? any PausingLane else { return nil }
        let reference = ExchangeReference(exchange: self)
        let loop = worker.loop
        return lane.show(pause, &held.exchange, held.context) { decision in
            loop.execute { reference.exchange?.decided(decision) }
        }
    }

    /// Carries out an outcome that nobody decides about.
    private func carryOut(_ outcome: WireOutcome, after hook: Plane) {
        let pauses = outcome.delay.count > 0
        let action = hooksDone(outcome.action, hook, pauses: pauses)
        if pauses { pause(outcome.delay) } else { perform(action) }
    }

    private func hooksDone(
        _ action: WireOutcome.Action,
        _ hook: Plane,
        pauses: Bool
    ) -> HTTPExchangeAction {
        hook == .request
            ? machine.requestHooksDone(
                HTTPExchangeStateMachine.RequestVerdict(action),
                pauses: pauses
            )
            : machine.responseHooksDone(verdict(action), pauses: pauses)
    }

    /// Carries out a decision; `nil` if nobody can decide any more.
    fileprivate func decided(_ decision: PauseDecision?) {
        guard let waited = undecided.take() else { return }
        delayTimer = nil
        let wait = endWait(waited)
        guard let decision else { return pass(.unattended, waited, wait) }
        var action = waited.outcome.action
        if let lane = lane as? any PausingLane {
            action = lane.carryOut(decision, action, &held.exchange, &held.context, after: wait)
        }
        let next =
            waited.hook == .request
            ? machine.requestDecided(HTTPExchangeStateMachine.RequestVerdict(action))
            : machine.responseDecided(verdict(action))
        guard case .pause = next else { return perform(next) }
        goOn(after: action == .abort ? Microseconds(0) : waited.outcome.delay)
    }

    /// Passes the exchange on, since nobody has decided in time.
    private func timeIsOver() {
        // A decision that was made just now is on its way to the loop.
        guard let waited = undecided, waited.board.remove(held.exchange.id) else { return }
        undecided = nil
        pass(.timeout, waited, endWait(waited))
    }

    /// Notes that the exchange ends, and waits no longer.
    func endUndecided() {
        guard let waited = undecided.take() else { return }
        waited.board.remove(held.exchange.id)
        note(.ended, .abort, after: endWait(waited))
    }

    private func pass(_ end: Pause.End, _ waited: UndecidedOutcome, _ wait: PauseWait) {
        note(end, waited.outcome.action, after: wait)
        goOn(after: waited.outcome.delay)
    }

    private func note(_ end: Pause.End, _ action: WireOutcome.Action, after wait: PauseWait) {
        guard let lane = lane as? any PausingLane else { return }
        lane.pass(end, action, &held.exchange, &held.context, after: wait)
    }

    /// Resumes the time limits, which exclude the time of a pause.
    private func endWait(_ waited: UndecidedOutcome) -> PauseWait {
        let time = clock.resumed(worker.loop.now)
        return PauseWait(waited.pause, for: time, after: waited.hook)
    }

    private func goOn(after delay: Microseconds) {
        client.link.askAgain(after: firstLook)
        server?.resumeReading()
        player?.schedule()
        if delay.count > 0 { pause(delay) } else { perform(machine.pauseOver()) }
    }
}

/// A reference to an exchange for a callback from another thread.
///
/// Unchecked, since the exchange belongs to the thread of its loop: only a task of the loop follows
/// the reference.
private struct ExchangeReference: @unchecked Sendable { weak var exchange: ProxyExchange? }
