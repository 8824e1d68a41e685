// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineMatching
import TaplineModel
import TaplineOperations
import Testing

@testable import ClientReplaySource

@Suite struct OutgoingRequestTests {
    private let origin = Origin(isSecure: false, host: "127.0.0.1", port: 9000)

    @Test(
        "requests of HTTP/2 are those that were recorded with it, or are defined for it only",
        arguments: [
            ("HTTP/2", "text/plain", true), ("HTTP/3", "text/plain", true),
            ("HTTP/1.1", "text/plain", false), ("", "text/plain", false),
            ("HTTP/1.1", "application/grpc+proto", true),
            ("HTTP/1.1", "application/grpc-web", false),
        ] as [(ByteString, String, Bool)]
    )
    func version(version: ByteString, type: String, usedHTTP2: Bool) {
        var request = Request(version: version, fields: FieldSection([("Content-Type", type)]))
        #expect(OutgoingRequest.usedHTTP2(request) == usedHTTP2)
        OutgoingRequest.adapt(&request, to: origin)
        #expect(request.version == "HTTP/1.1")
        OutgoingRequest.adapt(&request, to: origin.withPriorKnowledge)
        #expect(request.version == "HTTP/2" && request.scheme == "http")
    }

    @Test("the length of a gRPC call is not announced on a stream")
    func streamFraming() {
        var request = Request(method: "POST", body: Body(Array("abc".utf8)))
        #expect(OutgoingRequest.streamFraming(of: request) == .length(3))
        request.fields = ["Content-Type": "application/grpc"]
        #expect(OutgoingRequest.streamFraming(of: request) == .chunked)
        #expect(OutgoingRequest.framing(of: request) == .length(3))
    }

    @Test("Host is that of the target, and fields of the recorded connection are dropped")
    func fields() throws {
        var request = Request(
            target: "https://api.shop.test/cart?x=1",
            scheme: "https",
            authority: "api.shop.test",
            version: "HTTP/2",
            fields: FieldSection([
                (":authority", "api.shop.test"), ("host", "api.shop.test"), ("Accept", "*/*"),
                ("Connection", "keep-alive, X-Hop"), ("X-Hop", "1"), ("Keep-Alive", "5"),
                ("Proxy-Authorization", "secret"), ("TE", "trailers"), ("Expect", "100-continue"),
                ("Transfer-Encoding", "chunked"), ("Content-Length", "99"), ("Cookie", "a=1"),
            ]),
            body: Body(Array("abc".utf8))
        )
        request.method = "PUT"
        OutgoingRequest.adapt(&request, to: origin)
        let writing = RequestWriting(framing: OutgoingRequest.framing(of: request))
        var bytes: [UInt8] = []
        try request.appendHead(writing, to: &bytes)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "PUT /cart?x=1 HTTP/1.1\r\nhost: 127.0.0.1:9000\r\nAccept: */*\r\n"
                + "Cookie: a=1\r\nContent-Length: 3\r\n\r\n"
        )
        #expect(request.url == "http://127.0.0.1:9000/cart?x=1")
    }

    @Test("a gRPC call accepts trailers, without which servers refuse it")
    func calls() {
        var request = Request(fields: ["Content-Type": "application/grpc+proto", "TE": "gzip"])
        OutgoingRequest.adapt(&request, to: origin)
        #expect(request.fields.all("TE") == ["trailers"])
    }

    @Test(
        "a Referer is sent unless it was masked",
        arguments: [
            ("http://a.test/b", true), ("http://a.test/?token=%5Bredacted%5D", false),
        ] as [(String, Bool)]
    )
    func referer(value: String, stays: Bool) {
        var request = Request(fields: FieldSection([("Referer", value)]))
        OutgoingRequest.adapt(&request, to: origin)
        #expect(request.fields.contains("Referer") == stays)
    }

    @Test(
        "Content-Encoding stays only if the kept bytes are coded",
        arguments: [
            ("", false), ("gzip", true),
        ] as [(ByteString, Bool)]
    )
    func coding(coding: ByteString, stays: Bool) {
        var request = Request(method: "POST", fields: ["Content-Encoding": "gzip"])
        request.body = Body(bytes: [1], size: 1, coding: coding)
        OutgoingRequest.adapt(&request, to: origin)
        #expect(request.fields.contains("Content-Encoding") == stays)
    }

    @Test(
        "methods with a body announce an empty one",
        arguments: [
            ("GET", .none), ("DELETE", .none), ("POST", .length(0)), ("PUT", .length(0)),
        ] as [(ByteString, BodyFraming)]
    )
    func framing(method: ByteString, framing: BodyFraming) {
        #expect(OutgoingRequest.framing(of: Request(method: method)) == framing)
    }

    @Test("a masked key of a WebSocket does not matter, since it is made anew")
    func maskedKey() {
        var request = Request(
            fields: FieldSection([("Upgrade", "websocket"), ("Sec-WebSocket-Key", "[redacted]")])
        )
        let wasReadable = MaskedValues.standard.areReadable(in: request)
        WebSocketHandshake.prepare(&request)
        let isReadable = MaskedValues.standard.areReadable(in: request)
        #expect(!wasReadable && isReadable)
    }

    @Test(
        "what cannot be sent is found",
        arguments: [
            (Request(), nil),
            (Request(method: "CONNECT", target: "a:1"), .connect),
            (Request(fields: ["Upgrade": "h2c, WebSocket"]), nil),
            (Request(fields: ["Sec-WebSocket-Key": "[redacted]"]), nil),
            (Request(body: Body(bytes: [1], size: 9, isTruncated: true)), .missingBody),
            (Request(body: Body(bytes: [], size: 9)), .missingBody),
            (Request(target: "/a?token=%5Bredacted%5D"), .masked),
            (Request(target: "/a?token=%5bREDACTED%5d"), .masked),
            (Request(fields: ["Authorization": "Bearer [redacted]"]), .masked),
            (Request(body: Body(Array(#"{"a":"[redacted]"}"#.utf8))), .masked),
            (Request(body: Body(Array("redacted".utf8))), nil),
            (Request(fields: ["Referer": "http://a.test/?token=[redacted]"]), nil),
            (Request(fields: ["Authorization": "Bearer ***"]), .masked),
            (Request(target: "/a?token=***"), .masked),
            (Request(target: "/a?text=***bold***"), nil),
        ] as [(Request, ReplayObstacle?)]
    )
    func obstacles(request: Request, obstacle: ReplayObstacle?) {
        #expect(OutgoingRequest.obstacle(request) == obstacle)
    }
}
