// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet

/// A client of HTTP/2 on one end of a pair of connections, and what its connection's other end does.
final class HTTP2Pair {
    let client: HTTP2Client
    let owner: HTTP2OwnerLog
    let connection: HTTP2ClientConnection

    init(
        on loop: EventLoop,
        client: HTTP2Limits = HTTP2Limits(),
        server: HTTP2Limits = HTTP2Limits(),
        idle: Microseconds = Microseconds(60_000_000)
    ) throws {
        let (first, second) = try TCPConnection.pair(on: loop)
        self.client = try HTTP2Client(first, client)
        owner = HTTP2OwnerLog()
        connection = try HTTP2ClientConnection(
            second,
            server,
            scheme: "http",
            keepAlive: Microseconds(60_000_000),
            idle: idle
        )
        second.startReading()
        connection.begin(owner, with: Span())
        self.client.move()
    }
}

/// The client.
final class HTTP2Client: ConnectionDelegate, HTTP2SessionDelegate {
    let socket: TCPConnection
    let session: HTTP2Session
    /// Called after input.
    var changed: () -> Void = {}
    /// What was received, also after GOAWAY, when the session reads no more.
    private var input: [UInt8] = []

    init(_ socket: TCPConnection, _ limits: HTTP2Limits) throws {
        self.socket = socket
        session = try HTTP2Session(.client, limits)
        session.delegate = self
        socket.delegate = self
    }

    /// Sends a request, whose content is sent by the caller unless it `ends`.
    func request(
        _ path: ByteString,
        ends: Bool = true,
        consumes: Bool = true
    ) throws -> HTTP2StreamLog {
        let request = Request(
            method: ends ? "GET" : "POST",
            target: path,
            authority: "shop.test"
        )
        let writing = RequestWriting(framing: ends ? .none : .chunked)
        let stream = try session.request(request, writing, ends: ends)
        guard let stream else { throw HTTP2Failure(.refusedStream, "no stream") }
        return HTTP2StreamLog(stream, consumes: consumes)
    }

    /// Asks for a WebSocket.
    func openSocket(consumes: Bool = true) throws -> HTTP2StreamLog {
        let request = Request(method: "CONNECT", target: "/chat", authority: "shop.test")
        let stream = try session.request(
            request,
            RequestWriting(),
            ends: false,
            connectProtocol: "websocket"
        )
        guard let stream else { throw HTTP2Failure(.refusedStream, "no stream") }
        return HTTP2StreamLog(stream, consumes: consumes)
    }

    /// Sends the output of the session.
    func move() {
        var output: [UInt8] = []
        while session.takeOutput(into: &output) {}
        socket.write(output.span)
    }

    /// A frame that was received.
    struct Frame {
        let type: UInt8
        let stream: Int32
        let payload: ArraySlice<UInt8>
    }

    /// The frames that were received.
    var frames: [Frame] {
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        var (frames, at): ([Frame], Int) = ([], 0)
        while at + 9 <= input.count {
            let end = min(at + 9 + number(input[at..<at + 3]), input.count)
            let stream = Int32(number(input[at + 5..<at + 9]))
            frames.append(Frame(type: input[at + 3], stream: stream, payload: input[at + 9..<end]))
            at = end
        }
        return frames
    }

    /// The last streams that GOAWAY frames have named.
    var lastStreams: [Int32] {
        frames.filter { $0.type == 7 }.map { frame in
            frame.payload.prefix(4).reduce(0) { $0 << 8 | Int32($1) }
        }
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        input.append(copying: bytes)
        try? session.receive(bytes)
        move()
        changed()
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.close() }
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        session.connectionEnded()
    }

    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {}
    func refused(_: Int32, _: HTTPError, _: HTTP2StreamBytes) {}
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode) {}
    func settingsChanged() {}
    func hasOutput() {}
}

/// A stream of the client.
final class HTTP2StreamLog: HTTP2StreamOwner {
    let stream: HTTP2Stream
    private(set) var status: Int?
    private(set) var count = 0
    private(set) var hasEnded = false
    private(set) var closed: HTTP2ErrorCode?
    private let consumes: Bool

    init(_ stream: HTTP2Stream, consumes: Bool) {
        self.stream = stream
        self.consumes = consumes
        stream.owner = self
    }

    func received(interim: consuming Response) {}
    func received(_ head: consuming ResponseHead) { status = head.response.status }
    func received(content: Span<UInt8>) {
        count += content.count
        if consumes { stream.consumed(content.count) }
    }
    func ended(_ trailers: consuming FieldSection) { hasEnded = true }
    func streamDrained() {}
    func malformed(_ error: HTTPError) {}
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) { closed = code }
}

/// The owner of the connection: notes what happens, and answers as a test specifies.
final class HTTP2OwnerLog: HTTP2ClientOwner {
    var holdsBack = false
    /// What happened, in order.
    var events: [String] = []
    /// How many bytes the streams have received.
    var received = 0
    /// How many bytes of tunnels they have received.
    var tunnelled = 0
    /// Answers a request after its head was noted.
    var answer: (HTTP2ClientStream, String) -> Void = { _, _ in }
    /// Called after the end of a request was noted.
    var requestEnded: (HTTP2ClientStream) -> Void = { _ in }
    /// Called when a stream takes more.
    var drained: (HTTP2ClientStream) -> Void = { _ in }
    /// Called when the first request has arrived.
    var arrived: () -> Void = {}
    /// Called with the events at the end of the connection.
    var closed: ([String]) -> Void = { _ in }
    /// How long a stream waits before it ends its exchange; `nil` for ever.
    var patience: Microseconds?

    func requestArrived() { arrived() }

    func streamsWait() { events.append("wait") }

    func owner(of stream: HTTP2ClientStream) -> any ClientLegOwner {
        StreamOwner(stream, self)
    }

    func refusedStream(_ id: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes) {
        events.append("refused \(id) \(error.name)")
    }

    func connectionClosed(_ end: HTTP2ClientConnection.End) {
        switch end {
        case .left: events.append("left")
        case .violated(let failure): events.append("violated \(failure.code)")
        case .closed: events.append("closed")
        }
        closed(events)
    }
}

private final class StreamOwner: ClientLegOwner {
    let holdsBack = false
    let isRequestBlocked = false
    private let stream: HTTP2ClientStream
    private let log: HTTP2OwnerLog

    init(_ stream: HTTP2ClientStream, _ log: HTTP2OwnerLog) {
        self.stream = stream
        self.log = log
    }

    func received(_ head: consuming RequestHead) {
        let path = "\(head.request.target)"
        log.events.append("head \(path)")
        if let patience = log.patience { stream.askAgain(after: patience) }
        log.answer(stream, path)
    }

    func received(content: Span<UInt8>) { log.received += content.count }

    func requestEnded(_ trailers: FieldSection) {
        log.events.append("end \(log.received) \(trailers.count)")
        log.requestEnded(stream)
    }

    func received(tunnel bytes: Span<UInt8>) -> Bool {
        log.tunnelled += bytes.count
        return true
    }

    func clientDrained() { log.drained(stream) }

    func timeIsUp() -> Microseconds? {
        stream.abort()
        return nil
    }

    func received(_ event: ClientLeg.Event) {
        switch event {
        case .sent: log.events.append("sent \(stream.id)")
        case .gone: log.events.append("gone \(stream.id)")
        case .failed(let failure): log.events.append("failed \(stream.id) \(failure.code)")
        case .refused(let head, let error):
            log.events.append("refused \(head.request.target) \(error.name)")
        default: log.events.append("other")
        }
    }

    func closed(withinHandshake error: NetError?) {}
}

extension HTTP2ClientStream {
    /// Sends a response with content of a size, or without any.
    func respond(_ count: Int, ends: Bool = true) {
        let framing: BodyFraming = count == 0 ? .length(0) : .chunked
        do {
            try send(Response(), ResponseWriting(framing: framing), ends: count == 0)
            guard count > 0 else { return }
            send([UInt8](repeating: 0x78, count: count).span)
            if ends { try end(FieldSection()) }
        } catch {
            abort()
        }
    }
}
