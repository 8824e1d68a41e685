// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel

/// HTTP/2: any frames that a session receives are messages, an error or incomplete, with output that
/// is bounded; a list of fields that becomes a request is written as the same request by HTTP/1.
func fuzzHTTP2(_ input: inout FuzzInput) {
    switch input.below(4) {
    case 0: checkSession(.server, &input)
    case 1: checkSession(.client, &input)
    case 2: checkFrames(&input)
    default: checkFields(&input)
    }
}

/// Passes the input to a session in two pieces, as it is.
private func checkSession(_ role: HTTP2Session.Role, _ input: inout FuzzInput) {
    guard let peer = FuzzPeer(role) else { return require(false, "no session") }
    if role == .server, input.below(2) == 0 { peer.receive(preface) }
    let cut = input.below(256)
    let bytes = input.rest()
    peer.receive(Array(bytes.prefix(cut)))
    peer.receive(Array(bytes.dropFirst(cut)))
    peer.end()
}

/// Makes frames of the input, each with a valid length.
private func checkFrames(_ input: inout FuzzInput) {
    guard let peer = FuzzPeer(input.below(2) == 0 ? .server : .client) else {
        return require(false, "no session")
    }
    peer.receive(peer.role == .server ? preface : [0, 0, 0, 4, 0, 0, 0, 0, 0])
    while !input.isEmpty {
        let kind = UInt8(input.below(12))
        let flags = UInt8(input.below(256))
        let stream = UInt8(input.below(8))
        let payload = input.take(input.below(64))
        peer.receive([0, 0, UInt8(payload.count), kind, flags, 0, 0, 0, stream] + payload)
    }
    peer.end()
}

private let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + [0, 0, 0, 4, 0, 0, 0, 0, 0]

/// Makes a list of fields of the input, beside pseudo-fields, and a request of the list.
private func checkFields(_ input: inout FuzzInput) {
    var bytes: [UInt8] = []
    var lines: [FieldSection.Line] = []
    func add(_ name: [UInt8], _ value: [UInt8]) {
        let start = UInt32(bytes.count)
        bytes += name + value
        lines.append(
            FieldSection.Line(
                nameStart: start,
                nameCount: UInt32(name.count),
                valueStart: start + UInt32(name.count),
                valueCount: UInt32(value.count)
            )
        )
    }
    let values = [":method": "GET", ":scheme": "http", ":authority": "a.test", ":path": "/"]
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where input.below(8) != 0 {
        add(Array(name.utf8), input.below(4) == 0 ? input.take(input.below(24)) : Array(value.utf8))
    }
    let names = ["host", "content-length", "te", "transfer-encoding", "cookie", ":protocol", "x"]
    while !input.isEmpty {
        let name = input.below(4) == 0 ? input.take(input.below(16)) : Array(input.pick(names).utf8)
        add(name, input.take(input.below(24)))
    }
    let ends = bytes.count % 2 == 0
    let list = FieldList(lines.span, of: bytes.span, .request)
    guard let head = try? RequestHead(list, ends: ends, scheme: "http", size: 1) else { return }
    checkForwarding(head)
    let response = FieldList(lines.span, of: bytes.span, .response)
    _ = try? ResponseHead(response, answering: RequestKind(), ends: ends, size: 1)
    _ = try? FieldSection(trailers: response)
}

/// Checks that a request is read by HTTP/1 as one request with the same target and fields.
private func checkForwarding(_ head: RequestHead) {
    if head.form == .origin, head.kind.isConnect { return }
    var output: [UInt8] = []
    let writing = RequestWriting(form: head.form, framing: head.framing)
    do throws(HTTPError) {
        try HeadWriter.append(head.request, writing, to: &output)
        // Host may be one field more.
        var parser = RequestParser(limits: HTTPLimits(head: 1 << 20, fields: 1000))
        guard let read = try parser.parse(output.span) else {
            return require(false, "an incomplete head was written")
        }
        require(read.byteCount == output.count, "more than one message was written")
        require(read.request.method == head.request.method, "another method")
        require(read.request.target == head.request.target, "another target")
        require(read.framing == head.framing, "another framing")
    } catch {
        require(false, "a request that was read cannot be forwarded: \(error)")
    }
}

/// A session that receives the input, and answers all requests.
private final class FuzzPeer: HTTP2SessionDelegate, HTTP2StreamOwner {
    let role: HTTP2Session.Role
    private let session: HTTP2Session
    private var last: HTTP2Stream?
    private var failed = false

    init?(_ role: HTTP2Session.Role) {
        guard let session = try? HTTP2Session(role) else { return nil }
        self.role = role
        self.session = session
        session.delegate = self
        guard role == .client else { return }
        for _ in 0..<3 {
            let request = Request(authority: "a.test")
            last = try? session.request(request, RequestWriting(framing: .chunked), ends: false)
            last?.owner = self
        }
        drain()
    }

    func receive(_ bytes: [UInt8]) {
        if failed { return }
        do { try session.receive(bytes.span) } catch { failed = true }
        drain()
    }

    /// Takes all output, which is bounded by the input.
    private func drain() {
        var output: [UInt8] = []
        while session.takeOutput(into: &output) {
            require(output.count < 1 << 20, "too much output")
        }
    }

    func end() {
        session.shutdown()
        drain()
        session.connectionEnded()
        require(session.activeStreams == 0, "a stream is left")
        require(last?.isClosed ?? true, "the last stream is open")
    }

    func opened(_ stream: HTTP2Stream, _ head: consuming RequestHead) {
        stream.owner = self
        last = stream
        checkForwarding(head)
        try? stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
        stream.send(content: [UInt8](repeating: 0x61, count: 100).span)
    }

    func received(content: Span<UInt8>) {
        last?.consumed(content.count)
        last?.send(content: content)
    }

    func ended(_ trailers: consuming FieldSection) { try? last?.end(trailers: trailers) }
    func refused(_: Int32, _: HTTPError, _: HTTP2StreamBytes) {}
    func goingAway(lastStream: Int32, code: HTTP2ErrorCode) {}
    func settingsChanged() {}
    func hasOutput() {}
    func received(interim: consuming Response) {}
    func received(_ head: consuming ResponseHead) {}
    func streamDrained() {}
    func malformed(_ error: HTTPError) { last?.reset(.cancel) }
    func closed(_ code: HTTP2ErrorCode, isUnprocessed: Bool) {}
}
