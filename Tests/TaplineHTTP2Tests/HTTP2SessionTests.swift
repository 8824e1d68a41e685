// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for messages between a client's and a server's session in memory.
@Suite
struct HTTP2SessionTests {
    @Test func `a request and its response arrive as the heads that HTTP/1 makes`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try $0.respond("hello") }
        let log = try client.get()
        client.exchange(with: server)
        let head = try #require(server.streams.first?.request)
        #expect(head.request.method == "GET")
        #expect(head.request.target == "/cart?x=1")
        #expect(head.request.scheme == "http")
        #expect(head.request.authority == "shop.test")
        #expect(head.request.version == "HTTP/2")
        #expect(head.request.fields == ["accept": "*/*"])
        #expect(head.form == .origin)
        #expect(head.framing == .none)
        #expect(head.keepsAlive)
        #expect(server.streams.first?.trailers == FieldSection())
        let response = try #require(log.response)
        #expect(response.response.status == 200)
        #expect(response.response.version == "HTTP/2")
        #expect(response.response.fields == ["content-type": "text/plain", "content-length": "5"])
        #expect(response.framing == .length(5))
        #expect(log.content == Array("hello".utf8))
        #expect(log.trailers == FieldSection())
        #expect(log.closed == .noError)
        #expect(server.streams.first?.closed == .noError)
        #expect(client.session.activeStreams == 0)
        #expect(server.session.activeStreams == 0)
    }

    @Test func `content and trailers go both ways`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = {
            try $0.stream.send(Response(), ResponseWriting(framing: .chunked), ends: false)
        }
        let log = try client.get(ends: false)
        log.stream.send(content: "ping".utf8.span)
        client.exchange(with: server)
        let served = try #require(server.streams.first)
        #expect(served.request?.framing == .chunked)
        #expect(served.content == Array("ping".utf8))
        #expect(log.response?.framing == .chunked)
        served.stream.send(content: "pong".utf8.span)
        client.exchange(with: server)
        #expect(log.content == Array("pong".utf8))
        try log.stream.end(trailers: ["Digest": "a", "Content-Length": "9"])
        try served.stream.end(trailers: ["grpc-status": "0"])
        client.exchange(with: server)
        #expect(served.trailers == ["digest": "a"])
        #expect(log.trailers == ["grpc-status": "0"])
        #expect(log.closed == .noError)
    }

    @Test func `interim responses precede the final one`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { log in
            try log.stream.send(interim: InterimResponse(status: 103, fields: ["link": "</a>"]))
            try log.stream.send(interim: InterimResponse(status: 100))
            try log.respond("x")
        }
        let log = try client.get()
        client.exchange(with: server)
        #expect(log.interims == [103, 100])
        #expect(log.response?.response.status == 200)
    }

    @Test func `crumbs of a cookie are joined`() throws {
        let server = try Endpoint(.server)
        var frames = RawFrames()
        frames.headers(
            1,
            RawFrames.get + [("cookie", "a=1"), ("x", "y"), ("cookie", "b=2"), ("cookie", "")]
        )
        server.receive(frames.bytes)
        #expect(server.refusals.map(\.error.name) == [])
        let fields = try #require(server.streams.first?.request?.request.fields)
        #expect(fields == ["cookie": "a=1; b=2", "x": "y"])
    }

    @Test func `a reset reaches the other side with its code`() throws {
        let (client, server) = try Endpoint.pair()
        let log = try client.get(ends: false)
        client.exchange(with: server)
        log.stream.reset(.cancel)
        client.exchange(with: server)
        #expect(server.streams.first?.closed == .cancel)
        #expect(log.closed == .cancel)
        let second = try client.get()
        client.exchange(with: server)
        server.streams.last?.stream.reset(.refusedStream)
        client.exchange(with: server)
        #expect(second.closed == .refusedStream)
        #expect(second.isUnprocessed)
    }

    @Test func `an early response ends an upload without an error`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try $0.respond("no") }
        let log = try client.get(ends: false)
        log.stream.send(content: "some".utf8.span)
        client.exchange(with: server)
        #expect(log.content == Array("no".utf8))
        #expect(log.closed == nil)
        server.streams.first?.stream.reset(.noError)
        client.exchange(with: server)
        #expect(log.closed == .noError)
        server.onRequest = {
            try $0.respond(String(repeating: "y", count: 100_000), trailers: ["a": "b"])
            $0.stream.reset(.noError)
        }
        let second = try client.get(ends: false)
        client.exchange(with: server)
        #expect(second.contentCount == 100_000)
        #expect(second.trailers == ["a": "b"])
        #expect(second.closed == .noError)
    }

    @Test func `streams beyond the limit wait for the caller`() throws {
        var limits = HTTP2Limits()
        limits.streams = 2
        let (client, server) = try Endpoint.pair(server: limits)
        #expect(client.session.peerMaxStreams == 2)
        try client.get()
        try client.get()
        #expect(!client.session.acceptsStreams)
        #expect(try client.session.request(.small, RequestWriting(), ends: true) == nil)
        client.exchange(with: server)
        try server.streams.first?.respond("x")
        client.exchange(with: server)
        #expect(client.session.acceptsStreams)
    }

    @Test func `a graceful shutdown finishes the streams under way`() throws {
        let (client, server) = try Endpoint.pair()
        let log = try client.get()
        client.exchange(with: server)
        server.session.shutdown()
        client.exchange(with: server)
        #expect(client.goAway?.code == .noError)
        #expect(!client.session.acceptsStreams)
        #expect(!server.session.isFinished)
        try server.streams.first?.respond("last")
        client.exchange(with: server)
        #expect(log.content == Array("last".utf8))
        #expect(log.closed == .noError)
        #expect(server.session.isFinished)
        #expect(client.session.isFinished)
    }

    @Test func `streams after the last one of GOAWAY are unprocessed`() throws {
        let (client, _) = try Endpoint.pair()
        let logs = try (0..<3).map { _ in try client.get() }
        _ = client.output()
        var frames = RawFrames(preface: false)
        frames.frame(7, 0, 0, RawFrames.number(1) + RawFrames.number(0))
        client.receive(frames.bytes)
        #expect(logs[0].closed == nil)
        #expect(logs[1].closed == .refusedStream && logs[1].isUnprocessed)
        #expect(logs[2].closed == .refusedStream && logs[2].isUnprocessed)
    }

    @Test func `requests that were not sent before GOAWAY are unprocessed`() throws {
        let (client, _) = try Endpoint.pair()
        let log = try client.get()
        var frames = RawFrames(preface: false)
        frames.frame(7, 0, 0, RawFrames.number(0) + RawFrames.number(0))
        client.receive(frames.bytes)
        _ = client.output()
        #expect(log.closed == .refusedStream)
        #expect(log.isUnprocessed)
    }

    @Test func `the end of the connection closes all streams`() throws {
        let (client, server) = try Endpoint.pair()
        let log = try client.get()
        client.exchange(with: server)
        client.session.connectionEnded(.connectError)
        server.session.goAway(.internalError)
        #expect(log.closed == .connectError)
        #expect(server.streams.first?.closed == .internalError)
        let frames = SentFrame.all(in: server.output())
        #expect(frames.last?.code == .internalError)
        #expect(server.session.isFinished && client.session.isFinished)
    }

    @Test func `the delegate is notified once until output is taken`() throws {
        let (client, _) = try Endpoint.pair()
        let before = client.notifications
        try client.get()
        try client.get()
        #expect(client.notifications == before + 1)
        _ = client.output()
        try client.get()
        #expect(client.notifications == before + 2)
    }

    @Test func `a session that is released detaches its streams`() throws {
        var client: Endpoint? = try Endpoint(.client)
        let log = try #require(try client?.get(ends: false))
        client = nil
        #expect(log.stream.isClosed)
        #expect(log.stream.owner == nil)
        log.stream.send(content: "x".utf8.span)
        log.stream.reset(.cancel)
        #expect(log.stream.pendingBytes == 0)
    }
}
