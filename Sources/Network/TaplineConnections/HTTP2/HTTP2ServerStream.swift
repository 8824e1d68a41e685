// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineHTTP2
package import TaplineModel
internal import TaplineNet

/// A stream of a server's connection: one request and its response.
///
/// It holds its owner from `begin` until the stream is closed or released.
///
/// **Isolation**: the connection's loop.
package final class HTTP2ServerStream {
    private enum Content {
        /// There is none.
        case none
        /// As a body.
        case body
        /// As bytes of a tunnel, which may still come when the request has ended.
        case tunnel
    }

    private let connection: HTTP2ServerConnection
    private var stream: HTTP2Stream?
    private var owner: (any ServerLegOwner)?
    private var credit = HTTP2Credit()
    /// Limits the speed; `nil` if nothing does.
    private var pacing: HTTP2Pacing?
    /// A limit that was set before there was a stream.
    private var limit: Int?
    private var isPaused = false
    /// Limits how long the end of a tunnel or of an answered request waits for credit; `nil` if it
    /// does not wait.
    private var endLimit: HTTP2EndLimit?
    /// How the content of the response is read.
    private var content = Content.none
    /// The key of a WebSocket's handshake, which the server does not get; `nil` for other requests.
    private var webSocketKey: ByteString?
    /// When the request was sent, on the loop's clock.
    private var requestedAt: Int64 = 0
    private var isRequestEnded = false
    private var isResponseEnded = false
    /// Whether the connection has carried a stream before.
    package let isReused: Bool

    init(on connection: HTTP2ServerConnection, isReused: Bool) {
        self.connection = connection
        self.isReused = isReused
    }

    /// The route to the server.
    package var route: ServerRoute { connection.route }
    /// The address and port of the server.
    package var peerText: String { connection.socket.peerText }
    /// The number of the stream; `nil` before the request was sent.
    package var id: Int32? { stream?.id }
    /// Whether more of the request should be sent now; otherwise `serverDrained` follows.
    package var isWritable: Bool {
        pacing?.isEmpty ?? true && stream?.isWritable ?? true
    }
    /// The number of bytes of the request that wait to be sent.
    package var pendingBytes: Int {
        (stream?.pendingBytes ?? 0) + (pacing?.pendingBytes ?? 0)
    }
    /// The received bytes.
    package var receivedBytes: HTTP2StreamBytes { stream?.receivedBytes ?? HTTP2StreamBytes() }
    /// The sent bytes.
    package var sentBytes: HTTP2StreamBytes { stream?.sentBytes ?? HTTP2StreamBytes() }

    // MARK: The request

    /// Starts the exchange, whose request is sent next.
    package func begin(_ owner: any ServerLegOwner) { self.owner = owner }

    /// Sends the head of the request; it is the whole request if `ends`.
    package func send(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        ends: Bool
    ) throws(HTTPError) {
        try send(request, writing, ends: ends, connectProtocol: ByteString())
    }

    /// Whether the server offers WebSockets on its streams.
    package var acceptsWebSockets: Bool { connection.acceptsWebSockets }
    /// Whether the request opens a WebSocket.
    package var isWebSocket: Bool { webSocketKey != nil }

    /// Sends the handshake of a WebSocket; the owner gets a response that switches protocols.
    package func open(
        webSocket request: borrowing Request,
        _ writing: RequestWriting
    ) throws(HTTPError) {
        webSocketKey = request.fields.first("Sec-WebSocket-Key") ?? ByteString()
        let connect = WebSocketHandshake.streamRequest(request)
        let name = WebSocketHandshake.streamProtocol
        try send(connect, writing, ends: false, connectProtocol: name)
    }

    private func send(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        ends: Bool,
        connectProtocol: ByteString
    ) throws(HTTPError) {
        isRequestEnded = ends
        requestedAt = connection.socket.loop.now
        stream = try connection.request(
            request,
            writing,
            ends: ends,
            connectProtocol: connectProtocol,
            for: self
        )
        guard stream == nil else {
            if let limit { pace(bytesPerSecond: limit) }
            return
        }
        // Later, since the exchange is sending.
        connection.socket.loop.afterThisEvent { [self] in
            owner.take()?.received(.reset(.noStream, isUnprocessed: true))
        }
    }

    /// Sends content of the request.
    package func send(_ content: Span<UInt8>) {
        guard !content.isEmpty else { return }
        pacing?.send(content) ?? stream?.send(content: content)
    }

    /// Ends the request.
    package func end(_ trailers: FieldSection) throws(HTTPError) {
        guard !isRequestEnded else { return }
        isRequestEnded = true
        if let pacing {
            try pacing.end(trailers)
        } else {
            try stream?.end(trailers: trailers)
        }
    }

    /// Limits how fast the content of the request is sent from now on.
    package func pace(bytesPerSecond: Int) {
        guard let stream else {
            // There is no stream before the head is sent.
            limit = bytesPerSecond
            return
        }
        guard pacing == nil else { return }
        pacing = HTTP2Pacing(stream, bytesPerSecond: bytesPerSecond, on: connection.socket.loop) {
            [unowned self] in owner?.serverDrained()
        }
    }

    // MARK: The response

    /// Gives the server no credit for more of the response.
    package func pauseReading() { isPaused = true }

    /// Gives the server credit for what has arrived meanwhile.
    package func resumeReading() {
        isPaused = false
        stream?.consumed(credit.take())
    }

    /// Ends a tunnel after what was sent, without a speed limit, unless the server takes nothing of it
    /// for too long, and releases the exchange.
    package func close() {
        guard case .tunnel = content, let stream, !stream.isClosed else { return release() }
        owner = nil
        pacing?.flush()
        pacing = nil
        if !isRequestEnded { try? stream.end() }
        isRequestEnded = true
        // After the end that was not sent yet.
        if !isResponseEnded { stream.reset(.noError) }
        limitEnd(of: stream)
    }

    /// Resets the stream if the server takes nothing of what waits to be sent for too long.
    private func limitEnd(of stream: HTTP2Stream) {
        guard !stream.isClosed, !stream.hasSentEnd else { return }
        let loop = connection.socket.loop
        let ended = loop.now
        // Held until the stream is closed, which happens at the latest with its connection.
        endLimit = HTTP2EndLimit(stream, connection.idle, on: loop) { [connection] in
            stream.reset(.cancel)
            connection.gaveUp(requestedAt: ended)
        }
    }

    /// Whether no exchange waits for the stream.
    var isReleased: Bool { owner == nil }

    /// Releases the exchange; a stream that is not complete is reset.
    ///
    /// A server that has answered early gets the rest of a whole request, unless it takes nothing of
    /// it for too long, or the speed limit still holds back a part of it, which is dropped.
    package func release() {
        owner = nil
        let isHeldBack = pacing?.isEmpty == false
        pacing = nil
        isPaused = false
        guard let stream, !stream.isClosed else { return }
        stream.consumed(credit.take())
        if isResponseEnded, isRequestEnded, !isHeldBack { return limitEnd(of: stream) }
        stream.reset(.cancel)
        connection.gaveUp(requestedAt: requestedAt)
    }
}

extension HTTP2ServerStream: HTTP2StreamOwner {
    package func received(interim: consuming Response) { owner?.received(interim: interim) }

    package func received(_ head: consuming ResponseHead) {
        if let webSocketKey, head.becomesTunnel {
            content = .tunnel
            WebSocketHandshake.translate(&head.response, key: webSocketKey)
            owner?.received(head)
            return
        }
        content = head.framing.hasBody ? .body : .none
        // Noted before, so that a stream that ends normally is not reset.
        isResponseEnded = !head.framing.hasBody
        owner?.received(head)
    }

    package func received(content bytes: Span<UInt8>) {
        if case .tunnel = content {
            owner?.received(tunnel: bytes)
        } else {
            owner?.received(content: bytes)
        }
        let count = credit.received(bytes.count, isBlocked: isPaused)
        if count > 0 { stream?.consumed(count) }
    }

    package func ended(_ trailers: consuming FieldSection) {
        isResponseEnded = true
        switch content {
        // The response has ended with its head.
        case .none: break
        case .body: owner?.responseEnded(trailers)
        case .tunnel: owner?.received(.tunnelEnded)
        }
    }

    package func streamDrained() {
        if let pacing { pacing.advance() } else { owner?.serverDrained() }
    }

    package func malformed(_ error: HTTPError) { owner.take()?.received(.unreadable(error)) }

    package func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        pacing = nil
        endLimit = nil
        let failure = stream.map { connection.failure(of: $0, code) } ?? .reset(code)
        if let stream { connection.closed(stream.id) }
        guard let owner = owner.take() else { return }
        if isResponseEnded, case .tunnel = content {
            // The server takes no more of what the client may still send.
            return owner.received(.broken(connection.loss ?? .closedEarly))
        }
        guard !isResponseEnded else { return }
        if let loss = connection.loss, !isUnprocessed {
            // It would be no faster the second time.
            let isFinal = connection.isLate
            return owner.received(isFinal ? .reset(loss, isUnprocessed: false) : .broken(loss))
        }
        owner.received(.reset(failure, isUnprocessed: isUnprocessed))
    }
}

extension ExchangeFailure {
    /// Whether the server has done nothing with the request (RFC 9113 §8.7).
    package var isUnprocessed: Bool { code == Self.noStream.code }

    /// The server's connection has ended, or has no room, since it was chosen.
    static let noStream = ExchangeFailure(
        code: "refused_stream",
        message: "the server's connection accepts no more requests"
    )

    /// The server ends the connection, and has not processed the stream (RFC 9113 §6.8).
    static func unprocessed(_ code: HTTP2ErrorCode) -> ExchangeFailure {
        let reason = code == .noError ? "" : " with \(code)"
        return ExchangeFailure(
            code: noStream.code,
            message: "the server has ended the connection (GOAWAY\(reason)) without processing the "
                + "request"
        )
    }

    /// The server has reset the stream (RFC 9113 §5.4.2).
    static func reset(_ code: HTTP2ErrorCode) -> ExchangeFailure {
        ExchangeFailure(
            code: code == .refusedStream ? noStream.code : "stream_reset",
            message: "the server has reset the stream with \(code)"
        )
    }
}
