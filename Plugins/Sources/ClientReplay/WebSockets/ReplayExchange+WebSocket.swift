// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// Requests that open a WebSocket.
extension ReplayExchange {
    /// Whether the request asks for a WebSocket, also after the hooks.
    var asksForWebSocket: Bool {
        planned.recorded.client != nil && WebSocketHandshake.isRequested(by: held.exchange.request)
    }

    /// The time of a message in the record.
    var sinceBegun: Microseconds {
        Microseconds(max(EventLoop.clockNow() - times.begun, 0))
    }

    /// Sets the key of the handshake, which is another one for each connection (RFC 6455 §4.1).
    func setWebSocketKey() {
        guard asksForWebSocket else { return }
        let key = WebSocketHandshake.key(worker.ids.makeNonce().span)
        held.exchange.request.fields.set("Sec-WebSocket-Key".utf8.span, to: key.span)
    }

    /// Handles a 101 response, on which the hooks decide next.
    func switched() {
        guard let client = planned.recorded.client, let response = held.exchange.response else {
            return fail(.replaySwitched, isFinal: true)
        }
        if let failure = WebSocketHandshake.refusal(of: response, to: held.exchange.request) {
            return fail(failure, isFinal: true)
        }
        conversation = ReplayConversation(client, of: self)
        perform(machine.switched())
    }

    /// Sends messages from now on; the session goes on.
    func converse() {
        timer = nil
        times.opened = EventLoop.clockNow()
        held.exchange.timing.total = nil
        worker.opened(self)
        conversation?.open()
    }

    /// Ends the exchange, since the WebSocket was closed.
    func conversationEnded() {
        closeServer()
        perform(machine.conversationEnded())
    }

    /// Ends the exchange, since a hook has asked for that.
    func conversationAborted() {
        takeServer()?.abandon()
        perform(machine.conversationAborted())
    }

    /// Ends the exchange, since the WebSocket was not closed properly.
    func conversationFailed(_ failure: ExchangeFailure) {
        closeServer()
        fail(failure, isFinal: true)
    }

    /// Closes the connection once the server has the output.
    private func closeServer() { takeServer()?.close() }

    /// Adds what the conversation has kept to the record.
    func fillMessages() {
        guard let conversation else { return }
        conversation.finish()
        conversation.fill(&held.exchange)
        // The bytes of a stream are those of its frames.
        guard stream == nil else { return }
        bytes.up.body += conversation.bytesUp
        bytes.down.body = conversation.bytesDown
    }
}

extension ExchangeFailure {
    /// The server has not answered the close frame.
    static let replayUnclosed = ExchangeFailure(
        code: "timeout",
        message: "the server did not answer the close frame within 'message_timeout'"
    )

    /// The server takes no more messages.
    static let replayStalled = ExchangeFailure(
        code: "timeout",
        message: "the server took no bytes of the WebSocket's messages within 'timeout'"
    )

    /// The server ended a WebSocket without a close frame (RFC 6455 §7.1.5, code 1006).
    static let replayBrokenOff = ExchangeFailure(
        code: "closed_early",
        message: "the server ended the connection without closing the WebSocket"
    )
}
