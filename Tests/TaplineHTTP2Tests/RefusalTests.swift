// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for malformed messages: none reaches an owner, and the connection goes on.
@Suite
struct HTTP2RefusalTests {
    @Test func `there are at least 80 refused requests`() {
        #expect(RefusedList.requests.count >= 80)
    }

    @Test(arguments: RefusedList.requests)
    func `a malformed request is reset and never delivered`(_ row: RefusedList) throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(1, row.fields)
        server.receive(frames.bytes)
        #expect(server.streams.isEmpty)
        #expect(server.refusals.map(\.stream) == [1])
        #expect(server.refusals.map(\.error.name) == [row.nameInSession])
        #expect(server.refusals.first?.received.headers ?? 0 >= 9)
        let sent = SentFrame.all(in: server.output())
        #expect(sent.contains { $0.type == 3 && $0.stream == 1 && $0.code == .protocolError })
        var next = RawFrames(preface: false)
        next.headers(3, RawFrames.get)
        server.receive(next.bytes)
        #expect(server.streams.map(\.stream.id) == [3])
        #expect(server.failure == nil)
    }

    @Test(arguments: RefusedList.requests)
    func `our own rules refuse what nghttp2 may let through`(_ row: RefusedList) {
        let (bytes, lines) = Self.lines(row.fields)
        let error = #expect(throws: HTTPError.self) {
            let list = FieldList(lines.span, of: bytes.span, .request)
            _ = try RequestHead(list, ends: true, scheme: "http", size: 0)
        }
        #expect(error?.name == row.name)
        #expect(error?.status == 400)
    }

    static let responses: [RefusedList] = [
        .list("9113 §8.3.2", [], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [("x", "y")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "20")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "2000")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "abc")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "099")], "invalid_pseudo_field"),
        .list("9113 §8.6", [(":status", "101")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "200"), (":status", "200")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [(":status", "200"), (":path", "/")], "invalid_pseudo_field"),
        .list("9113 §8.3.2", [("x", "y"), (":status", "200")], "invalid_pseudo_field"),
        .list("9113 §8.1", [(":status", "103")], "truncated_body"),
        .list(
            "9113 §8.2.2",
            [(":status", "200"), ("transfer-encoding", "chunked")],
            "connection_field"
        ),
        .list("9113 §8.2.2", [(":status", "200"), ("connection", "close")], "connection_field"),
        .list(
            "9113 §8.2.1",
            [(":status", "200"), ("set-cookie", "a\r\nb: c")],
            "invalid_field_value"
        ),
        .list("9113 §8.2.1", [(":status", "200"), ("Set-Cookie", "a")], "invalid_field_name"),
        .list("9113 §8.2.1", [(":status", "200"), ("x", " y")], "blank_around_value"),
        .list("9113 §8.1.1", [(":status", "200"), ("content-length", "1")], "length_mismatch"),
        .list(
            "9110 §8.6",
            [(":status", "200"), ("content-length", "1,1")],
            "duplicate_content_length"
        ),
    ]

    @Test(arguments: responses)
    func `a malformed response is reset and never delivered`(_ row: RefusedList) throws {
        let (client, _) = try Endpoint.pair()
        let log = try client.get()
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.headers(Int(log.stream.id), row.fields)
        client.receive(frames.bytes)
        #expect(log.response == nil)
        #expect(log.interims == [])
        #expect(log.error?.name == row.nameInSession)
        let sent = SentFrame.all(in: client.output())
        #expect(sent.contains { $0.type == 3 && $0.code == .protocolError })
        #expect(log.closed == .protocolError)
        #expect(client.session.acceptsStreams)
    }

    @Test(arguments: responses)
    func `our own rules refuse responses`(_ row: RefusedList) {
        let (bytes, lines) = Self.lines(row.fields)
        let error = #expect(throws: HTTPError.self) {
            let list = FieldList(lines.span, of: bytes.span, .response)
            _ = try ResponseHead(list, answering: RequestKind(), ends: true, size: 0)
        }
        #expect(error?.name == row.name)
        #expect(error?.status == 502)
    }

    @Test(arguments: [("5", [3]), ("5", [3, 3]), ("0", [1]), ("3", [])] as [(String, [Int])])
    func `content of another length than announced is refused`(
        _ length: String,
        _ pieces: [Int]
    ) throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get + [("content-length", length)], ends: false)
        for piece in pieces { frames.data(1, [UInt8](repeating: 0x61, count: piece)) }
        frames.data(1, [], ends: true)
        server.receive(frames.bytes)
        let log = try #require(server.streams.first)
        _ = server.output()
        #expect(log.error?.name == "length_mismatch")
        #expect(log.trailers == nil)
        #expect(log.contentCount <= 5)
        #expect(log.closed == .protocolError)
    }

    @Test func `content of a response without content is refused`() throws {
        let (client, _) = try Endpoint.pair()
        for (method, status) in [("HEAD", "200"), ("GET", "204"), ("GET", "304")] {
            var request = Request.small
            request.method = ByteString(method)
            let log = try client.get(request)
            _ = client.output()
            var frames = RawFrames(preface: false)
            frames.headers(Int(log.stream.id), [(":status", status)], ends: false)
            frames.data(Int(log.stream.id), [0x61], ends: true)
            client.receive(frames.bytes)
            _ = client.output()
            #expect(log.response?.framing == BodyFraming.none)
            #expect(log.contentCount == 0)
            #expect(log.error != nil)
        }
    }

    @Test(arguments: [[(":path", "/")], [("transfer-encoding", "chunked")], [("X", "y")]])
    func `trailers that are no trailers are refused`(_ trailers: [(String, String)]) throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get, ends: false)
        frames.data(1, [0x61])
        frames.headers(1, trailers)
        server.receive(frames.bytes)
        let log = try #require(server.streams.first)
        #expect(log.trailers == nil)
        #expect(log.error != nil)
    }

    @Test func `a head that is too large is answered with 431`() throws {
        var limits = HTTP2Limits()
        limits.messages.head = 2000
        limits.messages.fields = 20
        let server = try Endpoint(.server, limits)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get + [("x", String(repeating: "y", count: 3000))])
        frames.headers(3, RawFrames.get + (0..<30).map { ("x\($0)", "") })
        frames.headers(5, RawFrames.get)
        server.receive(frames.bytes)
        #expect(server.refusals.map(\.error.name) == ["head_too_large", "too_many_fields"])
        #expect(server.refusals.map(\.error.status) == [431, 431])
        #expect(server.streams.map(\.stream.id) == [5])
        let sent = SentFrame.all(in: server.output())
        #expect(sent.filter { $0.type == 1 }.map(\.stream) == [1, 3])
        #expect(server.failure == nil)
    }

    /// Stores fields as a session does.
    static func lines(_ fields: [(String, String)]) -> ([UInt8], [FieldSection.Line]) {
        var bytes: [UInt8] = []
        var lines: [FieldSection.Line] = []
        for (name, value) in fields {
            let line = FieldSection.Line(
                nameStart: UInt32(bytes.count),
                nameCount: UInt32(name.utf8.count),
                valueStart: UInt32(bytes.count + name.utf8.count),
                valueCount: UInt32(value.utf8.count)
            )
            bytes += Array(name.utf8) + Array(value.utf8)
            lines.append(line)
        }
        return (bytes, lines)
    }
}

extension HTTP2RefusalTests {
    /// Frames on a stream that the client has ended or reset, or on no stream.
    static let violations: [(String, @Sendable (inout RawFrames) -> Void)] = [
        ("content after the end", { $0.data(1, [0x61]) }),
        ("fields after the end", { $0.headers(1, RawFrames.get) }),
        ("content after a reset", { $0.data(3, [0x61]) }),
        ("fields after a reset", { $0.headers(3, RawFrames.get) }),
        ("a stream below the last one", { $0.headers(9, RawFrames.get) }),
        (
            "a stream below one in the same piece",
            {
                $0.headers(21, RawFrames.get)
                $0.headers(17, RawFrames.get)
            }
        ),
        ("a priority of no stream", { $0.frame(2, 0, 0, RawFrames.number(1) + [1]) }),
        ("a stream that depends on itself", { $0.frame(2, 0, 5, RawFrames.number(5) + [1]) }),
    ]

    @Test(arguments: violations.indices, [1, 5, 1000])
    func `a frame that its stream does not allow ends the connection`(
        _ index: Int,
        _ size: Int
    ) throws {
        let server = try Endpoint(.server)
        server.onRequest = { if $0.stream.id == 1 { try $0.respond("x") } }
        var frames = RawFrames()
        frames.headers(1, RawFrames.get)
        frames.headers(3, RawFrames.get, ends: false)
        frames.headers(11, RawFrames.get)
        frames.reset(11)
        server.receive(frames.bytes)
        _ = server.output()
        #expect(server.streams.first?.closed == .noError)
        frames = RawFrames(preface: false)
        frames.data(3, [0x61])
        frames.reset(3)
        Self.violations[index].1(&frames)
        frames.ping()
        var position = 0
        while position < frames.bytes.count, server.failure == nil {
            let end = min(position + size, frames.bytes.count)
            server.receive(Array(frames.bytes[position..<end]))
            position = end
        }
        #expect(server.streams.map(\.closed).prefix(3) == [.noError, .cancel, .cancel])
        #expect(server.failure?.code == (index < 4 ? .streamClosed : .protocolError))
        #expect(SentFrame.all(in: server.output()).last?.code == server.failure?.code)
        #expect(server.session.isFinished)
    }

    @Test func `frames of refused streams are ignored, although later streams are open`() throws {
        var limits = HTTP2Limits()
        limits.streams = 1
        let server = try Endpoint(.server, limits)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get, ends: false)
        frames.headers(3, RawFrames.get, ends: false)
        frames.reset(1)
        frames.headers(5, RawFrames.get, ends: false)
        frames.data(3, [0x61])
        server.receive(frames.bytes)
        _ = server.output()
        frames = RawFrames(preface: false)
        frames.data(3, [0x61])
        frames.headers(3, [("a", "b")])
        frames.data(5, [0x62], ends: true)
        server.receive(frames.bytes)
        #expect(server.failure == nil)
        #expect(server.streams.map(\.stream.id) == [1, 5])
        #expect(server.streams.last?.content == [0x62])
    }

    @Test func `frames that were under way when we reset a stream are ignored`() throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        for index in 0..<300 { frames.headers(2 * index + 1, RawFrames.get, ends: false) }
        for index in 0..<300 { frames.data(2 * index + 1, [0x61]) }
        server.onRequest = { $0.stream.reset(.cancel) }
        server.receive(frames.bytes)
        _ = server.output()
        frames = RawFrames(preface: false)
        for index in 0..<300 { frames.data(2 * index + 1, [0x61]) }
        server.receive(frames.bytes)
        #expect(server.failure == nil)
        #expect(server.streams.allSatisfy { $0.contentCount == 0 })
    }
}
