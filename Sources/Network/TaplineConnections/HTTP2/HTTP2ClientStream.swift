// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineHTTP2
package import TaplineModel
internal import TaplineNet

/// A stream of a client's connection: one request and its response.
///
/// ```
/// (held) ──▶ open ──▶ sending (the end of the response waits) ──▶ closed
///               sending ──▶ discarding (the request has not ended) ──▶ closed
///   any ──▶ released (the exchange has ended) ──▶ closed
/// ```
/// **Isolation**: the connection's loop.
package final class HTTP2ClientStream {
    private enum Phase {
        /// The exchange waits to begin.
        case held
        /// The response has not ended.
        case open
        /// The end of the response waits to be sent.
        case sending
        /// The exchange has ended with its response, and what is left of the request is discarded.
        case discarding
        /// The exchange has ended.
        case released
        /// The stream is closed.
        case closed
    }

    /// How the content of the request is read.
    private enum Reading {
        /// As a body.
        case body
        /// Bytes of a tunnel, which wait in `early` until it is open, without credit for more.
        case early(isEnded: Bool)
        /// As bytes of a tunnel.
        case tunnel
    }

    /// What has arrived of a request whose exchange waits to begin; a class, since it is rare and
    /// large.
    private final class HeldRequest {
        let head: RequestHead
        /// At most as much as a stream may send without credit.
        var content: [UInt8] = []
        /// The trailers; `nil` if the request is not complete.
        var trailers: FieldSection?

        init(_ head: consuming RequestHead) { self.head = head }
    }

    /// How long a client may take to end a request whose response it was sent; such a client may
    /// discard the response if the stream is reset at once.
    private static let maxDiscarding = Microseconds(1_000_000)

    private let stream: HTTP2Stream
    private unowned let connection: HTTP2ClientConnection
    private(set) var owner: (any ClientLegOwner)?
    private var phase = Phase.open
    private var held: HeldRequest?
    private var hasBody = false
    private var reading = Reading.body
    /// The bytes of a tunnel that is not open yet: at most as much as a stream may send without
    /// credit.
    ///
    /// Not in `reading`, since each append would copy them.
    private var early: [UInt8] = []
    private var isRequestWhole = false
    private var credit = HTTP2Credit()
    /// Limits the speed; `nil` if nothing does.
    private var pacing: HTTP2Pacing?
    private var timer: LoopTimer?
    /// Limits how long the end of a tunnel waits for credit; `nil` if it does not wait.
    private var endLimit: HTTP2EndLimit?
    /// Whether the connection has carried a stream before.
    package let isReused: Bool

    init(_ stream: HTTP2Stream, on connection: HTTP2ClientConnection, isReused: Bool) {
        self.stream = stream
        self.connection = connection
        self.isReused = isReused
    }

    func begin(_ owner: any ClientLegOwner, _ head: consuming RequestHead) {
        self.owner = owner
        hasBody = head.framing.hasBody
        if opensWebSocket { reading = .early(isEnded: false) }
        owner.received(head)
    }

    /// Keeps what arrives of the request, without credit for it, until `begin`.
    func hold(_ head: consuming RequestHead) {
        phase = .held
        held = HeldRequest(head)
    }

    /// Begins the exchange of a request that was held.
    func begin(_ owner: any ClientLegOwner) {
        guard phase == .held, let held = held.take() else { return }
        phase = .open
        begin(owner, held.head)
        if phase != .released, !held.content.isEmpty { deliver(held.content.span, to: owner) }
        requestUnblocked()
        if let trailers = held.trailers { ended(trailers) }
    }

    /// The number of the stream.
    package var id: Int32 { stream.id }
    /// Whether the request is the extended CONNECT of a WebSocket (RFC 8441).
    package var opensWebSocket: Bool {
        stream.connectProtocol.span.equalsIgnoringCase(WebSocketHandshake.streamProtocol.span)
    }
    /// The port that the client has connected to.
    package var localPort: UInt16? { connection.socket.localAddress?.port }
    /// The received bytes.
    package var receivedBytes: HTTP2StreamBytes { stream.receivedBytes }
    /// The sent bytes.
    package var sentBytes: HTTP2StreamBytes { stream.sentBytes }
    /// Whether the end of the response was sent.
    package var hasSentEnd: Bool { stream.hasSentEnd }
    /// Whether more of the response should be sent now; otherwise `clientDrained` follows.
    package var isWritable: Bool { pacing?.isEmpty ?? true && stream.isWritable }
    /// The number of bytes of the response that wait to be sent.
    package var pendingBytes: Int { stream.pendingBytes + (pacing?.pendingBytes ?? 0) }

    /// Calls `timeIsUp` of the owner after a time.
    package func askAgain(after time: Microseconds) {
        guard owner != nil else { return }
        let timer = timer ?? makeTimer()
        timer.arm(after: time)
        self.timer = timer
    }

    private func makeTimer() -> LoopTimer {
        // Unowned, since the timer ends with the stream.
        LoopTimer(on: connection.socket.loop) { [unowned self] in timeIsUp() }
    }

    private func timeIsUp() {
        if phase == .discarding { return endDiscarding() }
        if let time = owner?.timeIsUp() { timer?.arm(after: time) }
    }

    private func isBlocked(_ owner: any ClientLegOwner) -> Bool {
        if case .early = reading { true } else { owner.isRequestBlocked }
    }

    /// Lets the client send more of its request.
    package func requestUnblocked() {
        guard phase != .discarding else { return }
        if let owner, isBlocked(owner) { return }
        stream.consumed(credit.take())
    }

    // MARK: Sending

    /// Sends an interim response.
    package func send(_ interim: InterimResponse, via: ByteString?) throws(HTTPError) {
        try stream.send(interim: interim, via: via)
    }

    /// Sends the head of the response; it is the whole response if `ends`.
    package func send(
        _ response: borrowing Response,
        _ writing: ResponseWriting,
        ends: Bool
    ) throws(HTTPError) {
        try stream.send(response, writing, ends: ends)
        if ends { didEnd() }
    }

    /// Sends content of the response.
    package func send(_ content: Span<UInt8>) {
        guard !content.isEmpty else { return }
        pacing?.send(content) ?? stream.send(content: content)
    }

    /// Ends the response; `sent` follows once the client has been sent all of it.
    package func end(_ trailers: FieldSection) throws(HTTPError) {
        guard phase == .open else { return }
        if let pacing {
            try pacing.end(trailers)
        } else {
            try stream.end(trailers: trailers)
        }
        didEnd()
    }

    private func didEnd() {
        guard phase == .open else { return }
        phase = .sending
        // The two directions of a tunnel end independently.
        if !isRequestWhole, !isTunnel { connection.endsEarly(self) }
    }

    private var isTunnel: Bool {
        if case .tunnel = reading { true } else { false }
    }

    /// Forwards the content as bytes of a tunnel from now on.
    package func becomeTunnel() {
        guard case .early(let isEnded) = reading else { return }
        reading = .tunnel
        let bytes = exchange(&early, with: [])
        if !bytes.isEmpty { _ = owner?.received(tunnel: bytes.span) }
        requestUnblocked()
        if isEnded { owner?.received(.tunnelEnded) }
    }

    /// Whether the end of an early response was sent, or the stream ends in another way.
    var isEarlyOver: Bool { isRequestWhole || stream.isClosed || stream.hasSentEnd }

    /// Ends the exchange once the end of an early response was sent (RFC 9113 §8.1).
    ///
    /// The stream stays open for the client to end its request, without credit for more of it.
    func discardRequest() {
        guard phase == .sending, !isRequestWhole, !stream.isClosed else { return }
        phase = .discarding
        owner?.received(.sent)
        guard phase == .discarding else { return }
        guard !connection.isLeaving else { return endDiscarding() }
        let timer = timer ?? makeTimer()
        timer.arm(after: min(Self.maxDiscarding, connection.idle))
        self.timer = timer
    }

    /// Resets a stream whose request is still being discarded.
    func endDiscarding() {
        if phase == .discarding { stream.reset(.noError) }
    }

    /// Limits how fast the content of the response is sent from now on.
    package func pace(bytesPerSecond: Int) {
        guard pacing == nil else { return }
        pacing = HTTP2Pacing(stream, bytesPerSecond: bytesPerSecond, on: connection.socket.loop) {
            [unowned self] in owner?.clientDrained()
        }
    }

    // MARK: The end

    /// Whether no exchange waits for the stream.
    var isReleased: Bool {
        switch phase {
        case .held, .open, .sending: false
        case .discarding, .released, .closed: true
        }
    }

    /// Notes the end of the exchange; a tunnel ends after what was sent, without a speed limit, unless
    /// the client takes nothing of it for too long.
    package func exchangeEnded() {
        let endsTunnel = isTunnel && phase != .closed
        let hasEnded = phase != .open
        if endsTunnel { pacing?.flush() }
        release()
        guard endsTunnel else { return }
        if !hasEnded { try? stream.end() }
        if !isRequestWhole { stream.reset(.noError) }
        guard !stream.isClosed, !stream.hasSentEnd else { return }
        // Held until the stream is closed, which happens at the latest with its connection.
        endLimit = HTTP2EndLimit(stream, connection.idle, on: connection.socket.loop) {
            [connection, stream] in connection.abort(stream, .cancel)
        }
    }

    /// Ends the exchange at once, so that the client sees an error.
    package func abort(_ code: HTTP2ErrorCode = .internalError) {
        release()
        if !stream.isClosed { connection.abort(stream, code) }
    }

    private func release() {
        timer = nil
        pacing = nil
        guard phase != .closed, phase != .discarding else { return }
        phase = .released
        stream.consumed(credit.take())
    }
}

extension HTTP2ClientStream: HTTP2StreamOwner {
    package func received(interim: consuming Response) {}
    package func received(_ head: consuming ResponseHead) {}

    package func received(content: Span<UInt8>) {
        if phase == .held {
            held?.content.append(copying: content)
            _ = credit.received(content.count, isBlocked: true)
            return connection.held(content.count)
        }
        guard phase != .discarding else { return }
        guard phase != .released, let owner else { return stream.consumed(content.count) }
        deliver(content, to: owner)
        let count = credit.received(content.count, isBlocked: isBlocked(owner))
        if count > 0 { stream.consumed(count) }
    }

    private func deliver(_ content: Span<UInt8>, to owner: any ClientLegOwner) {
        switch reading {
        case .body: owner.received(content: content)
        case .early: early.append(copying: content)
        case .tunnel: _ = owner.received(tunnel: content)
        }
    }

    package func ended(_ trailers: consuming FieldSection) {
        isRequestWhole = true
        if phase == .held {
            held?.trailers = trailers
            return
        }
        guard !isReleased else { return }
        switch reading {
        // Without a body, the request has ended with its head.
        case .body: if hasBody { owner?.requestEnded(trailers) }
        case .early: reading = .early(isEnded: true)
        case .tunnel: owner?.received(.tunnelEnded)
        }
    }

    package func streamDrained() {
        if let pacing {
            pacing.advance()
        } else if !isReleased {
            owner?.clientDrained()
        }
    }

    package func malformed(_ error: HTTPError) {
        if phase == .held, let held = held.take() {
            phase = .open
            owner = connection.owner(ofRefused: self)
            owner?.received(.refused(held.head, error))
            return
        }
        if !isReleased { owner?.received(.failed(ExchangeFailure(error))) }
    }

    package func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        let former = phase
        phase = .closed
        timer = nil
        pacing = nil
        endLimit = nil
        connection.closed(self)
        let owner = owner.take()
        switch former {
        case .sending where code == .noError && stream.hasSentEnd: owner?.received(.sent)
        case .open, .sending:
            owner?.received(connection.violation.map(ClientLeg.Event.failed) ?? .gone)
        case .held, .discarding, .released, .closed: break
        }
        owner?.closed(withinHandshake: nil)
    }
}
