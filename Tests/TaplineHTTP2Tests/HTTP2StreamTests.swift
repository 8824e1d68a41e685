// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import Testing

/// Tests for streams that are tunnels, for HEAD, for what is written, and for closed streams.
@Suite
struct HTTP2StreamTests {
    @Test func `CONNECT opens a tunnel for data of any length`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = {
            try $0.stream.send(Response(), ResponseWriting(becomesTunnel: true), ends: false)
        }
        let request = Request(method: "CONNECT", target: "a.test:443", authority: "a.test:443")
        let writing = RequestWriting(form: .authority)
        let opened = try client.session.request(request, writing, ends: false)
        let log = StreamLog(try #require(opened), consumes: true)
        client.exchange(with: server)
        let served = try #require(server.streams.first)
        #expect(served.request?.form == .authority)
        #expect(served.request?.request.target == "a.test:443")
        #expect(served.request?.request.scheme == "http")
        #expect(served.stream.connectProtocol.isEmpty)
        #expect(log.response?.becomesTunnel == true)
        log.stream.send(content: "up".utf8.span)
        served.stream.send(content: "down".utf8.span)
        client.exchange(with: server)
        #expect(served.content == Array("up".utf8))
        #expect(log.content == Array("down".utf8))
        try log.stream.end()
        try served.stream.end()
        client.exchange(with: server)
        #expect(log.closed == .noError && served.closed == .noError)
    }

    @Test func `extended CONNECT names its protocol and has a path`() throws {
        let (client, server) = try Endpoint.pair()
        #expect(client.session.peerAcceptsExtendedConnect)
        #expect(!server.session.peerAcceptsExtendedConnect)
        let request = Request(method: "CONNECT", target: "/chat", scheme: "https", authority: "a")
        let opened = try client.session.request(
            request,
            RequestWriting(),
            ends: false,
            connectProtocol: "websocket"
        )
        let log = StreamLog(try #require(opened), consumes: true)
        client.exchange(with: server)
        let served = try #require(server.streams.first)
        #expect(served.stream.connectProtocol == "websocket")
        #expect(served.request?.form == .origin)
        #expect(served.request?.request.target == "/chat")
        #expect(served.request?.kind.isConnect == true)
        log.stream.send(content: "frame".utf8.span)
        client.exchange(with: server)
        #expect(served.content == Array("frame".utf8))
    }

    @Test func `a response to HEAD keeps its length and has no content`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = {
            let response = Response(fields: ["Content-Length": "500"])
            try $0.stream.send(response, ResponseWriting(answersHead: true), ends: true)
        }
        var request = Request.small
        request.method = "HEAD"
        let log = try client.get(request)
        client.exchange(with: server)
        #expect(log.response?.framing == BodyFraming.none)
        #expect(log.response?.response.fields == ["content-length": "500"])
        #expect(log.closed == .noError)
    }

    @Test func `secrets are never put into the compression table`() throws {
        let client = try Endpoint(.client)
        var request = Request.small
        request.fields = ["Authorization": "Basic eDp5"]
        try client.get(request)
        let head = try #require(SentFrame.all(in: client.output()).first { $0.type == 1 })
        // RFC 7541 §6.2.3: the pattern 0001, and the index 23 of the static table.
        #expect(head.payload.contains([0x1F, 0x08]))
    }

    @Test func `the first settings are those of the limits`() throws {
        let server = try Endpoint(.server)
        let settings = try #require(SentFrame.all(in: server.output()).first)
        #expect(settings.type == 4)
        func value(_ id: UInt8) -> Int? {
            for start in stride(from: 0, to: settings.payload.count, by: 6)
            where settings.payload[start + 1] == id {
                return settings.payload[start + 2..<start + 6].reduce(0) { $0 << 8 | Int($1) }
            }
            return nil
        }
        #expect(value(3) == 128)
        #expect(value(4) == 16 * 1024)
        #expect(value(6) == 64 * 1024)
        #expect(value(8) == 1)
        let client = try Endpoint(.client)
        let frames = SentFrame.all(in: client.output())
        #expect(frames.first?.payload.starts(with: [0, 2, 0, 0, 0, 0]) == true)
        #expect(frames.last?.type == 8)
    }

    @Test func `what is sent on a closed or ended stream is discarded`() throws {
        let (client, server) = try Endpoint.pair()
        server.onRequest = { try $0.respond("x") }
        let log = try client.get()
        log.stream.send(content: "late".utf8.span)
        #expect(log.stream.pendingBytes == 0)
        client.exchange(with: server)
        let served = try #require(server.streams.first?.stream)
        served.send(content: "late".utf8.span)
        try served.send(Response(), ResponseWriting(), ends: true)
        try served.end()
        served.reset(.cancel)
        served.consumed(5)
        #expect(server.output().isEmpty)
        #expect(log.contentCount == 1)
    }

    @Test func `a response that cannot be written leaves the stream open`() throws {
        let (client, server) = try Endpoint.pair()
        let log = try client.get()
        client.exchange(with: server)
        let stream = try #require(server.streams.first?.stream)
        #expect(throws: HTTPError.self) {
            let response = Response(fields: ["x": "a\r\nb"])
            try stream.send(response, ResponseWriting(), ends: true)
        }
        try stream.send(Response(status: 500), ResponseWriting(), ends: true)
        client.exchange(with: server)
        #expect(log.response?.response.status == 500)
    }

    @Test(arguments: [(0, "NO_ERROR"), (8, "CANCEL"), (13, "HTTP_1_1_REQUIRED"), (99, "error 99")])
    func `error codes have the names of the RFC`(_ number: UInt32, _ name: String) {
        #expect(HTTP2ErrorCode(rawValue: number).description == name)
    }
}
