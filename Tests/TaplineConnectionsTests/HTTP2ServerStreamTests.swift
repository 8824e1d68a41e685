// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplineTLS
import Testing

@testable import TaplineConnections

/// Tests for responses of servers that are complete before the request was sent.
@Suite("A stream to a server of HTTP/2")
struct HTTP2ServerStreamTests {
    /// The window of the server, which is that of HTTP/2 before its settings have arrived.
    private static let window = 65_535

    /// What happened to the stream at the server.
    private struct Result {
        var code: HTTP2ErrorCode?
        var received = 0
        var hasEnded = false
        /// Whether nothing holds the client's part any more.
        var isFree = false
    }

    /// Sends a request, and releases the exchange at the end of the response; the connection ends
    /// after the stream.
    private static func run(
        sending count: Int,
        ends: Bool = true,
        bytesPerSecond: Int? = nil,
        idle: Microseconds,
        to make: @escaping @Sendable (TCPConnection) throws -> EarlyServer
    ) async throws -> Result {
        try await Scenario<Result>.run(limit: Microseconds(5_000_000)) { scenario, loop in
            let (first, second) = try TCPConnection.pair(on: loop)
            let server = try make(second)
            let timeouts = HTTP2ServerTimeouts(
                keepAlive: Microseconds(60_000_000),
                connect: Microseconds(60_000_000),
                idle: idle
            )
            let connector = ServerConnector(
                Connector(on: loop),
                try TLSContext(client: TLSClientOptions()),
                ServerSettings()
            )
            let pool = HTTP2ServerPool(connector, HTTP2Rules(), timeouts, on: loop)
            loop.atEnd { pool.end() }
            let origin = Origin(isSecure: false, host: "shop.test", port: 80)
            pool.give(ServerLeg(first, ServerRoute(origin), ServerSettings()))
            guard let stream = pool.take(origin) else { return }
            stream.begin(ServerLog { [weak stream] _ in stream?.release() })
            if let bytesPerSecond { stream.pace(bytesPerSecond: bytesPerSecond) }
            let request = Request(method: "POST", target: "/", authority: "shop.test")
            try stream.send(request, RequestWriting(framing: .chunked), ends: false)
            stream.send([UInt8](repeating: 1, count: count).span)
            if ends { try stream.end(FieldSection()) }
            server.closed = { pool.closeAll() }
            server.left = { [weak stream] in
                scenario.finish(
                    Result(
                        code: server.code,
                        received: server.received,
                        hasEnded: server.hasEnded,
                        isFree: stream == nil
                    )
                )
            }
        }
    }

    @Test(
        "is reset after an early response if the server takes nothing more of the request",
        arguments: [0, 2]
    )
    func untaken(responseSize: Int) async throws {
        let result = try await Self.run(sending: 70_000, idle: Microseconds(30_000)) { socket in
            let limits = HTTP2Limits(firstWindow: Self.window, streamWindow: Self.window)
            return try EarlyServer(socket, limits, answersAt: Self.window, responseSize)
        }
        #expect(result.code == .cancel && !result.hasEnded)
        #expect(result.received == Self.window)
        #expect(result.isFree)
    }

    @Test("is reset before its connection ends, which the server winds down", arguments: [0, 2])
    func last(responseSize: Int) async throws {
        let idle = Microseconds(60_000_000)
        let result = try await Self.run(sending: 10, ends: false, idle: idle) { socket in
            let server = try EarlyServer(socket, HTTP2Limits(), answersAt: 10, responseSize)
            server.windsDown = true
            return server
        }
        #expect(result.code == .cancel)
    }

    @Test(
        "is reset at once after an early response if the speed limit holds back a part of the request",
        arguments: [0, 2]
    )
    func paced(responseSize: Int) async throws {
        let idle = Microseconds(60_000_000)
        let result = try await Self.run(sending: 70_000, bytesPerSecond: 1000, idle: idle) {
            socket in
            try EarlyServer(socket, HTTP2Limits(), answersAt: 1, responseSize)
        }
        #expect(result.code == .cancel && !result.hasEnded)
        #expect(1...1000 ~= result.received)
        #expect(result.isFree)
    }
}

/// A server that answers a request before it is complete, and gives no credit for it.
private final class EarlyServer: ConnectionDelegate, HTTP2SessionDelegate, HTTP2StreamOwner {
    private let socket: TCPConnection
    private let session: HTTP2Session
    /// How much of the request has to arrive before the response.
    private let answersAt: Int
    private let responseSize: Int
    private var stream: HTTP2Stream?
    private(set) var received = 0
    private(set) var hasEnded = false
    /// The code with which the stream was closed.
    private(set) var code: HTTP2ErrorCode?
    /// Whether it sends GOAWAY before the response.
    var windsDown = false
    /// Called after the end of the stream, and of the connection.
    var closed: () -> Void = {}
    var left: () -> Void = {}

    init(
        _ socket: TCPConnection,
        _ limits: HTTP2Limits,
        answersAt: Int,
        _ responseSize: Int
    ) throws {
        self.socket = socket
        self.answersAt = answersAt
        self.responseSize = responseSize
        session = try HTTP2Session(.server, limits)
        session.delegate = self
        socket.delegate = self
        socket.startReading()
        move()
    }

    private func move() {
        var output: [UInt8] = []
        while session.takeOutput(into: &output) {}
        socket.write(output.span)
    }

    private func answer() {
        guard let stream, received >= answersAt else { return }
        if windsDown { session.shutdown() }
        let framing: BodyFraming = responseSize == 0 ? .length(0) : .chunked
        let writing = ResponseWriting(framing: framing)
        try? stream.send(Response(), writing, ends: responseSize == 0)
        guard responseSize > 0 else { return }
        stream.send(content: [UInt8](repeating: 0x78, count: responseSize).span)
        try? stream.end()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        try? session.receive(bytes)
        move()
    }

    func connectionEndedInput(_ connection: TCPConnection) {
        connection.close()
        left()
    }
    func connectionDrained(_ connection: TCPConnection) {}
    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        session.connectionEnded()
    }

    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {
        self.stream = stream
        stream.owner = self
    }
    func refused(_: Int32, _: HTTPError, _: HTTP2StreamBytes) {}
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode) {}
    func settingsChanged() {}
    func hasOutput() {}

    func received(interim: consuming Response) {}
    func received(_ head: consuming ResponseHead) {}
    func received(content: Span<UInt8>) {
        received += content.count
        answer()
    }
    func ended(_ trailers: consuming FieldSection) { hasEnded = true }
    func streamDrained() {}
    func malformed(_ error: HTTPError) {}
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        self.code = code
        closed()
    }
}
