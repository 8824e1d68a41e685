// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineHTTP2
internal import TaplineModel
package import TaplineNet

/// A connection to a server that uses HTTP/2, and carries many exchanges at a time.
///
/// **Isolation**: the connection's loop.
package final class HTTP2ServerConnection {
    /// What is known of the server's settings.
    private enum Settings {
        /// They have not arrived.
        case awaited
        /// They have not arrived in time.
        case late
        case known
    }

    let socket: TCPConnection
    let route: ServerRoute
    private let session: HTTP2Session
    private let output: HTTP2Output
    /// The pool that offers its streams; `nil` once it accepts no more.
    private(set) weak var pool: HTTP2ServerPool?
    private var streams: [Int32: HTTP2ServerStream] = [:]
    private var count = 0
    /// The most streams of which none can use up the window of the others.
    private let maxStreams: Int
    private var settings = Settings.awaited
    private var timer: LoopTimer?
    /// How long the end of a tunnel or of an answered request may wait for credit.
    let idle: Microseconds
    /// When input last arrived, on the loop's clock.
    private var receivedAt: Int64
    /// When its last stream ended, on the loop's clock.
    private(set) var idleSince: Int64
    /// What the server's GOAWAY says; `nil` if it has sent none.
    private var goAway: (lastStream: Int32, code: HTTP2ErrorCode)?
    /// Why the connection has ended, unless the server has violated HTTP/2.
    private var end: ExchangeFailure?

    /// Takes over a connection.
    ///
    /// **Throws**: `HTTP2Failure` if there is no memory.
    init(
        _ leg: ServerLeg,
        _ limits: HTTP2Limits,
        _ timeouts: HTTP2ServerTimeouts,
        _ pool: HTTP2ServerPool
    ) throws(HTTP2Failure) {
        socket = leg.socket
        route = leg.route
        idle = timeouts.idle
        self.pool = pool
        idleSince = leg.socket.loop.now
        receivedAt = idleSince
        maxStreams = max(limits.connectionWindow / max(limits.streamWindow, 1), 1)
        session = try HTTP2Session(.client, limits, scheme: leg.route.origin.scheme)
        output = HTTP2Output(session, leg.socket)
        session.delegate = self
        socket.delegate = self
        socket.startReading()
        // Unowned, since the timer ends with the connection.
        let timer = LoopTimer(on: socket.loop) { [unowned self] in settingsAreLate() }
        timer.arm(after: timeouts.connect)
        self.timer = timer
        output.schedule()
    }

    /// Whether the server's settings have not arrived, so that it may accept a single stream only.
    var awaitsSettings: Bool { settings == .awaited }

    /// Whether the server's settings allow no streams, and never did: a server that winds the
    /// connection down does not refuse other ones.
    var allowsNoStreams: Bool { settings == .known && !hasAllowedStreams }
    private var hasAllowedStreams = false

    /// Whether the connection was given up, since the server's settings have not arrived in time.
    var isLate: Bool { settings == .late }

    /// Whether it can carry another exchange.
    var isUsable: Bool {
        pool != nil && loss == nil && !isLate && socket.isOpen && !socket.isInputEnded
            && streams.count < (awaitsSettings ? 1 : maxStreams) && session.acceptsStreams
    }

    /// Why the connection is lost; `nil` while it is not.
    var loss: ExchangeFailure? { session.failure.map { ExchangeFailure($0) } ?? end }

    /// Whether it can carry WebSockets (RFC 8441 §3).
    var acceptsWebSockets: Bool { !awaitsSettings && session.peerAcceptsExtendedConnect }

    /// Whether it carries no exchange.
    var isIdle: Bool { streams.isEmpty }

    /// Makes a stream, whose request is sent next.
    func makeStream() -> HTTP2ServerStream {
        count += 1
        return HTTP2ServerStream(on: self, isReused: count > 1)
    }

    /// Sends a request; with a protocol, it is an extended CONNECT.
    ///
    /// - Returns: Its stream; `nil` if the connection accepts none.
    func request(
        _ request: borrowing Request,
        _ writing: RequestWriting,
        ends: Bool,
        connectProtocol: ByteString,
        for owner: HTTP2ServerStream
    ) throws(HTTPError) -> HTTP2Stream? {
        guard loss == nil, socket.isOpen else { return nil }
        let stream = try session.request(
            request,
            writing,
            ends: ends,
            connectProtocol: connectProtocol
        )
        guard let stream else { return nil }
        stream.owner = owner
        streams[stream.id] = owner
        return stream
    }

    /// Returns why a stream has ended that was closed with a code, although the connection is not
    /// lost.
    func failure(of stream: HTTP2Stream, _ code: HTTP2ErrorCode) -> ExchangeFailure {
        // RFC 9113 §6.8: streams after the last one were not processed.
        guard code == .refusedStream, let goAway, stream.id > goAway.lastStream else {
            return .reset(code)
        }
        return .unprocessed(goAway.code)
    }

    /// Forgets a stream that is closed.
    func closed(_ id: Int32) {
        streams[id] = nil
        if streams.isEmpty {
            idleSince = socket.loop.now
            if pool == nil { return close() }
        }
        pool?.hasRoom(self)
    }

    /// Notes that an exchange was given up that was requested at a time on the loop's clock.
    ///
    /// A server that takes nothing, or has sent nothing for a second since, may be gone.
    func gaveUp(requestedAt begun: Int64) {
        let isSilent = receivedAt < begun && socket.loop.now &- begun > 1_000_000
        guard isSilent || !socket.isWritable else { return }
        retire()
        guard !socket.isWritable, streams.values.allSatisfy(\.isReleased) else { return }
        // The resets of its streams cannot be sent.
        socket.loop.afterThisEvent { [weak self] in
            self?.lose(.closedEarly)
            self?.socket.abandon()
        }
    }

    /// Accepts no more exchanges, and closes once the last one has ended.
    func retire() {
        retireFromPool()
        if streams.isEmpty { close() }
    }

    private func retireFromPool() {
        let pool = pool
        self.pool = nil
        pool?.remove(self)
    }

    private func close() {
        session.goAway(.noError)
        output.close()
    }

    private func settingsAreLate() {
        settings = .late
        timer = nil
        pool?.failWaiting(for: self, .lateSettings)
        lose(.lateSettings)
        socket.abandon()
    }

    /// Ends all streams, since the connection is lost.
    private func lose(_ failure: ExchangeFailure) {
        if end == nil { end = failure }
        retireFromPool()
        session.connectionEnded(.cancel)
    }
}

extension HTTP2ServerConnection: ConnectionDelegate {
    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        receivedAt = connection.loop.now
        session.time = Int(clamping: receivedAt / 1_000_000)
        do throws(HTTP2Failure) {
            try session.receive(bytes)
        } catch {
            output.move()
            lose(ExchangeFailure(error))
            connection.close()
        }
    }

    package func connectionEndedInput(_ connection: TCPConnection) {
        lose(.closedEarly)
        connection.close()
    }

    package func connectionDrained(_ connection: TCPConnection) { output.move() }

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        timer = nil
        lose(error.map { ExchangeFailure($0) } ?? .closedEarly)
    }
}

extension HTTP2ServerConnection: HTTP2SessionDelegate {
    package func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {}
    package func refused(_: Int32, _: HTTPError, _: HTTP2StreamBytes) {}
    package func goingAway(lastStream: Int32, code: HTTP2ErrorCode) {
        goAway = (lastStream, code)
        retire()
    }

    package func settingsChanged() {
        settings = .known
        if session.peerMaxStreams > 0 { hasAllowedStreams = true }
        timer = nil
        pool?.hasRoom(self)
    }

    package func hasOutput() { output.schedule() }
}

extension ExchangeFailure {
    /// Makes the failure of a connection whose server violated HTTP/2.
    fileprivate init(_ failure: HTTP2Failure) {
        self.init(code: "malformed_response", message: failure.description)
    }

    /// The server sent no SETTINGS after its connection was open.
    fileprivate static let lateSettings = ExchangeFailure(
        code: "connect_timeout",
        message: "the server did not send its HTTP/2 settings in time",
        status: 504
    )
}
