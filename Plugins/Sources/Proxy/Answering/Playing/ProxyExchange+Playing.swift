// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// WebSockets and event streams that a recording answers, message by message.
///
/// For the state machine, the recording is a server: it answers with a head, and sends bytes.
extension ProxyExchange {
    /// Answers with a recorded conversation.
    ///
    /// - Parameters:
    ///   - conversation: What the server sent.
    ///   - answer: The recorded exchange, whose response the exchange has.
    ///   - wait: How long the head of the response waits.
    ///   - factor: The factor of the recorded distances between messages.
    func play(
        _ conversation: RecordedConversation,
        _ answer: RecordedAnswer,
        after wait: Microseconds,
        _ factor: Double
    ) {
        let isWebSocket = conversation.medium == .webSocket
        if isWebSocket {
            guard let recorded = held.exchange.response,
                WebSocketHandshake.isRequested(by: held.exchange.request),
                let opening = WebSocketHandshake.response(
                    like: recorded,
                    to: held.exchange.request
                )
            else { return answerWithoutHandshake() }
            held.exchange.response = opening
        } else {
            held.exchange.response?.becomeStream()
        }
        let response = held.exchange.response.take()
        guard let response, case .sendRequest = machine.serverConnected() else { return }
        clock.requestSent = worker.loop.now
        player = AnswerPlayer(conversation, factor: factor, for: self)
        guard wait.count > 0 else { return begin(response, isWebSocket: isWebSocket) }
        clock.lastActive = worker.loop.now &+ wait.count
        let timer = LoopTimer(on: worker.loop) { [unowned self] in
            begin(response, isWebSocket: isWebSocket)
        }
        timer.arm(after: wait)
        delayTimer = timer
    }

    /// Handles the head of the recorded response, like the head from a server.
    private func begin(_ response: Response, isWebSocket: Bool) {
        guard !machine.isEnded else { return }
        clock.responseCame(worker.loop.now)
        held.exchange.response = response
        if isWebSocket {
            self.response.framing = .none
            tunnel = Tunnel(agreed: response)
            return perform(machine.responseHead(.switches), because: .earlySwitch)
        }
        self.response.framing = .chunked
        perform(machine.responseHead(.body(wanted: wantedBody(of: .response))))
        player?.opened()
    }

    /// Answers a request that opens no WebSocket, although the recorded one did (RFC 9110 §15.5.22).
    func answerWithoutHandshake() {
        var page = Response.page(426, "this request was recorded as the handshake of a WebSocket\n")
        page.fields.set("Upgrade", to: "websocket")
        page.frame(answering: held.exchange.request.method)
        held.exchange.response = page
        perform(machine.answered(pauses: false))
    }
}

extension Response {
    /// Removes the body and the fields that describe it, since it follows as a stream.
    fileprivate mutating func becomeStream() {
        body = Body()
        fields.removeAll("Content-Length")
        fields.removeAll("Content-Encoding")
    }
}

extension Request {
    /// The request as a server sees it: browsers record the schemes `ws` and `wss` (RFC 6455 §3).
    var withHTTPScheme: Request {
        let isSecure = scheme.span.equals("wss")
        guard isSecure || scheme.span.equals("ws") else { return self }
        var request = self
        request.scheme = isSecure ? "https" : "http"
        return request
    }
}
