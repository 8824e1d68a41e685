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
    private let connection: HTTP2ServerConnection
    private var stream: HTTP2Stream?
    private var owner: (any ServerLegOwner)?
    private var credit = HTTP2Credit()
    /// Limits the speed; `nil` if nothing does.
    private var pacing: HTTP2Pacing?
    /// A limit that was set before there was a stream.
    private var limit: Int?
    private var isPaused = false
    private var hasBody = false
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
        isRequestEnded = ends
        requestedAt = connection.socket.loop.now
        stream = try connection.request(request, writing, ends: ends, for: self)
        guard stream == nil else {
            if let limit { pace(bytesPerSecond: limit) }
            return
        }
        // Later, since the exchange is sending.
        connection.socket.loop.afterThisEvent { [self] in
            owner.take()?.received(.reset(connection.loss ?? .closedEarly, isUnprocessed: true))
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

    /// Whether no exchange waits for the stream.
    var isReleased: Bool { owner == nil }

    /// Releases the exchange; a stream that is not complete is reset.
    package func release() {
        owner = nil
        pacing = nil
        isPaused = false
        guard let stream, !stream.isClosed else { return }
        stream.consumed(credit.take())
        guard !isResponseEnded || !isRequestEnded else { return }
        stream.reset(.cancel)
        connection.gaveUp(requestedAt: requestedAt)
    }
}

extension HTTP2ServerStream: HTTP2StreamOwner {
    package func received(interim: consuming Response) { owner?.received(interim: interim) }

    package func received(_ head: consuming ResponseHead) {
        hasBody = head.framing.hasBody
        // Noted before, so that a stream that ends normally is not reset.
        isResponseEnded = !hasBody
        owner?.received(head)
    }

    package func received(content: Span<UInt8>) {
        owner?.received(content: content)
        let count = credit.received(content.count, isBlocked: isPaused)
        if count > 0 { stream?.consumed(count) }
    }

    package func ended(_ trailers: consuming FieldSection) {
        isResponseEnded = true
        // Without a body, the response has ended with its head.
        if hasBody { owner?.responseEnded(trailers) }
    }

    package func streamDrained() {
        if let pacing { pacing.advance() } else { owner?.serverDrained() }
    }

    package func malformed(_ error: HTTPError) { owner.take()?.received(.unreadable(error)) }

    package func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        pacing = nil
        if let stream { connection.closed(stream.id) }
        guard let owner = owner.take(), !isResponseEnded else { return }
        if let loss = connection.loss, !isUnprocessed { return owner.received(.broken(loss)) }
        owner.received(.reset(.reset(code), isUnprocessed: isUnprocessed))
    }
}

extension ExchangeFailure {
    /// The server has reset the stream (RFC 9113 §5.4.2).
    static func reset(_ code: HTTP2ErrorCode) -> ExchangeFailure {
        ExchangeFailure(
            code: code == .refusedStream ? "refused_stream" : "stream_reset",
            message: "the server has reset the stream with \(code)"
        )
    }
}
