// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TestSupport

/// Exchanges of few values, many of them unusual, so that random filters match some of them.
enum RandomExchange {
    static let words = [
        "a", "b", "A", "x", "note", "request", "n", "u0000", "é", "Zürich", "%", "*",
    ]

    static func make(_ number: Int, _ random: inout Random) throws -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(
                high: 0x0193_0000_0000_7000 + UInt64(number),
                low: 0x8000_0000_0000_0001
            ),
            source: random.pick(["", "proxy", "replay", "pro\u{0}xy"]),
            state: random.pick(ExchangeState.allCases),
            started: Timestamp(microseconds: Int64(1000 + number % 50))
        )
        exchange.request = request(&random)
        exchange.request.body = try body(&random)
        if random.below(4) > 0 {
            exchange.response = try response(&random)
        }
        if random.below(2) == 0 {
            exchange.timing.total = Microseconds(Int64(random.below(5)) * 100_000)
        }
        exchange.connection.client = random.pick(["", "10.0.0.1:1", "10.0.0.2:2"])
        exchange.connection.server = random.pick(["", "10.0.0.1:1", "s\u{0}1"])
        if random.below(3) == 0 {
            exchange.connection.tls = TLSInfo(version: random.pick(["", "TLSv1.3", "TLSv1.2"]))
        }
        if random.below(3) == 0 {
            exchange.error = ExchangeError(code: random.pick(["", "reset", "dns"]))
        }
        if random.below(3) == 0 {
            exchange.bytes = ByteCounts(
                up: .init(line: random.below(3), headers: random.pick([0, 1, .max]), body: 1),
                down: .init(line: 1, headers: random.below(3), body: 2)
            )
        }
        addTags(to: &exchange, &random)
        addMessages(to: &exchange, &random)
        return exchange
    }

    private static func addTags(to exchange: inout Exchange, _ random: inout Random) {
        for name in ["team", "t\"1", "correlation"] where random.below(3) == 0 {
            exchange.tags[name] = random.pick(words + ["", "a\u{0}b", "q\"\n"])
        }
    }

    private static func addMessages(to exchange: inout Exchange, _ random: inout Random) {
        while random.below(4) == 0 {
            exchange.messages.append(
                StreamMessage(direction: .up, bytes: bytes(&random))
            )
        }
        if random.below(8) == 0 {
            var extra = ExchangeExtra()
            extra.notes = [ExchangeNote(text: random.pick(words), mark: random.pick(["", "red"]))]
            exchange.extra = extra
        }
    }

    private static func request(_ random: inout Random) -> Request {
        let targets: [ByteString] = [
            "/", "*", "", "/a", "/a?x=1", "/a/b?x=1&x=a", "/a?", "/a#f?x=1", "/users/17?n=%61",
            "/users/{id}", "/a/*", "http://h.test/a?x=b", "h.test:443", "/é?x=é", "/A",
            ByteString([0x2F, 0xFF, 0x3F, 0x78, 0x3D, 0x61]), ByteString([0x2F, 0x00, 0x61]),
        ]
        return Request(
            method: random.pick(["GET", "POST", "get", "CONNECT", "", ByteString([0x47, 0x00])]),
            target: random.pick(targets),
            scheme: random.pick(["http", "HTTPS", "", ByteString([0xFF, 0x41])]),
            authority: random.pick([
                "", "h.test", "H.Test:8443", "u:p@a.shop.test:99999", "[::1]:80",
                ByteString([0xFF, 0x62]), ByteString([0x61, 0x00]),
            ]),
            version: random.pick(["HTTP/1.1", "HTTP/2", ""]),
            fields: fields(&random)
        )
    }

    private static func response(_ random: inout Random) throws -> Response {
        Response(
            status: random.pick([0, 99, 100, 200, 204, 404, 503, 600, -1]),
            version: random.pick(["HTTP/1.1", "HTTP/2", ""]),
            fields: fields(&random),
            body: try body(&random),
            trailers: random.below(5) == 0 ? fields(&random) : FieldSection()
        )
    }

    private static func fields(_ random: inout Random) -> FieldSection {
        var fields = FieldSection()
        let names = [
            "X-A", "x-a", "X-B", "Content-Type", "Cookie", "Set-Cookie", "x_a", "traceparent",
            "X-Request-Id", "x-a\u{0}", "note", "grpc-status",
        ]
        while random.below(4) > 0 {
            let name = random.pick(names)
            var value = bytes(&random)
            switch name {
            case "Cookie", "Set-Cookie":
                value = Array(random.pick(["a=1; b=2", "a", "b=a; a=", " a = x ; Path=/"]).utf8)
                if random.below(6) == 0 { value.append(0xFF) }
            case "Content-Type":
                value = Array(
                    random.pick([
                        "text/plain", "Application/JSON; a=b", "", "application/grpc",
                        "Application/GRPC+proto",
                    ]).utf8
                )
                if random.below(8) == 0 { value.append(0xFF) }
            case "grpc-status": value = Array(random.pick(["0", "5", "17", "a"]).utf8)
            case "traceparent":
                value = Array("00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".utf8)
            default: break
            }
            fields.append(name: name.utf8.span, value: value.span)
        }
        return fields
    }

    private static func body(_ random: inout Random) throws -> Body {
        var content = bytes(&random)
        switch random.below(8) {
        case 0: return Body(bytes: [], size: random.pick([nil, 0, 12]))
        case 1: content = Array(#"{"a":1,"b":[{"a":"x"},2.5,true],"note":"é","a":"b"}"#.utf8)
        case 2: content = Array(repeating: 0x61, count: 200) + Array("note".utf8)
        case 3: content = [0xFF, 0x00] + Array(repeating: 0x62, count: 200)
        case 4: content = Array((0..<2000).map { "line \($0) a\n" }.joined().utf8)
        default: break
        }
        var body = Body(bytes: content, size: random.pick([nil, content.count, 4096]))
        switch random.below(10) {
        case 0: body.coding = "x-own"
        case 1:
            body.bytes = try ContentCoding.gzip.encode(content.span)
            body.coding = "gzip"
            if random.below(2) == 0 { body.bytes.removeLast(4) }
        case 2: body.isTruncated = true
        case 3: body.contentType = "text/html"
        default: break
        }
        return body
    }

    private static func bytes(_ random: inout Random) -> [UInt8] {
        switch random.below(8) {
        case 0: []
        case 1: [0xFF, 0x61]
        case 2: Array("a\u{0}b".utf8)
        case 3: Array("q\"\\\n\u{1}n".utf8)
        case 4: Array((random.pick(words) + random.pick(words)).utf8)
        default: Array(random.pick(words).utf8)
        }
    }
}
