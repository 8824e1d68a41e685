// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Decides what happens to one response on its way to the app: whether the app receives it, another
/// one or an error, and when.
///
/// ```
/// open ─▶ inHooks ─┬─▶ pausing ───────────────────▶ over    head and body reach the app together
///   │              ├─▶ streaming ──▶ pausingEnd ──▶ over    the head first, the body as it arrives
///   │              └─▶ aborting ──▶ aborted                 a stage aborts an unfinished response
///   └─▶ answering ────────────────────────────────▶ over    a stage has answered the redirected request
/// ```
/// **Shape**: a machine without I/O: each event returns one action, which its owner carries out. The
/// app is notified of the end once; events after it return `none`.
struct ResponseGate: ~Copyable {
    /// The way in which a response reaches the app, which determines what stages can change.
    enum Delivery: Sendable, Equatable, CaseIterable {
        /// A completion handler receives head and body together.
        case whole
        /// A completion handler receives a file, which Foundation removes afterwards: no delay is
        /// possible.
        case file
        /// The response is complete, but its body reaches the app another way.
        case unchangedWhole
        /// A delegate receives the head, and then the body as it arrives.
        case head
        /// The same, but the app's delegate takes no data, so the head cannot be changed.
        case unchangedHead
        /// A redirection that Foundation follows.
        case redirection

        /// Whether a stage can replace the response, or its head.
        var isReplaceable: Bool {
            switch self {
            case .whole, .file, .head: true
            case .unchangedWhole, .unchangedHead, .redirection: false
            }
        }

        /// Whether the rest of the response is still to come when the hooks run.
        var isUnfinished: Bool {
            switch self {
            case .head, .unchangedHead, .redirection: true
            case .whole, .file, .unchangedWhole: false
            }
        }
    }

    /// The error that the app receives instead of a response.
    enum Failure: Sendable, Equatable {
        /// A stage has aborted the exchange.
        case aborted
        /// A stage's delay exceeds the app's timeout.
        case timedOut
    }

    /// What the owner does.
    enum Action: Sendable, Equatable {
        case none
        /// Runs the response hooks, and reports their outcome.
        case runHooks
        /// Passes the head to the app, and the body as it arrives.
        case passHead
        /// The same with the head of a stage.
        case replaceHead(Response)
        /// Lets Foundation follow a redirection after a delay.
        case follow(after: Microseconds)
        /// Waits, and then reports that the pause is over.
        case pause(Microseconds)
        /// Passes the response, or its end if the app already has the rest.
        case deliver
        /// Passes a stage's response instead.
        case replace(Response)
        case fail(Failure)
        /// Passes nothing more, waits, and then reports that the abortion is due.
        case abort(after: Microseconds)
    }

    /// The outcome of the hooks, delayed.
    private enum Outcome {
        case pass
        case replace(Response)
        case fail(Failure)
    }

    private enum State {
        /// The hooks have not run.
        case open
        case inHooks
        /// A stage delays the response, of which the app has received nothing.
        case pausing(Outcome)
        /// The app has the head; a stage may delay the end.
        case streaming(delay: Microseconds, limit: Microseconds?)
        /// A stage delays the end.
        case pausingEnd(timesOut: Bool)
        /// A stage aborts the response, after a delay.
        case aborting(Failure)
        case aborted
        /// A stage has answered the request that a redirection leads to, and Foundation ends with the
        /// redirection.
        case answering(Response)
        case over
    }

    private var state = State.open

    /// Whether the app must not receive what Foundation loads.
    var dropsBody: Bool {
        switch state {
        case .aborting, .aborted, .answering: true
        case .open, .inHooks, .pausing, .streaming, .pausingEnd, .over: false
        }
    }

    /// Whether a stage aborts the response.
    var isAborting: Bool {
        switch state {
        case .aborting, .aborted: true
        default: false
        }
    }

    /// Whether the hooks have yet to run.
    var isOpen: Bool { if case .open = state { true } else { false } }

    // MARK: Hooks

    /// The hooks are about to run; returns whether they may.
    mutating func hooksBegin() -> Bool {
        guard case .open = state else { return false }
        state = .inHooks
        return true
    }

    /// The response hooks have run.
    ///
    /// - Parameters:
    ///   - step: What they want; a replacement only if the delivery allows it.
    ///   - delay: The delay that they want.
    ///   - delivery: How the response reaches the app.
    ///   - limit: The app's timeout, which a delay does not exceed.
    /// - Returns: What happens to the response now.
    mutating func hooksDone(
        _ step: ResponseStep,
        delay: Microseconds,
        _ delivery: Delivery,
        limit: Microseconds?
    ) -> Action {
        guard case .inHooks = state else { return .none }
        switch (delivery, step) {
        case (_, .abort) where delivery.isUnfinished: return abort(after: delay, limit: limit)
        case (.head, _), (.unchangedHead, _):
            state = .streaming(delay: delay, limit: limit)
            if case .replace(let head) = step { return .replaceHead(head) }
            return .passHead
        case (.redirection, _):
            state = .over
            return .follow(after: delay)
        case (.file, _): return finish(Self.outcome(of: step))
        case (.whole, _), (.unchangedWhole, _):
            guard delay.count > 0 else { return finish(Self.outcome(of: step)) }
            let (rest, timesOut) = Self.bounded(delay, limit)
            state = .pausing(timesOut ? .fail(.timedOut) : Self.outcome(of: step))
            return .pause(rest)
        }
    }

    /// A stage aborts the request before there is a response, while Foundation already loads it.
    mutating func abort(after delay: Microseconds, limit: Microseconds?) -> Action {
        switch state {
        case .aborting, .aborted, .over: return .none
        default: break
        }
        let (rest, timesOut) = Self.bounded(delay, limit)
        state = .aborting(timesOut ? .timedOut : .aborted)
        return .abort(after: rest)
    }

    /// A stage answers the request that a redirection leads to; Foundation is about to end with the
    /// redirection.
    mutating func answered(_ response: Response) {
        if case .open = state { state = .answering(response) }
    }

    // MARK: Times

    /// The pause of a response, or of its end, is over.
    mutating func pauseOver() -> Action {
        switch state {
        case .pausing(let outcome): return finish(outcome)
        case .pausingEnd(let timesOut): return finish(timesOut ? .fail(.timedOut) : .pass)
        default: return .none
        }
    }

    /// The delay before an abortion is over; returns the failure with which the owner now cancels the
    /// task.
    mutating func abortDue() -> Failure? {
        guard case .aborting(let failure) = state else { return nil }
        state = .aborted
        return failure
    }

    // MARK: The end

    /// Foundation has loaded the whole response.
    mutating func responseEnded() -> Action {
        switch state {
        case .open: return .runHooks
        case .streaming(let delay, let limit):
            guard delay.count > 0 else { return finish(.pass) }
            let (rest, timesOut) = Self.bounded(delay, limit)
            state = .pausingEnd(timesOut: timesOut)
            return .pause(rest)
        case .answering(let response): return finish(.replace(response))
        case .inHooks, .pausing, .pausingEnd, .aborting, .aborted, .over: return .none
        }
    }

    /// The exchange has failed, or the app has cancelled it; an abortion that is under way keeps its
    /// error.
    mutating func close() {
        if !isAborting { state = .over }
    }

    private mutating func finish(_ outcome: Outcome) -> Action {
        state = .over
        switch outcome {
        case .pass: return .deliver
        case .replace(let response): return .replace(response)
        case .fail(let failure): return .fail(failure)
        }
    }

    private static func outcome(of step: ResponseStep) -> Outcome {
        switch step {
        case .pass: .pass
        case .replace(let response): .replace(response)
        case .abort: .fail(.aborted)
        }
    }

    /// Returns a delay within the app's timeout, and whether it was longer.
    private static func bounded(
        _ delay: Microseconds,
        _ limit: Microseconds?
    ) -> (delay: Microseconds, timesOut: Bool) {
        guard let limit, delay > limit else { return (delay, false) }
        return (limit, true)
    }
}
