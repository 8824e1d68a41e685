// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineImport
import TaplineModel
import Testing

@Suite("Access logs")
struct AccessLogTests {
    private static let start = #"10.0.0.1 - - [10/Oct/2026:13:55:36 -0230] "#

    @Test(
        "in the combined format and its relatives are read",
        arguments: [
            (
                #""GET /a?b HTTP/1.1" 200 12 "http://r/" "ua""#,
                "GET /a?b | Referer: http://r/ | User-Agent: ua"
            ),
            (#""GET /a HTTP/1.1" 200 12"#, "GET /a"),
            (
                #""GET /a HTTP/1.1" 200 12 "-" "ua" "1.2.3.4""#,
                "GET /a | User-Agent: ua | X-Forwarded-For: 1.2.3.4"
            ),
            (#""GET http://b.test/ HTTP/1.1" 200 12 "-" "-""#, "GET http://b.test/"),
            (#""GET /\x22\"\\\xc3\xbc\q HTTP/1.1" 200 -"#, #"GET /""\ü\q"#),
            (#""GET /a b" 200 0"#, "GET /a b"),
        ]
    )
    func combined(rest: String, summary: String) throws {
        let imported = Imported(Self.start + rest)
        #expect(imported.messages.isEmpty, "\(imported.messages)")
        let exchange = try #require(imported.exchanges.first)
        #expect(exchange.request.summary == summary)
        #expect(exchange.started == Timestamp(rfc3339: "2026-10-10T16:25:36Z"))
        #expect(exchange.connection.client == "10.0.0.1")
        #expect(exchange.response?.status == 200)
        #expect(exchange.state == .completed)
    }

    @Test("have users, sizes, servers and requests that the client ended")
    func parts() throws {
        let log =
            #"shop.test:443 ::1 - ann [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/2.0" 499 0 "-" "x""#
            + "\r\n"
            + #"shop.test:8080 ::1 - - [10/Oct/2026:13:55:36 +0000] "GET /b HTTP/1.0" 200 70"#
        let imported = Imported(log)
        try #require(imported.exchanges.count == 2)
        let (first, second) = (imported.exchanges[0], imported.exchanges[1])
        #expect(first.request.url == "https://shop.test/a")
        #expect(first.tags["user"] == "ann")
        #expect(first.state == .cancelled)
        #expect(second.request.url == "http://shop.test:8080/b")
        #expect(second.response?.body.size == 70)
        #expect(second.response?.body.isTruncated == true)
        #expect(second.request.fields.first("Host") == "shop.test:8080")
    }

    @Test("count requests that are not HTTP")
    func notHTTP() {
        let imported = Imported(
            [#""-" 408 0"#, #""\x16\x03\x01" 400 150"#, "\"\" 400 0"].map { Self.start + $0 }
                .joined(separator: "\n")
        )
        #expect(imported.exchanges.isEmpty && imported.messages.isEmpty)
        #expect(imported.unreadKinds == ["3 lines (request is not HTTP)"])
    }

    @Test(
        "of an unknown shape are errors with line and column",
        arguments: [
            (#"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] GET / 200"#, "f:2:43: unknown format"),
            (#"10.0.0.1 - - [2026-10-10T13:55:36] "GET / HTTP/1.1" 200 1"#, "f:2:14: wrong time"),
            (#"10.0.0.1 - - [31/Feb/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1"#, "wrong time"),
            (
                #"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 2x0 1"#,
                "f:2:60: wrong status"
            ),
            (
                #"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1 "-" "-" "-" "-""#,
                "f:2:78: unknown format"
            ),
            (#"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 x"#, "wrong size"),
            (#"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1"#, "a quote has no end"),
            ("hello", "expected an address, a user or a time in brackets"),
            ("a b c d e f", "expected a time in brackets"),
            ("{\"a\":1}", "no keys of an access log"),
            ("{\"a\":", "the text ends inside a value"), ("ü x", "unknown format"),
        ]
    )
    func unknown(line: String, message: String) {
        let imported = Imported("\(Self.start)\"GET / HTTP/1.1\" 200 1\n\(line)\n", .accessLog)
        #expect(imported.exchanges.count == 1)
        #expect(imported.messages.count == 1)
        #expect(imported.messages.first?.contains(message) == true, "\(imported.messages)")
        #expect(imported.unreadKinds == ["1 lines (malformed)"])
    }

    @Test("whose lines have an unknown format are recognized nevertheless")
    func recognized() {
        let imported = Imported(Self.start + #""GET / HTTP/1.1" 200 1 0.005"#)
        #expect(imported.format == .accessLog)
        #expect(imported.errors.count == 1)
    }

    @Test(
        "in JSON are read by common names of keys",
        arguments: [
            (
                #""time_iso8601":"2026-10-10T13:55:36+00:00","request_method":"GET","#
                    + #""request_uri":"/a","host":"a.test","scheme":"https","http_user_agent":"u""#,
                "GET https://a.test/a | User-Agent: u"
            ),
            (#""time_local":"10/Oct/2026:13:55:36 +0000","request":"GET /a HTTP/1.1""#, "GET /a"),
            (#""@timestamp":1791640536,"verb":"PUT","path":"/a","query":"b=1""#, "PUT /a?b=1"),
            (#""ts":"1791640536.0","method":"GET","uri":"/a?x","args":"b=1""#, "GET /a?x"),
            (#""msec":1791640536000,"Method":"GET","URI":"/a","referer":"-""#, "GET /a"),
            (
                #""time":"2026-10-10T13:55:36+0000","method":"GET","url":"/a","vhost":"b.test""#,
                "GET http://b.test/a"
            ),
            (
                #""ts":1791640536,"method":"GET","url":"/a","scheme":"x y","host":"u@b.test/c?d""#,
                "GET http://b.test/a"
            ),
        ]
    )
    func json(members: String, summary: String) throws {
        let imported = Imported("{\(members),\"status\":\"200\"}", .accessLog)
        #expect(imported.messages.isEmpty, "\(imported.messages)")
        let exchange = try #require(imported.exchanges.first)
        #expect(exchange.request.summary == summary)
        #expect(exchange.started == Timestamp(rfc3339: "2026-10-10T13:55:36Z"))
        #expect(exchange.response?.status == 200)
    }

    @Test("in JSON have durations, addresses and sizes, and keys without a place")
    func jsonParts() throws {
        let text =
            #"{"time_iso8601":"2026-10-10T13:55:36Z","method":"GET","uri":"/","status":200,"#
            + #""request_time":"1.500","remote_addr":"::1","remote_port":5000,"#
            + #""body_bytes_sent":12,"upstream":"x","pid":1,"user":"ann","bytes":{"a":1}}"#
        let imported = Imported(text)
        #expect(imported.format == .accessLog)
        let exchange = try #require(imported.exchanges.first)
        #expect(exchange.timing.total == Microseconds(1_500_000))
        #expect(exchange.started == Timestamp(rfc3339: "2026-10-10T13:55:34.5Z"))
        #expect(exchange.connection.client == "[::1]:5000")
        #expect(exchange.response?.body.size == 12)
        #expect(imported.lossKinds == ["3 keys (without a place)"])
        let other = Imported(#"{"method":"GET","uri":"/","status":1000,"duration_us":-1}"#)
        #expect(other.lossKinds == ["2 keys (without a place)"])
    }

    @Test("have lines of a limited length")
    func limits() {
        let long = String(repeating: "x", count: 3 << 20)
        let line = #"10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET / HTTP/1.1" 200 1"#
        let bytes = Array("\(line)\n\(long)\n\(line)\n\(long)".utf8)
        for chunk in [100_000, .max] {
            let imported = Imported(bytes, chunk: chunk)
            #expect(imported.exchanges.count == 2)
            #expect(imported.errors.map(\.code) == [.tooLarge, .tooLarge])
            #expect(imported.errors.map(\.line) == [2, 4])
        }
    }
}
