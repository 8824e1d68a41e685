// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for heads of responses.
@Suite
struct ResponseParserTests {
    static let typical = """
        HTTP/1.1 404 Not here\r
        Content-Type: text/plain\r
        Content-Length: 9\r
        Set-Cookie: a=1\r
        Set-Cookie: b=2\r
        \r

        """

    @Test func partsOfAHead() throws {
        let head = try #require(try Parsing.response(Self.typical))
        #expect(head.response.status == 404)
        #expect(head.response.reason == "Not here")
        #expect(head.response.fields.all("set-cookie") == ["a=1", "b=2"])
        #expect(head.framing == .length(9))
        #expect(head.lineBytes == 23)
        #expect(head.byteCount == Self.typical.utf8.count)
    }

    @Test func theSplitMakesNoDifference() throws {
        let whole = try #require(try Parsing.response(Self.typical))
        for cut in Parsing.cuts(Self.typical.utf8.count) {
            let head = try #require(try Parsing.response(Self.typical, endingAt: cut))
            #expect(head.response == whole.response)
        }
    }

    @Test(arguments: [("HTTP/1.1 200\r\n\r\n", ""), ("HTTP/1.1 200 \r\n\r\n", "")])
    func reasonsMayBeMissing(_ text: String, _ reason: String) throws {
        #expect(try Parsing.response(text)?.response.reason.text == reason)
    }

    struct Framing {
        let status: Int
        let request: RequestKind
        let fields: String
        let framing: BodyFraming
    }

    @Test(arguments: [
        Framing(status: 200, request: RequestKind(), fields: "", framing: .untilClose),
        Framing(
            status: 200,
            request: RequestKind(),
            fields: "Transfer-Encoding: Chunked\r\n",
            framing: .chunked
        ),
        Framing(
            status: 200,
            request: RequestKind(isHead: true),
            fields: "Content-Length: 7\r\n",
            framing: .none
        ),
        Framing(
            status: 200,
            request: RequestKind(isConnect: true),
            fields: "Content-Length: 7\r\n",
            framing: .none
        ),
        Framing(
            status: 403,
            request: RequestKind(isConnect: true),
            fields: "Content-Length: 7\r\n",
            framing: .length(7)
        ),
        Framing(
            status: 101,
            request: RequestKind(asksUpgrade: true),
            fields: "",
            framing: .none
        ),
        Framing(status: 103, request: RequestKind(), fields: "", framing: .none),
        Framing(
            status: 204,
            request: RequestKind(),
            fields: "Content-Length: 0\r\n",
            framing: .none
        ),
        Framing(
            status: 304,
            request: RequestKind(),
            fields: "Content-Length: 7\r\n",
            framing: .none
        ),
    ])
    func framingDependsOnRequestAndStatus(_ row: Framing) throws {
        let text = "HTTP/1.1 \(row.status) X\r\n\(row.fields)\r\n"
        let head = try #require(try Parsing.response(text, to: row.request))
        #expect(head.framing == row.framing)
        #expect(head.isInterim == (row.status == 103))
        let tunnel = row.status == 101 || (row.request.isConnect && row.status == 200)
        #expect(head.becomesTunnel == tunnel)
        #expect(head.keepsAlive == (row.framing != .untilClose && !tunnel))
    }
}
