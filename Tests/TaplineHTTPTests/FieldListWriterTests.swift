// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for messages that are written as lists of fields.
@Suite
struct FieldListWriterTests {
    /// The fields of a writer as texts.
    private static func texts(_ writer: FieldListWriter) -> [String] {
        writer.lines.map { line in
            let name = String(decoding: writer.bytes[line.name], as: UTF8.self)
            return "\(name)=\(String(decoding: writer.bytes[line.value], as: UTF8.self))"
        }
    }

    @Test func `a request of HTTP/1 loses the fields of its connection`() throws {
        var writer = FieldListWriter()
        let request = Request(
            method: "POST",
            target: "/a?b",
            scheme: "https",
            authority: "other",
            fields: [
                "Host": "Shop.test", "Connection": "keep-alive, X-Hop, TE", "X-Hop": "1",
                "Keep-Alive": "timeout=5", "Proxy-Connection": "x",
                "Proxy-Authorization": "Basic x",
                "Transfer-Encoding": "chunked", "Upgrade": "h2c", "HTTP2-Settings": "AAAA",
                "TE": "gzip, trailers", "Content-Length": "9", "X-Custom-Header-Name": "  Ab ",
                "Via": "1.1 a",
            ]
        )
        try writer.write(request, RequestWriting(framing: .length(4), via: "tapline"))
        #expect(
            Self.texts(writer) == [
                ":method=POST", ":scheme=https", ":authority=Shop.test", ":path=/a?b",
                "x-custom-header-name=Ab", "via=1.1 a", "content-length=4", "via=1.1 tapline",
                "te=trailers",
            ]
        )
    }

    @Test func `the written host replaces the authority`() throws {
        var writer = FieldListWriter()
        let request = Request(
            target: "http://a.test/x",
            authority: "a.test",
            fields: ["Host": "a.test"]
        )
        try writer.write(
            request,
            RequestWriting(form: .absolute, host: "b.test", proxyAuthorization: "Basic y")
        )
        #expect(
            Self.texts(writer) == [
                ":method=GET", ":scheme=http", ":authority=b.test", ":path=/x",
                "proxy-authorization=Basic y",
            ]
        )
    }

    @Test func `OPTIONS of the whole server and CONNECT have their own targets`() throws {
        var writer = FieldListWriter()
        try writer.write(Request(method: "OPTIONS", target: "*", authority: "a"), RequestWriting())
        #expect(Self.texts(writer).last == ":path=*")
        let connect = Request(
            method: "CONNECT",
            target: "a:443",
            authority: "a:443",
            fields: ["Host": "b"]
        )
        try writer.write(connect, RequestWriting(form: .authority))
        #expect(Self.texts(writer) == [":method=CONNECT", ":authority=a:443"])
        let socket = Request(method: "CONNECT", target: "/chat", scheme: "https", authority: "a")
        try writer.write(socket, RequestWriting(), connectProtocol: "websocket")
        #expect(
            Self.texts(writer) == [
                ":method=CONNECT", ":scheme=https", ":authority=a", ":path=/chat",
                ":protocol=websocket",
            ]
        )
    }

    @Test func `a response is written with its length and without its reason`() throws {
        var writer = FieldListWriter()
        let response = Response(
            status: 404,
            reason: "Not Found",
            version: "HTTP/1.0",
            fields: ["Content-Length": "7", "Set-Cookie": "a=1", "Connection": "close"]
        )
        try writer.write(response, ResponseWriting(framing: .length(3), via: "t"))
        #expect(
            Self.texts(writer) == [
                ":status=404", "set-cookie=a=1", "content-length=3", "via=1.0 t",
            ]
        )
        try writer.write(response, ResponseWriting(framing: .chunked))
        #expect(Self.texts(writer) == [":status=404", "set-cookie=a=1"])
        try writer.write(response, ResponseWriting(answersHead: true))
        #expect(Self.texts(writer) == [":status=404", "content-length=7", "set-cookie=a=1"])
        try writer.write(InterimResponse(status: 103, fields: ["Link": "x"]))
        #expect(Self.texts(writer) == [":status=103", "link=x"])
    }

    @Test(
        arguments: [
            (Request(method: "G T"), "invalid_method"), (Request(method: ""), "invalid_method"),
            (Request(target: "/a b"), "invalid_target"),
            (Request(target: "a"), "invalid_target_form"),
            (Request(target: "*"), "invalid_target_form"),
            (Request(authority: "u@a"), "invalid_authority"),
            (Request(authority: ""), "invalid_authority"),
            (Request(scheme: "a b"), "invalid_target"),
            (Request(fields: ["x": "a\r\nb"]), "invalid_field_value"),
            (Request(fields: ["x y": "a"]), "invalid_field_name"),
            (Request(fields: [":path": "/evil"]), "invalid_field_name"),
            (Request(fields: ["": "a"]), "empty_field_name"),
            (Request(fields: ["Host": "a", "host": "a"]), "duplicate_host"),
            (Request(fields: ["Host": "a b"]), "invalid_authority"),
            (Request(method: "CONNECT", target: "/"), "invalid_target_form"),
        ] as [(Request, String)]
    )
    func `what would break a message is not written`(_ request: Request, _ name: String) {
        var request = request
        if request.authority.isEmpty, name != "invalid_authority" { request.authority = "a" }
        var writer = FieldListWriter()
        let error = #expect(throws: HTTPError.self) { try writer.write(request, RequestWriting()) }
        #expect(error?.name == name)
    }

    @Test func `responses that cannot be sent are refused`() {
        var writer = FieldListWriter()
        #expect(throws: HTTPError.self) {
            try writer.write(Response(status: 101), ResponseWriting())
        }
        #expect(throws: HTTPError.self) {
            try writer.write(Response(status: 99), ResponseWriting())
        }
        #expect(throws: HTTPError.self) { try writer.write(InterimResponse(status: 101)) }
        #expect(throws: HTTPError.self) {
            try writer.write(Response(status: 204), ResponseWriting(framing: .length(3)))
        }
        #expect(throws: HTTPError.self) {
            try writer.write(trailers: ["a": "b\n"], .response)
        }
    }

    @Test func `a written request is read as the same request`() throws {
        let request = Request(
            method: "PUT",
            target: "/x?y=z",
            scheme: "https",
            authority: "a.test:8443",
            fields: ["accept": "*/*", "cookie": "a=1; b=2"]
        )
        var writer = FieldListWriter()
        try writer.write(request, RequestWriting(framing: .chunked))
        let list = FieldList(writer.lines.span, of: writer.bytes.span, .request)
        let head = try RequestHead(list, ends: false, scheme: "http", size: 42)
        var expected = request
        expected.version = "HTTP/2"
        #expect(head.request == expected)
        #expect(head.framing == .chunked)
        #expect(head.headerBytes == 42)
        #expect(head.lineBytes == 0)
    }
}
