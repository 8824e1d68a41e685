// SPDX-License-Identifier: MIT

// Tunnels, and all events that end an exchange before its response is complete.
extension HTTPExchangeStateMachine {
    /// The tunnel is inspected: the client gets its response before there is a server, or continues
    /// with HTTP in a SOCKS tunnel through which nothing has passed.
    @inlinable @inline(__always)
    package mutating func intercepted() -> HTTPExchangeAction {
        switch state {
        case .connecting(.connect):
            state = .answering(.look)
            return .openTunnel
        case .tunnel(.open):
            state = .opened
            return .none
        case .ended: return .none
        default: return .impossible(.noTunnel)
        }
    }

    /// The owner does not read what the client sent in the tunnel.
    @inlinable @inline(__always)
    package mutating func passedThrough() -> HTTPExchangeAction {
        switch state {
        case .opened:
            state = .joining
            return .connect
        case .ended: return .none
        default: return .impossible(.notListening)
        }
    }

    /// A request has arrived in the tunnel, and is recorded instead of this exchange.
    @inlinable @inline(__always)
    package mutating func superseded() -> HTTPExchangeAction {
        switch state {
        case .opened:
            state = .ended
            return .abandon
        case .ended: return .none
        default: return .impossible(.notListening)
        }
    }

    /// The client has closed its tunnel without a request in it.
    @inlinable @inline(__always)
    package mutating func unused() -> HTTPExchangeAction {
        switch state {
        case .opened:
            state = .ended
            return .finish(HTTPExchangeAction.Ending(.completed, .close, .nothing))
        case .ended: return .none
        default: return .impossible(.notListening)
        }
    }

    /// The client sends no more, but may still read (RFC 9112 §9.6).
    @inlinable @inline(__always)
    package mutating func clientEnded() -> HTTPExchangeAction {
        switch state {
        case .tunnel(.open):
            state = .tunnel(.clientEnded)
            return .shutdown(.server)
        case .tunnel(.serverEnded): return endTunnel(first: .server)
        default: return .none
        }
    }

    /// The server sends no more before its response is complete.
    @inlinable @inline(__always)
    package mutating func serverEnded() -> HTTPExchangeAction {
        switch state {
        case .tunnel(.open):
            state = .tunnel(.serverEnded)
            return .shutdown(.client)
        case .tunnel(.clientEnded): return endTunnel(first: .client)
        case .tunnel(.serverEnded): return .none
        default: return serverClosed()
        }
    }

    /// The client has disconnected.
    @inlinable @inline(__always)
    package mutating func clientClosed() -> HTTPExchangeAction { cancelled() }

    /// The owner ends, and no longer waits.
    @inlinable @inline(__always)
    package mutating func stopped() -> HTTPExchangeAction { cancelled() }

    @inlinable @inline(__always)
    mutating func cancelled() -> HTTPExchangeAction {
        guard case .tunnel(let halves) = state else { return aborted() }
        return endTunnel(first: halves.first)
    }

    /// A hook closes the connection.
    @inlinable @inline(__always)
    package mutating func aborted() -> HTTPExchangeAction {
        if case .ended = state { return .none }
        return end(.cancelled, .reset)
    }

    /// The server has disconnected before its response was complete.
    @inlinable @inline(__always)
    package mutating func serverClosed() -> HTTPExchangeAction {
        switch state {
        case .awaiting(let upload, .repeatable):
            // What the server got of a body that goes on is held, and sent again.
            state = .connecting(upload.isSent ? .whole : .held)
            return .reconnect
        case .awaiting, .collectingResponse, .streaming, .tunnel, .answering(.bytes):
            return failed()
        case .responseHooks(_, let download), .responsePaused(_, let download, _),
            .responding(_, let download, _), .ending(_, let download), .written(_, let download):
            switch download {
            case .open, .switching: return failed()
            // The server's behaviour after its response does not matter.
            case .whole, .refused: return .none
            case .none: return .impossible(.noServer)
            }
        case .ended: return .none
        default: return .impossible(.noServer)
        }
    }

    /// A time limit has expired.
    @inlinable @inline(__always)
    package mutating func timeout() -> HTTPExchangeAction { failed() }

    /// A message cannot be read or written, is refused, or no connection can be made.
    @inlinable @inline(__always)
    package mutating func failed() -> HTTPExchangeAction {
        switch state {
        case .ended: return .none
        case .tunnel(let halves): return endTunnel(first: halves.first)
        // A part of the response was sent: only a reset shows that it is incomplete.
        case .streaming, .ending, .written, .opened, .joining: return end(.failed, .reset)
        default:
            let isWhole = isRequestWhole
            state = .ended
            return .refuse(
                HTTPExchangeAction.Ending(
                    .failed,
                    isWhole ? .keep : .close,
                    isRequestWhole: isWhole,
                    .nothing
                )
            )
        }
    }

    @inlinable @inline(__always)
    mutating func end(
        _ outcome: HTTPExchangeAction.Outcome,
        _ client: HTTPExchangeAction.ClientEnd
    ) -> HTTPExchangeAction {
        let isWhole = isRequestWhole
        let passed: HTTPExchangeAction.ResponseProgress =
            switch state {
            case .streaming, .ending, .written: .part
            default: .nothing
            }
        state = .ended
        return .finish(
            HTTPExchangeAction.Ending(outcome, client, isRequestWhole: isWhole, passed)
        )
    }

    @inlinable @inline(__always)
    mutating func endTunnel(first: HTTPExchangeAction.Side?) -> HTTPExchangeAction {
        state = .ended
        return .endTunnel(first: first)
    }
}

extension HTTPExchangeStateMachine.OpenDirections {
    /// The side that has ended its direction.
    @inlinable var first: HTTPExchangeAction.Side? {
        switch self {
        case .open: nil
        case .clientEnded: .client
        case .serverEnded: .server
        }
    }
}
