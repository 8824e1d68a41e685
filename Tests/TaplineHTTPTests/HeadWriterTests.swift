// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for written heads.
@Suite
struct HeadWriterTests {
    private func write(_ request: Request, _ writing: RequestWriting) throws -> String {
        var output: [UInt8] = []
        try HeadWriter.append(request, writing, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(_ response: Response, _ writing: ResponseWriting) throws -> String {
        var output: [UInt8] = []
        try HeadWriter.append(response, writing, to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test func aRequestIsWrittenWithoutConnectionFields() throws {
        let request = Request(
            method: "POST",
            target: "http://shop.test/a?b",
            authority: "shop.test",
            fields: [
                "Host": "shop.test", "Connection": "close, X-Hop, TE", "x-hop": "1",
                "Keep-Alive": "5", "Proxy-Connection": "close", "Proxy-Authorization": "Basic x",
                "TE": "gzip, trailers", "Upgrade": "h2c", "Transfer-Encoding": "chunked",
                "Content-Length": "99", "Accept": "*/*",
            ]
        )
        let text = try write(request, RequestWriting(framing: .length(5), via: "tapline"))
        #expect(
            text == """
                POST /a?b HTTP/1.1\r
                Host: shop.test\r
                Accept: */*\r
                Content-Length: 5\r
                Via: 1.1 tapline\r
                TE: trailers\r
                Connection: TE\r
                \r

                """
        )
    }

    @Test func hostsAndTargets() throws {
        var request = Request(target: "/a", authority: "b.test:81", fields: ["A": "1"])
        #expect(
            try write(request, RequestWriting())
                == "GET /a HTTP/1.1\r\nA: 1\r\nHost: b.test:81\r\n\r\n"
        )
        #expect(
            try write(request, RequestWriting(form: .absolute, host: "c"))
                == "GET http://b.test:81/a HTTP/1.1\r\nHost: c\r\nA: 1\r\n\r\n"
        )
        request.method = "CONNECT"
        #expect(
            try write(
                request,
                RequestWriting(form: .authority, proxyAuthorization: "Basic eA==")
            )
                == "CONNECT b.test:81 HTTP/1.1\r\nA: 1\r\nHost: b.test:81\r\nProxy-Authorization: Basic eA==\r\n\r\n"
        )
    }

    @Test func aResponse() throws {
        let response = Response(
            status: 200,
            reason: "OK",
            fields: ["Content-Length": "1", "A": "b"]
        )
        #expect(
            try write(response, ResponseWriting(framing: .chunked, connection: .close))
                == "HTTP/1.1 200 OK\r\nA: b\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        )
        #expect(
            try write(response, ResponseWriting(answersHead: true))
                == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nA: b\r\n\r\n"
        )
        #expect(
            try write(Response(status: 204), ResponseWriting()) == "HTTP/1.1 204 \r\n\r\n"
        )
    }

    @Test(arguments: [("HTTP/1.0", "1.0"), ("HTTP/1.1", "1.1"), ("HTTP/2", "2"), ("", "1.1")])
    func viaNamesTheVersionThatWasReceived(_ version: String, _ named: String) throws {
        let response = Response(version: ByteString(version), fields: ["Via": "1.1 other"])
        #expect(
            try write(response, ResponseWriting(framing: .chunked, via: "tapline"))
                == "HTTP/1.1 200 \(version == "HTTP/2" ? "OK" : "")\r\nVia: 1.1 other\r\nTransfer-Encoding: chunked\r\nVia: \(named) tapline\r\n\r\n"
        )
    }

    @Test(arguments: [
        (200, "HTTP/2", "", "OK"), (404, "HTTP/2", "", "Not Found"), (299, "HTTP/2", "", ""),
        (404, "HTTP/2", "Gone Fishing", "Gone Fishing"), (404, "HTTP/1.1", "", ""),
    ])
    func onlyHTTP2GetsARegisteredReason(
        _ status: Int,
        _ version: String,
        _ reason: String,
        _ written: String
    ) throws {
        let response = Response(
            status: status,
            reason: ByteString(reason),
            version: ByteString(version)
        )
        let head = try write(response, ResponseWriting(framing: .length(0)))
        #expect(head.hasPrefix("HTTP/1.1 \(status) \(written)\r\n"))
    }

    /// RFC 9112 §3.2.4: the last proxy writes `*` for the URL of a server as a whole.
    @Test(arguments: [
        ("OPTIONS", "http://a.test", "*", "http://a.test"),
        ("OPTIONS", "http://a.test/", "/", "http://a.test/"),
        ("OPTIONS", "http://a.test?x", "/?x", "http://a.test/?x"),
        ("OPTIONS", "*", "*", "http://a.test"), ("GET", "http://a.test", "/", "http://a.test/"),
    ])
    func targetsWithoutPath(
        _ method: String,
        _ target: String,
        _ origin: String,
        _ absolute: String
    ) throws {
        let request = Request(
            method: ByteString(method),
            target: ByteString(target),
            authority: "a.test"
        )
        for (form, written) in [(TargetForm.origin, origin), (.absolute, absolute)] {
            #expect(
                try write(request, RequestWriting(form: form))
                    == "\(method) \(written) HTTP/1.1\r\nHost: a.test\r\n\r\n"
            )
        }
    }

    @Test func interimResponses() throws {
        var output: [UInt8] = []
        try HeadWriter.append(InterimResponse(status: 103, fields: ["Link": "x"]), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 103 \r\nLink: x\r\n\r\n")
        output = []
        try HeadWriter.append(InterimResponse(status: 103, reason: "Early Hints"), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 103 Early Hints\r\n\r\n")
        let broken = InterimResponse(status: 103, reason: "Early\r\nX: y")
        #expect(throws: HTTPError.self) { try HeadWriter.append(broken, to: &output) }
    }

    @Test func chunks() throws {
        var output: [UInt8] = []
        for count in [1, 15, 16, 4096, Int.max] { ChunkWriter.appendStart(count, to: &output) }
        ChunkWriter.appendEnd(to: &output)
        try ChunkWriter.appendLast(trailers: ["A": "1", "Host": "x"], to: &output)
        #expect(
            String(decoding: output, as: UTF8.self)
                == "1\r\nf\r\n10\r\n1000\r\n7fffffffffffffff\r\n\r\n0\r\nA: 1\r\n\r\n"
        )
    }

    @Test func anUpgradeIsForwardedWithOtherOptions() throws {
        let request = Request(
            fields: [
                "Host": "a", "Connection": "Upgrade, X-Hop", "Upgrade": "websocket", "X-Hop": "1",
            ]
        )
        #expect(
            try write(request, RequestWriting(connection: .upgrade))
                == "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
        )
    }

    /// A request that a script made, the options for writing it, and the expected error.
    struct Refused: Sendable {
        var request = Request(fields: ["Host": "a"])
        var writing = RequestWriting()
        var name = ""

        init(
            _ name: String,
            fields: FieldSection = ["Host": "a"],
            _ change: (inout Request, inout RequestWriting) -> Void = { _, _ in }
        ) {
            self.name = name
            request.fields = fields
            change(&request, &writing)
        }
    }

    @Test(arguments: [
        Refused("invalid_field_value", fields: ["Host": "a", "A": "1\r\nB: 2"]),
        Refused("invalid_field_value", fields: ["Host": "a", "A": "1\n"]),
        Refused("invalid_field_value", fields: ["Host": "a", "A": "\0"]),
        Refused("invalid_field_name", fields: ["Host": "a", "A\r\nB": "1"]),
        Refused("invalid_field_name", fields: ["Host": "a", "A ": "1"]),
        Refused("invalid_field_name", fields: ["Host": "a", "A:": "1"]),
        Refused("empty_field_name", fields: ["Host": "a", "": "1"]),
        Refused("duplicate_host", fields: ["Host": "a", "host": "a"]),
        Refused("invalid_host", fields: ["Host": "a@b"]),
        Refused("invalid_host", fields: [:]),
        Refused("invalid_method") { request, _ in request.method = "GET /x" },
        Refused("invalid_method") { request, _ in request.method = "" },
        Refused("invalid_target") { request, _ in request.target = "/a b" },
        Refused("invalid_target") { request, _ in request.target = "/a\r\n" },
        Refused("invalid_target_form") { request, _ in request.target = "" },
        Refused("invalid_target_form") { request, _ in request.target = "*" },
        Refused("invalid_target_form") { request, _ in request.target = "a" },
        Refused("invalid_target_form") { request, _ in request.method = "CONNECT" },
        Refused("invalid_target_form") { _, writing in writing.form = .authority },
        Refused("invalid_target_form") { _, writing in writing.form = .asterisk },
        Refused("invalid_authority") { _, writing in writing.form = .absolute },
        Refused("invalid_authority") { request, writing in
            request.method = "CONNECT"
            request.authority = "a"
            writing.form = .authority
        },
        Refused("conflicting_framing") { _, writing in writing.framing = .untilClose },
        Refused("body_of_connect") { request, writing in
            request.method = "CONNECT"
            request.authority = "a:1"
            writing = RequestWriting(form: .authority, framing: .length(1))
        },
        Refused("invalid_content_length") { _, writing in writing.framing = .length(-1) },
        Refused("invalid_host") { _, writing in writing.host = "a\r\nb: c" },
        Refused("invalid_field_value") { _, writing in writing.via = "a\r\nb: c" },
        Refused("invalid_field_value") { _, writing in writing.proxyAuthorization = "\n" },
    ])
    func nothingSplitsARequest(_ row: Refused) {
        var output: [UInt8] = [1]
        let error = #expect(throws: HTTPError.self) {
            try HeadWriter.append(row.request, row.writing, to: &output)
        }
        #expect(error?.name == row.name)
        #expect(output == [1])
    }

    @Test func nothingSplitsAResponse() {
        let rows: [(String, Response, ResponseWriting)] = [
            ("malformed_status_line", Response(status: 99), ResponseWriting()),
            ("malformed_status_line", Response(status: 1000), ResponseWriting()),
            ("malformed_status_line", Response(reason: "a\r\nb: c"), ResponseWriting()),
            ("invalid_field_value", Response(fields: ["A": "\r"]), ResponseWriting()),
            ("conflicting_framing", Response(status: 204), ResponseWriting(framing: .length(1))),
            ("conflicting_framing", Response(status: 304), ResponseWriting(framing: .chunked)),
            ("conflicting_framing", Response(), ResponseWriting(framing: .untilClose)),
            (
                "conflicting_framing", Response(),
                ResponseWriting(framing: .length(1), answersHead: true)
            ),
            (
                "duplicate_content_length",
                Response(fields: ["Content-Length": "1", "content-length": "2"]),
                ResponseWriting(answersHead: true)
            ),
            (
                "invalid_content_length", Response(fields: ["Content-Length": "x"]),
                ResponseWriting(answersHead: true)
            ),
        ]
        for (name, response, writing) in rows {
            var output: [UInt8] = [1]
            let error = #expect(throws: HTTPError.self) {
                try HeadWriter.append(response, writing, to: &output)
            }
            #expect(error?.name == name)
            #expect(output == [1])
        }
    }

    @Test func generatedPages() throws {
        let page = Response.page(502, "the server closed the connection\n")
        let text = try write(page, ResponseWriting(framing: .length(page.body.bytes.count)))
        #expect(
            text == """
                HTTP/1.1 502 Bad Gateway\r
                Content-Type: text/plain; charset=utf-8\r
                Cache-Control: no-store\r
                Content-Length: 33\r
                \r

                """
        )
    }
}
