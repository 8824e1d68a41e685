// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineHTTP2
package import TaplineModel
package import TaplineNet

/// Handles the streams of a client's connection.
///
/// A connection holds its owner until it has closed.
///
/// **Isolation**: the connection's loop.
package protocol HTTP2ClientOwner: AnyObject {
    /// Whether new streams have to wait; the owner later calls `goOn`.
    var holdsBack: Bool { get }
    /// Notes the head of the first request, whose stream may have to wait or be refused.
    func requestArrived()
    /// Notes that new streams wait because of `holdsBack`.
    func streamsWait()
    /// Makes the owner of a new stream, whose head follows.
    func owner(of stream: HTTP2ClientStream) -> any ClientLegOwner
    /// Handles a request that was refused, since it is malformed.
    func refusedStream(_ id: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes)
    /// Handles the end of the connection, after the end of its streams; called once, last.
    func connectionClosed(_ end: HTTP2ClientConnection.End)
}

/// A client's connection that uses HTTP/2: each stream is an exchange.
///
/// **Isolation**: the connection's loop.
package final class HTTP2ClientConnection {
    /// How a connection has ended.
    package enum End {
        /// The client has closed it, perhaps with an error.
        case left(NetError?)
        /// It was closed because of what the client sent.
        case violated(ExchangeFailure)
        /// It was closed for another reason.
        case closed
    }

    /// Whether the connection is being ended.
    private enum Draining {
        case no
        /// It waits for its first stream, and for this long without any once that has ended.
        case awaitsStream(Microseconds)
        /// The client was told to open no more streams; one more GOAWAY names the last one, once
        /// the client has answered or after this time without a stream (RFC 9113 §6.8).
        case announced(Microseconds)
    }

    /// How much content of requests that wait to begin is read; more has to wait in the socket.
    private static let maxHeld = 1 << 20

    package let socket: TCPConnection
    private let session: HTTP2Session
    private let output: HTTP2Output
    private let keepAlive: Microseconds
    /// How long the end of a tunnel may wait for credit, and that of a request that is discarded.
    let idle: Microseconds
    private var owner: (any HTTP2ClientOwner)?
    private var streams: [Int32: HTTP2ClientStream] = [:]
    /// The streams whose exchanges wait to begin, since the owner holds them back.
    private var waiting: [HTTP2ClientStream] = []
    /// The bytes of content that these have received.
    private var heldBytes = 0
    /// Whether the owner will call `goOn`.
    private var awaitsOwner = false
    /// Whether the client has ended its direction.
    private var hasClientLeft = false
    /// The streams whose response has ended before their request.
    private var early: [HTTP2ClientStream] = []
    private var draining = Draining.no
    /// The streams that are reset once the output that is possible was sent.
    private var aborted: [(HTTP2Stream, HTTP2ErrorCode)] = []
    private var timer: LoopTimer?
    /// The number of requests so far, including those that were refused.
    private var count = 0

    /// Makes a connection that reads after `begin`.
    ///
    /// - Parameters:
    ///   - socket: The connection.
    ///   - limits: Its limits.
    ///   - scheme: The scheme of its requests.
    ///   - keepAlive: How long it may have no stream.
    ///   - idle: How long the end of a tunnel may wait for credit, and that of a request that is
    ///     discarded.
    /// - Throws: `HTTP2Failure` if there is no memory.
    package init(
        _ socket: TCPConnection,
        _ limits: HTTP2Limits,
        scheme: ByteString,
        keepAlive: Microseconds,
        idle: Microseconds
    ) throws(HTTP2Failure) {
        self.socket = socket
        self.keepAlive = keepAlive
        self.idle = idle
        session = try HTTP2Session(.server, limits, scheme: scheme)
        output = HTTP2Output(session, socket)
    }

    /// Starts reading, with the bytes that were read already.
    package func begin(_ owner: any HTTP2ClientOwner, with bytes: Span<UInt8>) {
        self.owner = owner
        session.delegate = self
        socket.delegate = self
        output.moved = { [unowned self] in didMoveOutput() }
        // Unowned, since the timer ends with the connection.
        let timer = LoopTimer(on: socket.loop) { [unowned self] in timeIsUp() }
        timer.arm(after: keepAlive)
        self.timer = timer
        if socket.isReadingPaused { socket.resumeReading() }
        read(bytes)
        output.schedule()
    }

    /// The owners of the open streams.
    package var owners: [any ClientLegOwner] { streams.values.compactMap(\.owner) }

    /// Begins the exchanges that waited because of `holdsBack`.
    package func goOn() {
        awaitsOwner = false
        let held = exchange(&waiting, with: [])
        for (index, stream) in held.enumerated() {
            guard let owner else { return }
            guard !owner.holdsBack else {
                waiting = Array(held[index...])
                return waitForOwner(owner)
            }
            stream.begin(owner.owner(of: stream))
        }
        heldBytes = 0
        if socket.isReadingPaused { socket.resumeReading() }
    }

    /// Notes content of a request that waits to begin.
    func held(_ count: Int) {
        heldBytes &+= count
        if heldBytes > Self.maxHeld, !socket.isReadingPaused { socket.pauseReading() }
    }

    private func waitForOwner(_ owner: any HTTP2ClientOwner) {
        guard !awaitsOwner else { return }
        awaitsOwner = true
        owner.streamsWait()
    }

    /// Accepts no new streams, and closes once the last one has ended.
    ///
    /// A client that has opened none yet may still open its first ones.
    ///
    /// - Parameter grace: How long the connection may go without a stream meanwhile.
    package func drain(grace: Microseconds) {
        guard case .no = draining else { return }
        guard count == 0 else { return announceEnd(grace) }
        draining = .awaitsStream(grace)
        timer?.arm(after: grace)
    }

    private func announceEnd(_ grace: Microseconds) {
        draining = .announced(grace)
        session.shutdown()
        for stream in streams.values { stream.endDiscarding() }
        output.schedule()
        if streams.isEmpty { timer?.arm(after: grace) }
    }

    /// Whether the client was told to open no more streams.
    var isLeaving: Bool {
        if case .announced = draining { true } else { false }
    }

    /// How long the connection may have no stream.
    private var idleTime: Microseconds {
        switch draining {
        case .no: keepAlive
        case .awaitsStream(let grace), .announced(let grace): grace
        }
    }

    // MARK: Reading

    private func read(_ bytes: Span<UInt8>) {
        guard !bytes.isEmpty else { return }
        session.time = Int(clamping: socket.loop.now / 1_000_000)
        do throws(HTTP2Failure) {
            try session.receive(bytes)
        } catch {
            // The streams are closed; what is left is GOAWAY.
            output.close()
        }
        // The last stream may have ended by input, without any output.
        if session.isFinished { output.schedule() }
    }

    /// What the client did wrong, so that the connection ends; `nil` if nothing.
    var violation: ExchangeFailure? {
        guard let failure = session.failure, failure.code != .noError else { return nil }
        return ExchangeFailure(
            code: "malformed_request",
            message: failure.description,
            status: 400
        )
    }

    private func timeIsUp() {
        guard streams.isEmpty else { return }
        if case .awaitsStream(let grace) = draining { announceEnd(grace) } else { leave() }
    }

    private func leave() {
        session.goAway(.noError)
        output.close()
    }

    // MARK: Called by streams

    /// Notes that the response of a stream has ended before its request.
    func endsEarly(_ stream: HTTP2ClientStream) { early.append(stream) }

    /// Resets a stream after the output that is possible now, so that the client gets the part of the
    /// response that has arrived.
    func abort(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        aborted.append((stream, code))
        output.schedule()
        if !socket.isWritable {
            socket.loop.afterThisEvent { [weak self] in self?.resetIfStuck() }
        }
    }

    /// Ends the connection if its client takes nothing and no exchange is left: a reset of the last
    /// stream could not be sent.
    private func resetIfStuck() {
        guard !socket.isWritable, socket.isOpen, streams.values.allSatisfy(\.isReleased) else {
            return
        }
        socket.reset()
    }

    /// Makes the owner of a stream whose request has waited and is malformed.
    func owner(ofRefused stream: HTTP2ClientStream) -> (any ClientLegOwner)? {
        waiting.removeAll { $0 === stream }
        return owner?.owner(of: stream)
    }

    /// Forgets a stream that is closed.
    func closed(_ stream: HTTP2ClientStream) {
        streams[stream.id] = nil
        if !waiting.isEmpty { waiting.removeAll { $0 === stream } }
        if streams.isEmpty { timer?.arm(after: idleTime) }
    }

    private func didMoveOutput() {
        if !aborted.isEmpty {
            for (stream, code) in exchange(&aborted, with: []) { stream.reset(code) }
        }
        guard early.contains(where: \.isEarlyOver) else { return }
        // Taken, since the ends of exchanges may close the connection.
        let over = early.filter(\.isEarlyOver)
        early.removeAll(where: \.isEarlyOver)
        for stream in over { stream.discardRequest() }
    }
}

extension HTTP2ClientConnection: ConnectionDelegate {
    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        read(bytes)
    }

    package func connectionEndedInput(_ connection: TCPConnection) {
        hasClientLeft = true
        // A client that sends no more gives no more credit, and acknowledges nothing.
        session.connectionEnded(.cancel)
        connection.close()
    }

    package func connectionDrained(_ connection: TCPConnection) { output.move() }

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        timer = nil
        early = []
        aborted = []
        session.connectionEnded(.cancel)
        let hasLeft = hasClientLeft || error != nil
        let end = violation.map(End.violated) ?? (hasLeft ? .left(error) : .closed)
        owner.take()?.connectionClosed(end)
    }
}

extension HTTP2ClientConnection: HTTP2SessionDelegate {
    package func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {
        guard let owner else { return stream.reset(.refusedStream) }
        countRequest(owner)
        timer?.cancel()
        let opened = HTTP2ClientStream(stream, on: self, isReused: count > 1)
        streams[stream.id] = opened
        stream.owner = opened
        if case .awaitsStream(let grace) = draining { announceEnd(grace) }
        guard !waiting.isEmpty || owner.holdsBack else {
            return opened.begin(owner.owner(of: opened), head)
        }
        opened.hold(head)
        waiting.append(opened)
        waitForOwner(owner)
    }

    package func refused(_ stream: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes) {
        guard let owner else { return }
        countRequest(owner)
        owner.refusedStream(stream, error, received)
    }

    private func countRequest(_ owner: any HTTP2ClientOwner) {
        count += 1
        if count == 1 { owner.requestArrived() }
    }

    package func goingAway(lastStream: Int32, code: HTTP2ErrorCode) {}
    package func settingsChanged() {}
    package func hasOutput() { output.schedule() }
}
