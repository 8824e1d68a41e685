// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// A malformed message, and what the record says about it.
struct MalformedMessage: Sendable, CustomTestStringConvertible {
    let fields: [(String, String)]
    let error: String
    var testDescription: String { error }

    init(_ fields: [(String, String)], _ error: String) {
        self.fields = fields
        self.error = error
    }
}

/// Tests for the messages of errors: they name the field, and what is wrong with it.
@Suite
struct HTTP2MessageErrorTests {
    /// Fields that are invalid in heads and in trailers.
    private static let fields: [MalformedMessage] = [
        MalformedMessage([("x", "a\rb")], "the value of the field 'x' contains CR"),
        MalformedMessage([("x", "a\r\nb: c")], "the value of the field 'x' contains CR"),
        MalformedMessage([("x", "a\nb")], "the value of the field 'x' contains LF"),
        MalformedMessage([("x", "a\0b")], "the value of the field 'x' contains NUL"),
        MalformedMessage(
            [("x", "\u{1}")],
            "the value of the field 'x' contains a control character"
        ),
        MalformedMessage(
            [("x", " a")],
            "the value of the field 'x' begins or ends with a space or tab"
        ),
        MalformedMessage([("X-Upper", "a")], "the field name 'X-Upper' is not in lower case"),
        MalformedMessage([("a(b", "c")], "the field name 'a(b' contains an invalid byte"),
        MalformedMessage([("a\nb", "c")], "a field name contains an invalid byte"),
        MalformedMessage([("", "c")], "a field has no name"),
        MalformedMessage(
            [("ok", "], value: ["), ("connection", "close")],
            "the field 'connection' belongs to connections of HTTP/1"
        ),
        MalformedMessage(
            [("transfer-encoding", "chunked")],
            "the field 'transfer-encoding' belongs to connections of HTTP/1"
        ),
        MalformedMessage([("te", "gzip")], "the field 'te' has another value than 'trailers'"),
    ]

    private static let requests: [MalformedMessage] =
        fields.map { MalformedMessage(RawFrames.get + $0.fields, $0.error) }
        + [(":method", 0), (":scheme", 1), (":path", 3)].map { name, position in
            var fields = RawFrames.get
            fields.remove(at: position)
            return MalformedMessage(fields, "the pseudo-field '\(name)' is missing")
        } + [
            MalformedMessage(
                [(":method", "GET")] + RawFrames.get,
                "the pseudo-field ':method' occurs twice"
            ),
            MalformedMessage(RawFrames.get + [(":x", "y")], "the pseudo-field ':x' is unknown"),
            MalformedMessage(
                RawFrames.get + [(":status", "200")],
                "the pseudo-field ':status' belongs to responses"
            ),
            MalformedMessage(
                RawFrames.get.dropLast() + [("x", "y"), (":path", "/")],
                "the pseudo-field ':path' follows other fields"
            ),
            MalformedMessage(
                RawFrames.get.filter { $0.0 != ":authority" },
                "there is neither ':authority' nor a Host field"
            ),
            MalformedMessage(
                [(":method", "CONNECT"), (":authority", "a:1"), (":path", "/")],
                "a CONNECT request has the pseudo-field ':path'"
            ),
            MalformedMessage(
                [(":method", "CONNECT"), (":authority", "a:1"), (":scheme", "http")],
                "a CONNECT request has the pseudo-field ':scheme'"
            ),
            MalformedMessage(
                [(":method", "CONNECT"), ("host", "a:1")],
                "the pseudo-field ':authority' is missing"
            ),
            MalformedMessage(
                [(":method", "CONNECT"), (":authority", "a")],
                "the authority of a CONNECT request has no port"
            ),
            MalformedMessage(
                [(":method", "CONNECT"), (":authority", "a:1"), ("content-length", "0")],
                "a CONNECT request has the field 'content-length'"
            ),
            MalformedMessage(
                [
                    (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"),
                    (":path", "/"), ("host", "a"),
                ],
                "the pseudo-field ':authority' is missing"
            ),
            MalformedMessage(
                RawFrames.get + [(":protocol", "websocket")],
                "the pseudo-field ':protocol' is only for CONNECT"
            ),
            MalformedMessage(
                RawFrames.get + [(":protocol", "a b")],
                "the pseudo-field ':protocol' is not a token"
            ),
            MalformedMessage([(":method", "")], "the pseudo-field ':method' is empty"),
            MalformedMessage([(":method", "G(T")], "the method contains an invalid byte"),
            MalformedMessage([(":path", "")], "the pseudo-field ':path' is empty"),
            MalformedMessage(
                RawFrames.get.dropLast() + [(":path", "cart")],
                "the pseudo-field ':path' does not begin with '/'"
            ),
            MalformedMessage(
                RawFrames.get.dropLast() + [(":path", "*")],
                "the pseudo-field ':path' does not begin with '/'"
            ),
            MalformedMessage(
                [(":scheme", "ftp"), (":path", "/")],
                "the pseudo-field ':scheme' is neither http nor https"
            ),
            MalformedMessage(
                [(":authority", "me@shop.test")],
                "the authority is not host or host:port"
            ),
            MalformedMessage(
                RawFrames.get + [("host", "me@shop.test")],
                "the Host field is not host or host:port"
            ),
            MalformedMessage(
                RawFrames.get + [("host", "other.test")],
                "the Host field differs from the authority"
            ),
            MalformedMessage(
                RawFrames.get + [("host", "shop.test"), ("host", "shop.test")],
                "there is more than one Host field"
            ),
            MalformedMessage(
                RawFrames.get + [("content-length", "99999999999999999999")],
                "the Content-Length is not a valid number"
            ),
            MalformedMessage(
                RawFrames.get + (0..<257).map { ("x\($0)", "") },
                "there are more fields than 'max_fields: 256' allows"
            ),
            MalformedMessage(
                [(":method", "GET"), (":path", "/a b")],
                "the request target contains an invalid byte"
            ),
            MalformedMessage(
                RawFrames.get + [("content-length", "5")],
                "the content has another length than the Content-Length"
            ),
            MalformedMessage(
                RawFrames.get + [("content-length", "0"), ("content-length", "0")],
                "there is more than one Content-Length"
            ),
            MalformedMessage(
                RawFrames.get.dropLast() + [(":path", "/\0")],
                "the pseudo-field ':path' contains a byte that is not allowed"
            ),
        ]

    private static let responses: [MalformedMessage] =
        fields.map { MalformedMessage(RawFrames.ok + $0.fields, $0.error) }
        + [
            MalformedMessage([], "the pseudo-field ':status' is missing"),
            MalformedMessage(
                [(":status", "101")],
                "the pseudo-field ':status' is 101, which HTTP/2 does not have"
            ),
            MalformedMessage(
                [(":status", "20")],
                "the pseudo-field ':status' is not a number of three digits from 100 on"
            ),
            MalformedMessage(
                RawFrames.ok + RawFrames.ok,
                "the pseudo-field ':status' occurs twice"
            ),
            MalformedMessage(
                RawFrames.ok + [(":path", "/")],
                "the pseudo-field ':path' belongs to requests"
            ),
            MalformedMessage(
                [(":status", "103"), ("content-length", "0")],
                "the field 'content-length' is not allowed with the status 103"
            ),
            MalformedMessage(
                [(":status", "099")],
                "the pseudo-field ':status' is not a number of three digits from 100 on"
            ),
            MalformedMessage(
                [(":status", "200\0")],
                "the pseudo-field ':status' contains a byte that is not allowed"
            ),
            MalformedMessage(
                RawFrames.ok + [("content-length", "1"), ("content-length", "1")],
                "there is more than one Content-Length"
            ),
            MalformedMessage(
                RawFrames.ok + [("content-length", "1x")],
                "the Content-Length is not a valid number"
            ),
            MalformedMessage([(":status", "103")], "the message ends with an interim response"),
            MalformedMessage(
                RawFrames.ok + [("content-length", "5")],
                "the content has another length than the Content-Length"
            ),
            MalformedMessage(
                [(":status", "204"), ("content-length", "5")],
                "the field 'content-length' is not allowed with the status 204"
            ),
        ]

    private static let trailers =
        fields + [
            MalformedMessage(
                [(":path", "/")],
                "the trailers contain the pseudo-field ':path'"
            ),
            MalformedMessage(
                [("a", "b"), (":status", "200")],
                "the trailers contain the pseudo-field ':status'"
            ),
            MalformedMessage(
                [("content-length", "5")],
                "the trailers contain the field 'content-length'"
            ),
            MalformedMessage(
                [("content-length", "x")],
                "the trailers contain the field 'content-length'"
            ),
        ]

    @Test(arguments: requests)
    func `the error of a request names what is wrong`(_ row: MalformedMessage) throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        // What other messages leave must not be taken for a part of this one.
        frames.headers(1, RawFrames.get + [("te", "x")])
        frames.headers(3, row.fields)
        frames.headers(5, RawFrames.get)
        server.receive(frames.bytes)
        #expect(server.refusals.last?.stream == 3)
        #expect(server.refusals.last?.error.description == "request: \(row.error)")
        #expect(server.streams.map(\.stream.id) == [5])
    }

    @Test(arguments: responses)
    func `the error of a response names what is wrong`(_ row: MalformedMessage) throws {
        let (client, _) = try Endpoint.pair()
        let log = try client.get()
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.headers(1, row.fields)
        client.receive(frames.bytes)
        #expect(log.error?.description == "response: \(row.error)")
        #expect(log.response == nil)
    }

    /// Begins a message of the peer.
    private func begin(
        _ role: HTTP2Session.Role,
        _ limits: HTTP2Limits = HTTP2Limits(),
        length: Int? = nil
    ) throws -> (Endpoint, StreamLog) {
        let victim = try Endpoint(role, limits)
        var frames = RawFrames(preface: role == .server)
        if role == .client {
            frames.settings()
            try victim.get()
            _ = victim.output()
        }
        let length = length.map { [("content-length", "\($0)")] } ?? []
        frames.headers(1, (role == .server ? RawFrames.get : RawFrames.ok) + length, ends: false)
        victim.receive(frames.bytes)
        return (victim, try #require(victim.streams.first))
    }

    private static let roles = [HTTP2Session.Role.server, .client]

    private func side(_ role: HTTP2Session.Role) -> String {
        role == .server ? "request" : "response"
    }

    @Test(arguments: trailers, roles)
    func `the error of trailers names what is wrong`(
        _ row: MalformedMessage,
        _ role: HTTP2Session.Role
    ) throws {
        let (victim, log) = try begin(role)
        var frames = RawFrames(preface: false)
        frames.data(1, [0x61])
        frames.headers(1, row.fields)
        victim.receive(frames.bytes)
        #expect(log.error?.description == "\(side(role)): \(row.error)")
        #expect(log.trailers == nil)
    }

    @Test func `a repeated Host in trailers is named`() throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(1, RawFrames.get + [("host", "shop.test")], ends: false)
        frames.headers(1, [("host", "shop.test")])
        server.receive(frames.bytes)
        let message = "request: the trailers contain the field 'host'"
        #expect(server.streams.first?.error?.description == message)
    }

    @Test(arguments: [("HEAD", "200"), ("GET", "204"), ("GET", "304")], [true, false])
    func `content of a response that allows none is named`(
        _ row: (method: String, status: String),
        _ ends: Bool
    ) throws {
        let (client, _) = try Endpoint.pair()
        var request = Request.small
        request.method = ByteString(row.method)
        let log = try client.get(request)
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.headers(1, [(":status", row.status)], ends: false)
        frames.data(1, [0x61], ends: ends)
        client.receive(frames.bytes)
        _ = client.output()
        let message =
            "response: there is content in a response to HEAD, or with a status that allows none"
        #expect(log.error?.description == message)
        #expect(log.content.isEmpty)
    }

    @Test(arguments: [[0x61], []] as [[UInt8]])
    func `content before the final response is named`(_ content: [UInt8]) throws {
        let (client, _) = try Endpoint.pair()
        let log = try client.get()
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.headers(1, [(":status", "103")], ends: false)
        frames.data(1, content, ends: true)
        client.receive(frames.bytes)
        _ = client.output()
        let message = "response: a DATA frame precedes the head of the response"
        #expect(log.error?.description == message)
    }

    @Test(arguments: roles)
    func `fields within the content are no trailers`(_ role: HTTP2Session.Role) throws {
        let (victim, log) = try begin(role)
        var frames = RawFrames(preface: false)
        frames.headers(1, [("a", "b")], ends: false)
        victim.receive(frames.bytes)
        let message = "\(side(role)): the trailers do not end the message"
        #expect(log.error?.description == message)
    }

    @Test(arguments: roles, [([3], false), ([3], true), ([3, 3], false)] as [([Int], Bool)])
    func `content of another length is named`(
        _ role: HTTP2Session.Role,
        _ content: (pieces: [Int], hasTrailers: Bool)
    ) throws {
        let (victim, log) = try begin(role, length: 5)
        var frames = RawFrames(preface: false)
        for piece in content.pieces { frames.data(1, [UInt8](repeating: 0x61, count: piece)) }
        if content.hasTrailers {
            frames.headers(1, [("a", "b")])
        } else {
            frames.data(1, [], ends: true)
        }
        victim.receive(frames.bytes)
        _ = victim.output()
        let message =
            "\(side(role)): the content has another length than the Content-Length"
        #expect(log.error?.description == message)
        #expect(log.trailers == nil)
    }

    /// Trailers, and why they are refused by limits of 1,000 bytes and three fields; the head may be
    /// larger.
    private static let large: [MalformedMessage] = [
        MalformedMessage([("a", String(repeating: "b", count: 967))], ""),
        MalformedMessage(
            [("a", String(repeating: "b", count: 968))],
            "the trailers are larger than 'max_trailers: 1000B' allows"
        ),
        MalformedMessage(
            [("a", String(repeating: "b", count: 9000))],
            "the trailers are larger than 'max_trailers: 1000B' allows"
        ),
        MalformedMessage([("a", ""), ("b", ""), ("c", "")], ""),
        MalformedMessage(
            [("a", ""), ("b", ""), ("c", ""), ("d", "")],
            "there are more trailers than 'max_fields: 3' allows"
        ),
    ]

    @Test(arguments: large, roles)
    func `trailers have the limits of HTTP/1`(
        _ row: MalformedMessage,
        _ role: HTTP2Session.Role
    ) throws {
        var limits = HTTP2Limits()
        limits.messages.head = 4096
        limits.messages.trailers = 1000
        limits.messages.fields = 3
        let (victim, log) = try begin(role, limits)
        var frames = RawFrames(preface: false)
        frames.headers(1, row.fields)
        victim.receive(frames.bytes)
        guard !row.error.isEmpty else {
            #expect(log.trailers?.count == row.fields.count)
            return #expect(log.error == nil)
        }
        #expect(log.error?.name == "trailers_too_large")
        #expect(log.error?.description == "\(side(role)): \(row.error)")
        #expect(log.trailers == nil)
        #expect(victim.failure == nil)
    }

    @Test func `trailers may be larger than heads`() throws {
        var limits = HTTP2Limits()
        limits.messages.head = 1024
        limits.messages.trailers = 4096
        let (victim, log) = try begin(.server, limits)
        let value = String(repeating: "b", count: 2000)
        var frames = RawFrames(preface: false)
        frames.headers(1, [("a", value)])
        frames.headers(3, RawFrames.get + [("a", value)])
        victim.receive(frames.bytes)
        #expect(log.trailers?.count == 1)
        let message = "request: the head is larger than 'max_head: 1KiB' allows"
        #expect(victim.refusals.map(\.error.description) == [message])
        #expect(victim.refusals.map(\.error.status) == [431])
    }

    @Test func `a connection that nghttp2 ends has its reason`() throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.data(0, [0x61])
        server.receive(frames.bytes)
        _ = server.output()
        let message = "the peer violated the protocol: DATA: stream_id == 0"
        #expect(server.session.failure == HTTP2Failure(.protocolError, message))
    }
}
