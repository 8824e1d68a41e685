// SPDX-License-Identifier: MIT

// The response on its way to the client.
extension HTTPExchangeStateMachine {
    /// A part of the response's head arrived.
    @inlinable @inline(__always)
    package mutating func responseBegun() -> HTTPExchangeAction {
        switch state {
        case .awaiting(let upload, .repeatable):
            state = .awaiting(upload, .final(interims: 0))
            return .none
        case .awaiting, .ended: return .none
        default: return .impossible(headless)
        }
    }

    /// An interim response arrived (RFC 9110 §15.2).
    @inlinable @inline(__always)
    package mutating func interimHead() -> HTTPExchangeAction {
        switch state {
        case .awaiting(let upload, let attempt):
            guard attempt.interims < maxInterim else { return failed() }
            state = .awaiting(upload, .final(interims: attempt.interims + 1))
            return .sendInterim
        case .ended: return .none
        default: return .impossible(headless)
        }
    }

    /// The head of the response arrived.
    @inlinable @inline(__always)
    package mutating func responseHead(_ kind: ResponseKind) -> HTTPExchangeAction {
        switch state {
        case .awaiting(let upload, _):
            switch kind {
            case .bodiless: state = .responseHooks(upload, .whole)
            case .switches:
                // The server would read the rest of the request as the other protocol.
                guard upload.isSent else { return failed() }
                state = .responseHooks(upload, .switching)
            case .body(let wanted):
                guard wanted == 0 else {
                    state = .collectingResponse(upload, room: wanted)
                    return .none
                }
                state = .responseHooks(upload, .open)
                return .runResponseHooks(.head)
            }
            return .runResponseHooks(.none)
        case .ended: return .none
        default: return .impossible(headless)
        }
    }

    /// Why no head of a response can arrive now.
    @inlinable @inline(__always)
    var headless: HTTPExchangeAction.Impossible {
        switch state {
        case .collectingResponse, .responseHooks, .responsePaused, .responding, .streaming, .ending,
            .written:
            .responseHasHead
        case .tunnel: .isTunnel
        default: .noServer
        }
    }

    /// Content of the response arrived, or bytes of a tunnel from the server.
    @inlinable @inline(__always)
    package mutating func responseBody(_ count: Int) -> HTTPExchangeAction {
        switch state {
        case .streaming: return .send
        case .collectingResponse(let upload, let room):
            if count <= room {
                state = .collectingResponse(upload, room: room - count)
                return .hold
            }
            state = .responseHooks(upload, .open)
            return .runResponseHooks(.part)
        case .responseHooks(_, let download), .responsePaused(_, let download, _),
            .responding(_, let download, _), .ending(_, let download), .written(_, let download):
            return download.content
        case .tunnel(let halves):
            if case .serverEnded = halves { return .impossible(.halfEnded) }
            return .pass
        case .awaiting: return .impossible(.noResponseHead)
        case .answering, .opened, .joining: return .impossible(.tunnelIsClosed)
        case .ended: return .none
        default: return .impossible(.noServer)
        }
    }

    /// The response is complete.
    @inlinable @inline(__always)
    package mutating func responseEnd() -> HTTPExchangeAction {
        switch state {
        case .streaming(let upload):
            state = .ending(upload, .whole)
            return .endResponse
        case .collectingResponse(let upload, _):
            state = .responseHooks(upload, .whole)
            return .runResponseHooks(.whole)
        case .responseHooks(let upload, .open):
            state = .responseHooks(upload, .whole)
            return .none
        case .responsePaused(let upload, .open, let verdict):
            state = .responsePaused(upload, .whole, verdict)
            return .none
        case .responding(let upload, .open, let isWhole):
            state = .responding(upload, .whole, isWhole: isWhole)
            return .none
        case .written(let upload, .open):
            state = .written(upload, .whole)
            return .none
        case .responseHooks(_, let download), .responsePaused(_, let download, _),
            .responding(_, let download, _), .ending(_, let download), .written(_, let download):
            if case .none = download { return .impossible(.noServer) }
            return .impossible(.responseIsWhole)
        case .awaiting: return .impossible(.noResponseHead)
        case .tunnel: return .impossible(.isTunnel)
        case .ended: return .none
        default: return .impossible(.noServer)
        }
    }

    /// The `response` hooks have run.
    ///
    /// - Parameters:
    ///   - verdict: The decision of the hooks.
    ///   - pauses: Whether the hooks have asked for a pause first.
    /// - Returns: `pause`, or the action for the verdict.
    @inlinable @inline(__always)
    package mutating func responseHooksDone(
        _ verdict: ResponseVerdict,
        pauses: Bool = false
    ) -> HTTPExchangeAction {
        switch state {
        case .responseHooks(let upload, let download):
            if pauses {
                state = .responsePaused(upload, download, verdict)
                return .pause
            }
            return carryOut(verdict, upload, download)
        case .ended: return .none
        default: return .impossible(.noHooks)
        }
    }

    @inlinable @inline(__always)
    mutating func carryOut(
        _ verdict: ResponseVerdict,
        _ upload: Upload,
        _ download: Download
    ) -> HTTPExchangeAction {
        var (rest, isWhole) = (download, true)
        switch (verdict, download) {
        case (.abort, _): return aborted()
        case (.switches, .switching):
            state = .answering(.bytes)
            return .switchProtocol
        case (.open, .switching): (rest, isWhole) = (.refused, false)
        case (_, .switching): rest = .refused
        case (.open, _): isWhole = false
        default: break
        }
        state = .responding(upload, rest, isWhole: isWhole)
        return .respond(isWhole: isWhole)
    }

    /// The end of the response was written, and is sent later; then `responseSent`.
    @inlinable @inline(__always)
    package mutating func responseWritten() -> HTTPExchangeAction {
        switch state {
        case .responding(let upload, let download, isWhole: true):
            state = .written(upload, download)
            return .none
        case .ending, .ended: return .none
        default: return .impossible(.nothingWritten)
        }
    }

    /// The output to the client was sent, or handed over to be sent.
    @inlinable @inline(__always)
    package mutating func responseSent() -> HTTPExchangeAction {
        switch state {
        case .responding(let upload, let download, isWhole: true),
            .written(let upload, let download):
            return complete(upload, download, .whole)
        case .responding(let upload, .open, isWhole: false):
            state = .streaming(upload)
            return .sendHeld(ends: false)
        case .responding(let upload, let download, isWhole: false):
            state = .ending(upload, download)
            return .sendHeld(ends: true)
        case .ending(let upload, let download): return complete(upload, download, .streamed)
        case .answering(.bytes):
            state = .tunnel(.open)
            return .passBytes
        case .answering(.look):
            state = .opened
            return .listen
        case .ended: return .none
        default: return .impossible(.nothingWritten)
        }
    }

    /// Ends the exchange, since the client's response is complete.
    ///
    /// If the request is incomplete, the server has responded early (RFC 9112 §9.5). The rest of
    /// the request is not read, so neither connection can be reused.
    @inlinable @inline(__always)
    mutating func complete(
        _ upload: Upload,
        _ download: Download,
        _ passed: HTTPExchangeAction.ResponseProgress
    ) -> HTTPExchangeAction {
        state = .ended
        let isWhole = upload.isSent
        let isClean = if case .whole = download { isWhole } else { false }
        return .finish(
            HTTPExchangeAction.Ending(
                .completed,
                isWhole ? .keep : .close,
                isServerClean: isClean,
                isRequestWhole: isWhole,
                passed
            )
        )
    }
}

extension HTTPExchangeStateMachine.Attempt {
    @inlinable var interims: Int {
        if case .final(let interims) = self { interims } else { 0 }
    }
}

extension HTTPExchangeStateMachine.Download {
    /// The action for content that arrives before the response is being sent to the client.
    @inlinable var content: HTTPExchangeAction {
        switch self {
        case .open, .switching: .hold
        case .none: .impossible(.noServer)
        case .whole, .refused: .impossible(.responseIsWhole)
        }
    }
}
