// SPDX-License-Identifier: MIT

// The request on its way to the server.
extension HTTPExchangeStateMachine {
    /// The request may pass.
    ///
    /// - Parameters:
    ///   - wantedBody: How many bytes of the body hooks want to see; 0 if none.
    ///   - expectsContinue: Whether the client waits for 100 before it sends the body.
    /// - Returns: `runRequestHooks`, or `none` if hooks wait for the body.
    @inlinable @inline(__always)
    package mutating func requestHead(
        wantedBody: Int,
        expectsContinue: Bool
    ) -> HTTPExchangeAction {
        switch state {
        case .begun(.open) where wantedBody > 0:
            state = .collecting(room: wantedBody)
            return expectsContinue ? .askForBody : .none
        case .begun(let inbound):
            state = .requestHooks(inbound)
            return .runRequestHooks(inbound.isWhole ? .none : .head)
        case .ended: return .none
        default: return .impossible(.headPassed)
        }
    }

    /// Content of the request arrived, or bytes of a tunnel from the client.
    @inlinable @inline(__always)
    package mutating func requestBody(_ count: Int) -> HTTPExchangeAction {
        switch state {
        case .collecting(let room):
            if count <= room {
                state = .collecting(room: room - count)
                return .hold
            }
            state = .requestHooks(.held)
            return .runRequestHooks(.part)
        case .requestHooks(let inbound) where !inbound.isWhole:
            state = .requestHooks(.held)
            return .hold
        case .requestPaused(let inbound, let verdict) where !inbound.isWhole:
            state = .requestPaused(.held, verdict)
            return .hold
        case .connecting(let inbound) where !inbound.isWhole:
            state = .connecting(.held)
            return .hold
        case .awaiting(let upload, _), .collectingResponse(let upload, _),
            .responseHooks(let upload, _), .responsePaused(let upload, _, _),
            .responding(let upload, _, _), .streaming(let upload), .ending(let upload, _),
            .written(let upload, _):
            return upload.content
        case .tunnel(let halves):
            if case .clientEnded = halves { return .impossible(.halfEnded) }
            return .pass
        case .begun(let inbound):
            return .impossible(inbound.isWhole ? .requestIsWhole : .headWaits)
        case .requestHooks, .requestPaused, .connecting: return .impossible(.requestIsWhole)
        case .answering, .opened, .joining: return .impossible(.tunnelIsClosed)
        case .ended: return .none
        }
    }

    /// The request is complete.
    @inlinable @inline(__always)
    package mutating func requestEnd() -> HTTPExchangeAction {
        switch state {
        case .collecting:
            state = .requestHooks(.whole)
            return .runRequestHooks(.whole)
        case .requestHooks(let inbound) where !inbound.isWhole:
            state = .requestHooks(.whole)
            return .none
        case .requestPaused(let inbound, let verdict) where !inbound.isWhole:
            state = .requestPaused(.whole, verdict)
            return .none
        case .connecting(let inbound) where !inbound.isWhole:
            state = .connecting(.whole)
            return .none
        case .awaiting(let upload, let attempt) where !upload.isSent:
            state = .awaiting(.sent, attempt)
            return upload.end
        case .collectingResponse(let upload, let room) where !upload.isSent:
            state = .collectingResponse(.sent, room: room)
            return upload.end
        case .responseHooks(let upload, let download) where !upload.isSent:
            state = .responseHooks(.sent, download)
            return upload.end
        case .responsePaused(let upload, let download, let verdict) where !upload.isSent:
            state = .responsePaused(.sent, download, verdict)
            return upload.end
        case .responding(let upload, let download, let isWhole) where !upload.isSent:
            state = .responding(.sent, download, isWhole: isWhole)
            return upload.end
        case .streaming(let upload) where !upload.isSent:
            state = .streaming(.sent)
            return upload.end
        case .ending(let upload, let download) where !upload.isSent:
            state = .ending(.sent, download)
            return upload.end
        case .written(let upload, let download) where !upload.isSent:
            state = .written(.sent, download)
            return upload.end
        case .begun(.open), .begun(.held): return .impossible(.headWaits)
        case .tunnel: return .impossible(.isTunnel)
        case .ended: return .none
        default: return .impossible(.requestIsWhole)
        }
    }

    /// The `request` hooks have run.
    ///
    /// - Parameters:
    ///   - verdict: The decision of the hooks.
    ///   - pauses: Whether the hooks have asked for a pause first.
    /// - Returns: `pause`, or the action for the verdict.
    @inlinable @inline(__always)
    package mutating func requestHooksDone(
        _ verdict: RequestVerdict,
        pauses: Bool = false
    ) -> HTTPExchangeAction {
        switch state {
        case .requestHooks(let inbound):
            if pauses {
                state = .requestPaused(inbound, verdict)
                return .pause
            }
            return carryOut(verdict, inbound)
        case .ended: return .none
        default: return .impossible(.noHooks)
        }
    }

    /// The pause of the hooks is over.
    @inlinable @inline(__always)
    package mutating func pauseOver() -> HTTPExchangeAction {
        switch state {
        case .requestPaused(let inbound, let verdict): return carryOut(verdict, inbound)
        case .responsePaused(let upload, let download, let verdict):
            return carryOut(verdict, upload, download)
        case .ended: return .none
        default: return .impossible(.noPause)
        }
    }

    /// Something else was decided while `request` hooks pause.
    package mutating func requestDecided(_ verdict: RequestVerdict) -> HTTPExchangeAction {
        switch state {
        case .requestPaused(let inbound, _):
            state = .requestPaused(inbound, verdict)
            return .pause
        case .ended: return .none
        default: return .impossible(.noPause)
        }
    }

    /// Something else was decided while `response` hooks pause.
    package mutating func responseDecided(_ verdict: ResponseVerdict) -> HTTPExchangeAction {
        switch state {
        case .responsePaused(let upload, let download, _):
            state = .responsePaused(upload, download, verdict)
            return .pause
        case .ended: return .none
        default: return .impossible(.noPause)
        }
    }

    @inlinable @inline(__always)
    mutating func carryOut(
        _ verdict: RequestVerdict,
        _ inbound: RequestProgress
    ) -> HTTPExchangeAction {
        switch verdict {
        case .forward:
            state = .connecting(inbound)
            return .connect
        case .respond:
            state = .responseHooks(inbound.isWhole ? .sent : .dropping, .none)
            return .runResponseHooks(.made)
        case .abort: return aborted()
        }
    }

    /// A recording answers in place of the server, as a hook may do.
    ///
    /// - Parameter pauses: Whether the answer waits as long as the recorded one.
    /// - Returns: `pause`, or the action that runs the `response` hooks.
    @inlinable @inline(__always)
    package mutating func answered(pauses: Bool) -> HTTPExchangeAction {
        switch state {
        case .connecting(.connect): return .impossible(.notConnecting)
        case .connecting(let inbound):
            if pauses {
                state = .requestPaused(inbound, .respond)
                return .pause
            }
            return carryOut(.respond, inbound)
        case .ended: return .none
        default: return .impossible(.notConnecting)
        }
    }

    /// A connection to the server is open.
    ///
    /// - Parameters:
    ///   - mayRepeat: Whether the connection was kept, so that the request may be sent again if the
    ///     connection turns out to be stale (RFC 9110 §9.2.2, RFC 9112 §9.3.1).
    ///   - hasBody: Whether the request has a complete body, from the client or from a hook, which
    ///     is sent with its head.
    /// - Returns: `sendRequest`, or the action that opens a tunnel.
    @inlinable @inline(__always)
    package mutating func serverConnected(
        mayRepeat: Bool = false,
        hasBody: Bool = false
    ) -> HTTPExchangeAction {
        switch state {
        case .connecting(.connect):
            state = .answering(.bytes)
            return .openTunnel
        case .connecting(let inbound):
            let upload: Upload = inbound.isWhole ? .sent : hasBody ? .dropping : .sending
            state = .awaiting(upload, mayRepeat ? .repeatable : .final(interims: 0))
            return .sendRequest(ends: inbound.isWhole || hasBody)
        case .joining:
            state = .tunnel(.open)
            return .passBytes
        case .ended: return .abandonServer
        default: return .impossible(.notConnecting)
        }
    }
}

extension HTTPExchangeStateMachine.Upload {
    /// The action for content.
    @inlinable var content: HTTPExchangeAction {
        switch self {
        case .sending: .send
        case .dropping: .drop
        case .sent: .impossible(.requestIsWhole)
        }
    }

    /// The action for the end of the content.
    @inlinable var end: HTTPExchangeAction {
        if case .sending = self { .endRequest } else { .none }
    }
}
