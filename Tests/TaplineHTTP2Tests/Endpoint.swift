// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel

/// One end of a connection in memory, which notes what happens.
final class Endpoint: HTTP2SessionDelegate {
    let session: HTTP2Session
    /// The streams that were opened, in order.
    var streams: [StreamLog] = []
    var refusals: [(stream: Int32, error: HTTPError, received: HTTP2StreamBytes)] = []
    var goAway: (last: Int32, code: HTTP2ErrorCode)?
    var settingsChanges = 0
    var notifications = 0
    var failure: HTTP2Failure?
    /// What to do with a new request, after it was noted.
    var onRequest: (StreamLog) throws -> Void = { _ in }
    /// Whether content is consumed at once.
    var consumes = true
    var received = 0

    init(_ role: HTTP2Session.Role, _ limits: HTTP2Limits = HTTP2Limits()) throws {
        session = try HTTP2Session(role, limits, scheme: "http")
        session.delegate = self
    }

    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {
        let log = StreamLog(stream, consumes: consumes)
        log.request = head
        streams.append(log)
        do { try onRequest(log) } catch { failure = HTTP2Failure(.internalError, "\(error)") }
    }

    func refused(_ stream: Int32, _ error: HTTPError, _ received: HTTP2StreamBytes) {
        refusals.append((stream, error, received))
    }
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode) { goAway = (lastStream, code) }
    func settingsChanged() { settingsChanges += 1 }
    func hasOutput() { notifications += 1 }

    /// Sends a request without content, or with content that the caller sends.
    @discardableResult
    func get(_ request: Request = .small, ends: Bool = true) throws -> StreamLog {
        let framing: BodyFraming = ends ? .none : .chunked
        let stream = try session.request(request, RequestWriting(framing: framing), ends: ends)
        guard let stream else { throw HTTP2Failure(.refusedStream, "no stream") }
        let log = StreamLog(stream, consumes: consumes)
        streams.append(log)
        return log
    }

    /// Receives bytes, and notes a failure.
    func receive(_ bytes: [UInt8]) {
        received += bytes.count
        do { try session.receive(bytes.span) } catch { failure = error }
    }

    /// Takes all output.
    func output() -> [UInt8] {
        var bytes: [UInt8] = []
        while session.takeOutput(into: &bytes) {}
        return bytes
    }

    /// Passes output both ways until there is none.
    func exchange(with other: Endpoint) {
        while true {
            let mine = output()
            let theirs = other.output()
            if mine.isEmpty, theirs.isEmpty { return }
            if !mine.isEmpty { other.receive(mine) }
            if !theirs.isEmpty { receive(theirs) }
        }
    }

    /// Makes a client and a server that have exchanged their settings.
    static func pair(
        client: HTTP2Limits = HTTP2Limits(),
        server: HTTP2Limits = HTTP2Limits()
    ) throws -> (client: Endpoint, server: Endpoint) {
        let pair = try (Endpoint(.client, client), Endpoint(.server, server))
        pair.0.exchange(with: pair.1)
        return pair
    }
}

/// The owner of a stream, which notes what happens.
final class StreamLog: HTTP2StreamOwner {
    let stream: HTTP2Stream
    var request: RequestHead?
    var response: ResponseHead?
    var interims: [Int] = []
    var content: [UInt8] = []
    var contentCount = 0
    var trailers: FieldSection?
    var closed: HTTP2ErrorCode?
    var isUnprocessed = false
    var error: HTTPError?
    var drains = 0
    var consumes: Bool
    var keepsContent = true
    var onDrained: () -> Void = {}

    init(_ stream: HTTP2Stream, consumes: Bool) {
        self.stream = stream
        self.consumes = consumes
        stream.owner = self
    }

    func received(interim: consuming Response) { interims.append(interim.status) }
    func received(_ head: consuming ResponseHead) { response = head }
    func received(content part: Span<UInt8>) {
        contentCount += part.count
        if keepsContent { content.append(copying: part) }
        if consumes { stream.consumed(part.count) }
    }
    func ended(_ trailers: consuming FieldSection) { self.trailers = trailers }
    func streamDrained() {
        drains += 1
        onDrained()
    }
    func malformed(_ error: HTTPError) { self.error = error }
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {
        closed = code
        self.isUnprocessed = isUnprocessed
    }

    /// Sends a response with content.
    func respond(_ text: String = "", trailers: FieldSection = FieldSection()) throws {
        let response = Response(status: 200, fields: ["Content-Type": "text/plain"])
        let writing = ResponseWriting(framing: .length(text.utf8.count))
        try stream.send(response, writing, ends: false)
        stream.send(content: text.utf8.span)
        try stream.end(trailers: trailers)
    }
}

extension Request {
    /// A request for a page.
    static var small: Request {
        Request(target: "/cart?x=1", authority: "shop.test", fields: ["Accept": "*/*"])
    }
}
