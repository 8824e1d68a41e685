// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Heads as they are written.
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

    @Test func aRequestWithoutTheFieldsOfItsConnection() throws {
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

    @Test func interimResponses() throws {
        var output: [UInt8] = []
        try HeadWriter.append(InterimResponse(status: 103, fields: ["Link": "x"]), to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 103 \r\nLink: x\r\n\r\n")
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

    @Test func nothingSplitsAMessage() {
        let request = Request(fields: ["Host": "a", "A": "1\r\nB: 2"])
        var output: [UInt8] = [1]
        let error = #expect(throws: HTTPError.self) {
            try HeadWriter.append(request, RequestWriting(), to: &output)
        }
        #expect(error?.code == .invalidFieldValue)
        #expect(output == [1])
    }
}
