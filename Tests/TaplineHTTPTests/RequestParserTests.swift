// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests for heads of requests.
@Suite
struct RequestParserTests {
    static let typical = """
        POST /cart?x=1 HTTP/1.1\r
        Host: shop.test:8443\r
        Content-Length: 5\r
        X-Odd:  \t a\tb \r
        x-odd:\r
        \r

        """

    @Test func partsOfAHead() throws {
        let head = try #require(try Parsing.request(Self.typical))
        #expect(head.request.method == "POST")
        #expect(head.request.target == "/cart?x=1")
        #expect(head.request.scheme == "http")
        #expect(head.request.authority == "shop.test:8443")
        #expect(head.request.version == "HTTP/1.1")
        let fields: FieldSection = [
            "Host": "shop.test:8443", "Content-Length": "5", "X-Odd": "a\tb", "x-odd": "",
        ]
        #expect(head.request.fields == fields)
        #expect(head.form == .origin)
        #expect(head.framing == .length(5))
        #expect(head.keepsAlive)
        #expect(head.lineBytes == 25)
        #expect(head.byteCount == Self.typical.utf8.count)
    }

    @Test func theSplitMakesNoDifference() throws {
        let whole = try #require(try Parsing.request(Self.typical))
        for cut in Parsing.cuts(Self.typical.utf8.count) {
            let head = try #require(try Parsing.request(Self.typical, endingAt: cut))
            #expect(head.request == whole.request)
            #expect(head.byteCount == whole.byteCount)
        }
    }

    @Test func anIncompleteHeadIsNil() throws {
        for end in 0..<Self.typical.utf8.count {
            #expect(try Parsing.request(Self.typical, endingAt: [end]) == nil)
        }
    }

    @Test func anEmptyLineBeforeTheRequest() throws {
        let head = try #require(try Parsing.request("\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(head.lineBytes == 18)
        #expect(head.byteCount == 29)
    }

    @Test func oneParserReadsPipelinedRequests() throws {
        let bytes = Array(
            "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: b\r\n\r\n".utf8
        )
        var parser = RequestParser()
        let first = try #require(try parser.parse(bytes.span))
        let second = try #require(
            try parser.parse(bytes.span.extracting(first.byteCount..<bytes.count))
        )
        #expect(first.request.target == "/1")
        #expect(second.request.target == "/2")
        #expect(second.request.authority == "b")
        #expect(first.byteCount + second.byteCount == bytes.count)
    }

    struct Target {
        let line: String
        let form: TargetForm
        let scheme: String
        let authority: String
    }

    @Test(arguments: [
        Target(line: "GET /", form: .origin, scheme: "http", authority: "host"),
        Target(line: "GET //x?y", form: .origin, scheme: "http", authority: "host"),
        Target(
            line: "GET https://[::1]:8443/a",
            form: .absolute,
            scheme: "https",
            authority: "[::1]:8443"
        ),
        Target(line: "GET http://a.test", form: .absolute, scheme: "http", authority: "a.test"),
        Target(
            line: "CONNECT a.test:443",
            form: .authority,
            scheme: "http",
            authority: "a.test:443"
        ),
        Target(line: "OPTIONS *", form: .asterisk, scheme: "http", authority: "host"),
    ])
    func formsOfTargets(_ row: Target) throws {
        let head = try #require(
            try Parsing.request("\(row.line) HTTP/1.1\r\nHost: host\r\n\r\n")
        )
        #expect(head.form == row.form)
        #expect(head.request.scheme.text == row.scheme)
        #expect(head.request.authority.text == row.authority)
    }

    @Test(arguments: [
        ("GET /", "b.test", false), ("OPTIONS *", "b.test", false),
        ("GET http://a.test/", "a.test", false), ("GET http://a.test/", "A.Test", false),
        ("GET http://a.test/", "a.test:80", false), ("GET http://a.test:80/", "a.test.", false),
        ("GET https://a.test/", "a.test:443", false), ("GET https://a.test/", "a.test:80", true),
        ("GET http://a.test/", "", false), ("GET http://a.test/", "b.test", true),
        ("GET http://a.test:81/", "a.test", true), ("GET http://a.test/", "a.test:81", true),
        ("GET http://a.test/", "a.tes", true), ("GET http://[::1]/", "[::1]:80", false),
        ("GET http://[::1]/", "[::2]", true), ("GET ws://a.test/", "a.test:99", false),
        ("CONNECT a.test:443", "a.test:443", false), ("CONNECT a.test:443", "a.test", false),
        ("CONNECT a.test:443", "a.test:444", true), ("CONNECT a.test:443", "b.test", true),
        ("CONNECT a.test:443", "", false),
    ])
    func otherHostsAreDetected(_ line: String, _ host: String, _ isOther: Bool) throws {
        let head = try #require(
            try Parsing.request("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        )
        #expect(head.namesOtherHost == isOther)
        #expect(try Parsing.request("GET http://a.test/ HTTP/1.0\r\n\r\n")?.namesOtherHost == false)
    }

    @Test(arguments: [
        ("A: b", false, false), ("vIA: 1.1 a", true, false), ("Via-Not: 1.1 a", false, false),
        ("proxy-Authorization: Basic a", false, true), ("Authorization: Basic a", false, false),
        ("Via:\r\nProxy-Authorization:", true, true),
    ])
    func proxyFieldsAreDetected(_ lines: String, _ hasVia: Bool, _ hasCredential: Bool) throws {
        let head = try #require(
            try Parsing.request("GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n")
        )
        #expect(head.hasVia == hasVia)
        #expect(head.hasProxyAuthorization == hasCredential)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: x, Close", false),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: keep-alive", true),
        ("HTTP/1.0", "Connection: keep-alive, close", false),
    ])
    func persistence(_ version: String, _ field: String, _ keeps: Bool) throws {
        let lines = field.isEmpty ? "" : field + "\r\n"
        let head = try Parsing.request("GET / \(version)\r\nHost: a\r\n\(lines)\r\n")
        #expect(head?.keepsAlive == keeps)
    }

    @Test func expectationsAndUpgrades() throws {
        let head = try Parsing.request(
            "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        #expect(head?.expectsContinue == true)
        #expect(head?.framing == .chunked)
        let upgrade = try Parsing.request(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
        )
        #expect(upgrade?.asksUpgrade == true)
        #expect(upgrade?.request.fields.lists("upgrade", "WebSocket") == true)
        let alone = try Parsing.request("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n")
        #expect(alone?.asksUpgrade == false)
    }
}
