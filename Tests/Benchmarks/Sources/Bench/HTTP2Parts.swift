// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineHTTP2
internal import TaplineModel

/// HTTP/2 in memory: a client's and a server's session that are connected to each other.
extension Parts {
    func runHTTP2(_ row: (PartResult?) -> Void) {
        let pair: HTTP2Pair
        do { pair = try HTTP2Pair(Array(Self.request.utf8), Array(Self.response.utf8)) } catch {
            fail("HTTP/2: \(error)")
        }
        row(
            measure("http2, a request and a response of 1 KiB, both ends") { _ in
                pair.exchange(requests: 1)
            }
        )
        row(
            measure("http2, 64 requests at a time, both ends", every: 20) { _ in
                pair.exchange(requests: 64)
            }
        )
        row(
            measure("http2, 1 MiB of content, both ends", every: 200) { _ in
                pair.stream(1024 * 1024)
            }
        )
    }
}

/// Both ends of a connection in memory; the server answers with a small response.
final class HTTP2Pair: HTTP2SessionDelegate, HTTP2StreamOwner {
    private let client: HTTP2Session
    private let server: HTTP2Session
    private let request: Request
    private let response: Response
    private let content = [UInt8](repeating: 0x78, count: 1024)
    private let piece = [UInt8](repeating: 0x78, count: 16 * 1024)
    private var output: [UInt8] = []
    private var answers = 0
    /// The content that the server still has to send, and the stream.
    private var remaining = 0
    private var streaming: HTTP2Stream?

    init(_ request: [UInt8], _ response: [UInt8]) throws {
        var requests = RequestParser()
        var responses = ResponseParser()
        guard let head = try requests.parse(request.span),
            let answer = try responses.parse(response.span, answering: RequestKind())
        else { fail("incomplete heads") }
        self.request = head.request
        self.response = answer.response
        client = try HTTP2Session(.client)
        server = try HTTP2Session(.server)
        client.delegate = self
        server.delegate = self
        pass()
    }

    /// Sends requests at a time, and receives their responses.
    func exchange(requests count: Int) {
        remaining = 0
        send(count)
    }

    /// Sends a request whose response has this much content.
    func stream(_ count: Int) {
        remaining = count
        send(1)
    }

    private func send(_ count: Int) {
        answers = 0
        do {
            for _ in 0..<count {
                let writing = RequestWriting(via: "tapline")
                guard let stream = try client.request(request, writing, ends: true) else {
                    fail("no stream")
                }
                stream.owner = HTTP2Sink(self, stream)
            }
        } catch { fail("not written: \(error)") }
        pass()
        if answers != count { fail("\(answers) of \(count) responses") }
    }

    private func pass() {
        // A local variable, since a property cannot be lent while its owner is called.
        var output = output
        self.output = []
        defer { self.output = output }
        while true {
            output.removeAll(keepingCapacity: true)
            _ = client.takeOutput(into: &output)
            let sent = output.count
            do { try server.receive(output.span) } catch { fail("server: \(error)") }
            output.removeAll(keepingCapacity: true)
            _ = server.takeOutput(into: &output)
            if sent == 0, output.isEmpty { return }
            do { try client.receive(output.span) } catch { fail("client: \(error)") }
        }
    }

    func answered() { answers += 1 }

    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {
        stream.owner = self
        do {
            let isLarge = remaining > 0
            let content = content
            let framing: BodyFraming = isLarge ? .chunked : .length(content.count)
            let writing = ResponseWriting(framing: framing, via: "tapline")
            try stream.send(response, writing, ends: false)
            if isLarge {
                streaming = stream
                streamDrained()
            } else {
                stream.send(content: content.span)
                try stream.end()
            }
        } catch { fail("not written: \(error)") }
    }

    func streamDrained() {
        guard let stream = streaming else { return }
        let piece = piece
        while remaining > 0, stream.isWritable {
            let count = min(remaining, piece.count)
            stream.send(content: piece.span.extracting(0..<count))
            remaining -= count
        }
        if remaining == 0 {
            streaming = nil
            do { try stream.end() } catch { fail("not ended: \(error)") }
        }
    }

    func refused(_: Int32, _ error: HTTPError, _: HTTP2StreamBytes) { fail("refused: \(error)") }
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode) { fail("going away: \(code)") }
    func settingsChanged() {}
    func hasOutput() {}
    func received(interim: consuming Response) {}
    func received(_ head: consuming ResponseHead) {}
    func received(content: Span<UInt8>) {}
    func ended(_ trailers: consuming FieldSection) {}
    func malformed(_ error: HTTPError) { fail("malformed: \(error)") }
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {}
}

/// The owner of a client's stream, which counts the response.
final class HTTP2Sink: HTTP2StreamOwner {
    private let pair: HTTP2Pair
    private unowned let stream: HTTP2Stream

    init(_ pair: HTTP2Pair, _ stream: HTTP2Stream) {
        self.pair = pair
        self.stream = stream
    }

    func received(interim: consuming Response) {}
    func received(_ head: consuming ResponseHead) {}
    func received(content: Span<UInt8>) { stream.consumed(content.count) }
    func ended(_ trailers: consuming FieldSection) { pair.answered() }
    func streamDrained() {}
    func malformed(_ error: HTTPError) { fail("malformed: \(error)") }
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {}
}
