// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@Suite("A message as HTTP/1.1")
struct RawMessageTests {
    private func text(_ message: RawMessage) -> String {
        String(decoding: message.bytes, as: UTF8.self)
    }

    @Test("has fields and content as recorded")
    func asRecorded() {
        let request = Request(
            method: "pOst",
            target: "http://shop.test/a?b",
            authority: "shop.test",
            fields: ["hOST": "shop.test", "A": "1", "a": "", "Content-Length": "5"],
            body: Body(Array("a\0\r\nb".utf8))
        )
        let message = RawMessage(request)
        #expect(
            text(message) == "pOst http://shop.test/a?b HTTP/1.1\r\nhOST: shop.test\r\nA: 1\r\n"
                + "a: \r\nContent-Length: 5\r\n\r\na\0\r\nb"
        )
        #expect(message.notes.isEmpty)
    }

    @Test("of HTTP/2 gets what HTTP/1.1 needs")
    func added() {
        let request = Request(
            method: "PUT",
            target: "/a",
            authority: "shop.test",
            version: "HTTP/2",
            fields: ["a": "b"],
            body: Body(Array("body".utf8))
        )
        let message = RawMessage(request)
        #expect(
            text(message)
                == "PUT /a HTTP/1.1\r\na: b\r\nHost: shop.test\r\nContent-Length: 4\r\n\r\nbody"
        )
        #expect(
            message.notes == [
                "the request was sent as HTTP/2", "the request gets a field 'Host'",
                "the request gets a field 'Content-Length'",
            ]
        )
    }

    @Test("has chunks again, and trailers")
    func chunks() {
        var response = Response(
            fields: ["Transfer-Encoding": "gzip, Chunked"],
            body: Body(Array("0123456789abcdef!".utf8)),
            trailers: ["Digest": "x"],
            interim: [InterimResponse(status: 103, reason: "Early Hints", fields: ["Link": "y"])]
        )
        let start = "HTTP/1.1 103 Early Hints\r\nLink: y\r\n\r\nHTTP/1.1 200 \r\n"
        let end = "\r\n\r\n11\r\n0123456789abcdef!\r\n0\r\nDigest: x\r\n\r\n"
        #expect(text(RawMessage(response)) == start + "Transfer-Encoding: gzip, Chunked" + end)
        response.fields = [:]
        #expect(text(RawMessage(response)) == start + "Transfer-Encoding: chunked" + end)
        response.body = Body()
        #expect(text(RawMessage(response)).hasSuffix("\r\n\r\n0\r\nDigest: x\r\n\r\n"))
        response.fields = ["Content-Length": "0"]
        let message = RawMessage(response)
        #expect(text(message).hasSuffix("Content-Length: 0\r\n\r\n"))
        #expect(message.notes == ["the response has trailers, which its framing cannot carry"])
    }

    @Test("says what is missing or was decoded")
    func notes() {
        var response = Response(fields: ["Content-Encoding": "gzip"], body: Body([0x61]))
        #expect(RawMessage(response).notes.first?.contains("recorded decoded") == true)
        response.body = Body(bytes: [0x61], size: 9, coding: "gzip", isTruncated: true)
        #expect(
            RawMessage(response).notes
                == ["the response has a body of which only the first 1 bytes are kept"]
        )
        response.body = Body(bytes: [], size: 9)
        #expect(RawMessage(response).notes == ["the response has a body that was not kept"])
    }
}
