// SPDX-License-Identifier: MIT

/// Decides what follows from an event of one request that is sent to a server.
///
/// ```
/// hooks ─▶ pausing ─▶ connecting ─▶ head ─▶ body ─▶ answered ─▶ pausing ─▶ ended
///             └────────── a stage answered ───────────▲
/// head ─▶ switched ─▶ pausing ─▶ conversing ─▶ ended                   a WebSocket
/// ```
/// Any state but `ended` ends when the exchange fails or is stopped.
struct SendingStateMachine: ~Copyable {
    /// What is done next.
    enum Action: Equatable {
        case none
        /// Wait for as long as a hook has asked.
        case pause
        /// Find a connection to the server.
        case connect
        /// Write the request.
        case send
        /// Close a connection, which nobody needs any more.
        case abandonServer
        /// Keep content of the response.
        case keep
        /// Run the `response` hooks.
        case runResponseHooks
        /// Send and receive the messages of a WebSocket.
        case converse
        /// Record the exchange.
        case finish(Ending)
    }

    /// How the exchange ended.
    enum Ending: Equatable {
        case completed
        case failed
        /// A hook has aborted it.
        case aborted
        /// The run has stopped.
        case stopped
    }

    /// What the hooks want.
    enum Verdict {
        case forward
        case respond
        case abort
    }

    private enum State {
        /// The `request` hooks run.
        case hooks
        /// It waits for as long as a `request` hook has asked, then does this.
        case pausingRequest(Verdict)
        case connecting
        /// The request is sent.
        case head
        case body
        /// The `response` hooks run.
        case answered
        /// It waits for as long as a `response` hook has asked, then does this.
        case pausingResponse(Verdict)
        /// The server has opened a WebSocket; the `response` hooks run.
        case switched
        /// It waits for as long as a `response` hook has asked, then does this.
        case pausingSwitch(Verdict)
        /// Messages are sent and received.
        case conversing
        case ended
    }

    private var state = State.hooks
    /// How often the request may be sent again.
    private var retries: Int
    /// How often the request may be sent again after a server has refused to process it, which is
    /// safe with any method.
    private var refusals = 2
    /// Whether the request, or a stage's answer, has taken the place of its sending.
    private(set) var wasSent = false

    init(retries: Int) { self.retries = retries }

    /// Whether the exchange has ended.
    var isEnded: Bool {
        if case .ended = state { true } else { false }
    }

    /// The `request` hooks have run.
    mutating func requestHooksDone(_ verdict: Verdict, pauses: Bool) -> Action {
        guard case .hooks = state else { return .none }
        guard !pauses else {
            state = .pausingRequest(verdict)
            return .pause
        }
        return afterRequestHooks(verdict)
    }

    private mutating func afterRequestHooks(_ verdict: Verdict) -> Action {
        switch verdict {
        case .forward:
            state = .connecting
            return .connect
        case .respond:
            wasSent = true
            state = .answered
            return .runResponseHooks
        case .abort: return end(.aborted)
        }
    }

    /// The requested time has passed.
    mutating func pauseOver() -> Action {
        switch state {
        case .pausingRequest(let verdict): afterRequestHooks(verdict)
        case .pausingResponse(let verdict): end(verdict == .abort ? .aborted : .completed)
        case .pausingSwitch(let verdict): afterSwitch(verdict)
        default: .none
        }
    }

    /// A connection to the server is open.
    mutating func connected() -> Action {
        guard case .connecting = state else { return .abandonServer }
        state = .head
        return .send
    }

    /// The request is being written.
    @discardableResult
    mutating func written() -> Action {
        if case .head = state { wasSent = true }
        return .none
    }

    /// The head of the response has arrived.
    mutating func headReceived(hasBody: Bool) -> Action {
        guard case .head = state else { return .none }
        state = hasBody ? .body : .answered
        return hasBody ? .none : .runResponseHooks
    }

    /// The response opens a WebSocket.
    mutating func switched() -> Action {
        guard case .head = state else { return .none }
        state = .switched
        return .runResponseHooks
    }

    private mutating func afterSwitch(_ verdict: Verdict) -> Action {
        switch verdict {
        case .forward:
            state = .conversing
            return .converse
        // A hook has answered in place of the server.
        case .respond: return end(.completed)
        case .abort: return end(.aborted)
        }
    }

    /// The WebSocket was closed.
    mutating func conversationEnded() -> Action {
        guard case .conversing = state else { return .none }
        return end(.completed)
    }

    /// A hook has asked to close the WebSocket.
    mutating func conversationAborted() -> Action {
        guard case .conversing = state else { return .none }
        return end(.aborted)
    }

    /// Content of the response has arrived.
    mutating func contentReceived() -> Action {
        if case .body = state { .keep } else { .none }
    }

    /// The response has ended.
    mutating func responseEnded() -> Action {
        guard case .body = state else { return .none }
        state = .answered
        return .runResponseHooks
    }

    /// The `response` hooks have run.
    mutating func responseHooksDone(_ verdict: Verdict, pauses: Bool) -> Action {
        switch state {
        case .answered:
            guard !pauses else {
                state = .pausingResponse(verdict)
                return .pause
            }
            return end(verdict == .abort ? .aborted : .completed)
        case .switched:
            guard !pauses else {
                state = .pausingSwitch(verdict)
                return .pause
            }
            return afterSwitch(verdict)
        default: return .none
        }
    }

    /// The server cannot be reached, or its response is not complete.
    ///
    /// - Parameter isFinal: Whether it is not tried again.
    /// - Returns: Whether it is tried again, or how it ends.
    mutating func failed(isFinal: Bool = false) -> Action {
        switch state {
        case .connecting, .head, .body:
            guard retries > 0, !isFinal else { return end(.failed) }
            retries -= 1
            state = .connecting
            return .connect
        case .hooks, .pausingRequest, .switched, .pausingSwitch, .conversing:
            return end(.failed)
        // The response is complete.
        case .answered, .pausingResponse, .ended: return .none
        }
    }

    /// The server has certainly done nothing with the request (RFC 9113 §8.7).
    mutating func refused() -> Action {
        guard case .head = state, refusals > 0 else { return failed() }
        refusals -= 1
        state = .connecting
        return .connect
    }

    /// The run does not wait for the exchange any longer.
    mutating func stopped() -> Action {
        if case .ended = state { return .none }
        return end(.stopped)
    }

    private mutating func end(_ ending: Ending) -> Action {
        state = .ended
        return .finish(ending)
    }
}
