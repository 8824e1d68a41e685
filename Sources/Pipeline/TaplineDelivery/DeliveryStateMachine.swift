// SPDX-License-Identifier: MIT

/// The states of one request that is sent to a server.
///
/// ```
/// connecting ─▶ waiting ─┬─▶ reading ─▶ ended
///      ▲           │     └────────────▶ ended
///      └───────────┘ a kept connection was closed before the response began
/// ```
/// Once the head of the response has arrived, its status is the result, whatever happens to the
/// rest: the server has decided.
struct DeliveryStateMachine: ~Copyable {
    /// What to do next.
    enum Action: Equatable {
        case none
        /// Open a new connection.
        case connect
        /// Send the request.
        case send
        /// Close the connection, which nobody waits for.
        case abandonServer
        /// Keep the content.
        case keep
        /// Report the end.
        case finish(Ending)
    }

    /// How the request ends.
    enum Ending: Equatable {
        /// With a response, all of which has arrived or not.
        case answered(isComplete: Bool)
        /// Without a response.
        case failed
    }

    private enum State {
        case connecting
        /// The request is sent; nothing of the response has arrived yet if it is `pristine`.
        case waiting(isReused: Bool, isPristine: Bool)
        /// The body of the response is read.
        case reading
        case ended
    }

    private var state = State.connecting
    private var interims = 0

    /// A connection is open, which may have carried other requests.
    mutating func connected(isReused: Bool) -> Action {
        guard case .connecting = state else { return .abandonServer }
        state = .waiting(isReused: isReused, isPristine: true)
        return .send
    }

    /// The first bytes of a response have arrived.
    mutating func responseBegan() -> Action {
        if case .waiting(let isReused, _) = state {
            state = .waiting(isReused: isReused, isPristine: false)
        }
        return .none
    }

    /// An interim response has arrived; at most `limit` may.
    mutating func interimReceived(limit: Int) -> Action {
        guard case .waiting = state else { return .none }
        interims += 1
        _ = responseBegan()
        return interims > limit ? end(.failed) : .none
    }

    /// The head of the response has arrived.
    mutating func headReceived(hasBody: Bool) -> Action {
        guard case .waiting = state else { return .none }
        guard hasBody else { return end(.answered(isComplete: true)) }
        state = .reading
        return .none
    }

    /// Content has arrived; `fits` if it is within the limit.
    mutating func contentReceived(fits: Bool) -> Action {
        guard case .reading = state else { return .none }
        return fits ? .keep : end(.answered(isComplete: false))
    }

    /// The response has ended.
    mutating func responseEnded() -> Action {
        guard case .reading = state else { return .none }
        return end(.answered(isComplete: true))
    }

    /// The server cannot be reached, or its connection is broken.
    ///
    /// A server may close a kept connection while the next request is on its way (RFC 9112 §9.3.1);
    /// that request is sent again at once, over a new connection.
    mutating func failed() -> Action {
        switch state {
        case .waiting(isReused: true, isPristine: true):
            state = .connecting
            return .connect
        case .connecting, .waiting: return end(.failed)
        case .reading: return end(.answered(isComplete: false))
        case .ended: return .none
        }
    }

    /// The time is over, or the client is closed: nothing is sent again.
    mutating func stopped() -> Action {
        switch state {
        case .connecting, .waiting: end(.failed)
        case .reading: end(.answered(isComplete: false))
        case .ended: .none
        }
    }

    private mutating func end(_ ending: Ending) -> Action {
        state = .ended
        return .finish(ending)
    }
}
