// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import TaplineImport

@Suite("Flows of mitmproxy")
struct MitmproxyParserTests {
    fileprivate static let request = dictionary([
        "method": bytes("POST"), "scheme": bytes("http"), "host": text("::1"),
        "port": number("8080"), "path": bytes("/a"), "http_version": bytes("HTTP/2.0"),
        "authority": bytes(""), "headers": list(list(bytes("x"), bytes("1"))),
        "content": bytes("hi"), "trailers": list(list(bytes("t"), bytes("2"))),
        "timestamp_start": number("1700000000"), "timestamp_end": number("1700000000.25"),
    ])

    @Test("have the parts of exchanges, with the names of current and older formats")
    func parts() throws {
        let flow = dictionary([
            "version": number("16"), "type": text("http"),
            "id": text("01931234-5678-7abc-8def-0123456789ab"), "error": null,
            "client_conn": dictionary([
                "address": list(text("10.0.0.1"), number("5000")), "tls_established": yes,
                "tls_version": text("TLSv1.3"), "cipher_name": text("c"), "sni": text("s"),
                "alpn_proto_negotiated": bytes("h2"),
            ]),
            "server_conn": dictionary([
                "ip_address": list(text("::1"), number("8080")), "tls": tagged([], "~"),
            ]),
            "request": Self.request, "response": null, "comment": text("look"),
            "marked": text(":star:"), "backup": dictionary([:]),
        ])
        let imported = Imported(flow)
        #expect(imported.messages.isEmpty, "\(imported.messages)")
        let exchange = try #require(imported.exchanges.first)
        #expect(exchange.id.description == "01931234-5678-7abc-8def-0123456789ab")
        #expect(exchange.request.url == "http://[::1]:8080/a")
        #expect(exchange.request.version == "HTTP/2")
        #expect(exchange.request.fields == ["x": "1"])
        #expect(exchange.request.trailers == ["t": "2"])
        #expect(exchange.request.body.bytes == Array("hi".utf8))
        #expect(exchange.connection.client == "10.0.0.1:5000")
        #expect(exchange.connection.server == "[::1]:8080")
        let tls = TLSInfo(version: "TLSv1.3", cipher: "c", sni: "s", alpn: "h2")
        #expect(exchange.connection.tls == tls)
        #expect(exchange.connection.serverTLS == nil)
        #expect(exchange.extra?.notes == [ExchangeNote(text: "look", mark: ":star:")])
        #expect(exchange.state == .failed && exchange.error?.code == "no_response")
        #expect(imported.lossKinds == ["1 backup"])
    }

    @Test("have times, and errors")
    func times() throws {
        let exchange = try #require(Imported(Samples.flow).exchanges.first)
        #expect(exchange.started.microseconds == 1_700_000_000_500_000)
        #expect(exchange.timing.send == Microseconds(100_000))
        #expect(exchange.timing.wait == Microseconds(400_000))
        #expect(exchange.timing.receive == Microseconds(500_000))
        #expect(exchange.timing.total == Microseconds(1_000_000))
        #expect(exchange.request.url == "https://shop.test/a")
        func failed(_ message: String) -> Exchange? {
            Imported(
                dictionary([
                    "version": number("21"), "type": text("http"), "request": Self.request,
                    "error": dictionary(["msg": text(message), "timestamp": number("1.5")]),
                ])
            ).exchanges.first
        }
        #expect(failed("reset")?.error == ExchangeError(code: "failed", message: "reset"))
        #expect(failed("Connection killed.")?.state == .cancelled)
    }

    @Test("have messages of WebSockets")
    func webSocket() throws {
        let flow = dictionary([
            "version": number("21"), "type": text("http"), "request": Self.request,
            "websocket": dictionary([
                "messages": list(
                    list(number("1"), yes, bytes("up"), number("1700000001"), null, null),
                    list(number("2"), null, bytes("down"), number("1.0"))
                ),
                "closed_by_client": yes, "close_code": number("1000"), "close_reason": text("bye"),
                "timestamp_end": number("1700000002.5"),
            ]),
        ])
        let messages = try #require(Imported(flow).exchanges.first).messages
        #expect(messages.map(\.type) == ["text", "binary", "close"])
        #expect(messages.map(\.direction) == [.up, .down, .up])
        #expect(messages.map(\.at) == [Microseconds(1_000_000), nil, Microseconds(2_500_000)])
        #expect(messages.last?.code == 1000)
        #expect(messages.last?.bytes == Array("bye".utf8))
    }

    @Test("other than HTTP are counted")
    func kinds() {
        func flow(_ type: String) -> [UInt8] {
            dictionary(["version": number("21"), "type": text(type)])
        }
        let imported = Imported(flow("tcp") + flow("dns") + flow("udp") + flow("tcp") + flow("x"))
        #expect(imported.messages.isEmpty)
        #expect(
            imported.unreadKinds == [
                "2 flows (TCP)", "1 flows (DNS)", "1 flows (UDP)", "1 flows (unknown type)",
            ]
        )
    }

    @Test(
        "that are malformed are errors with their byte, and others are read",
        arguments: [
            (dictionary(["version": list(number("0"), number("18"))]), "before 4"),
            (dictionary(["version": number("3")]), "before 4"),
            (dictionary(["type": text("http")]), "missing key 'version'"),
            (dictionary(["version": number("9")]), "missing key 'type'"),
            (dictionary(["version": number("9"), "type": text("http")]), "missing key 'request'"),
            (list(number("1")), "expected a dictionary"),
            (tagged(Array("1:a;9:b,".utf8), "}"), "longer than the one around it"),
            (tagged(Array("x".utf8), "}"), "malformed length"),
            (tagged(Array("1:1#1:2#".utf8), "}"), "malformed key"),
            (
                dictionary([
                    "version": number("9"), "type": text("http"), "request": dictionary([:]),
                ]), "missing key 'method'"
            ),
            (
                dictionary([
                    "version": number("9"), "type": text("http"),
                    "request": MitmproxyParserTests.request,
                    "response": dictionary(["status_code": number("-1")]),
                ]), "wrong value of 'status_code'"
            ),
            (
                dictionary([
                    "version": number("9"), "type": text("http"),
                    "request": dictionary(["method": bytes("GET"), "headers": list(list())]),
                ]), "malformed field"
            ),
        ]
    )
    func malformed(flow: [UInt8], message: String) {
        let imported = Imported(flow + Samples.flow, .mitmproxy)
        #expect(imported.exchanges.count == 1)
        #expect(imported.messages.first?.contains(message) == true, "\(imported.messages)")
        #expect(imported.unreadKinds == ["1 flows (malformed)"])
    }

    @Test("end at a length that cannot be read, and skip flows that are too large")
    func limits() {
        let broken = Imported(Samples.flow + Array("x".utf8), .mitmproxy)
        #expect(broken.exchanges.count == 1)
        #expect(broken.end?.byte == Samples.flow.count)
        #expect(Imported(Array("99999999999999999999:".utf8), .mitmproxy).end != nil)
        let cut = Imported(Samples.flow + Samples.flow.dropLast(), .mitmproxy)
        #expect(cut.exchanges.count == 1 && cut.errors.map(\.code) == [.cutOff])
        let big = tagged(Array(repeating: 0x41, count: 5000), ",")
        for chunk in [1, 100, 10_000] {
            let imported = Imported(
                Samples.flow + big + Samples.flow,
                .mitmproxy,
                chunk: chunk,
                maxRecordBytes: 2000
            )
            #expect(imported.exchanges.count == 2, "\(chunk)")
            #expect(imported.unreadKinds == ["1 flows (too large)"])
        }
    }

    @Test("of hostile nesting and size are read in bounded time")
    func hostile() throws {
        var nested = tagged([], "]")
        for _ in 0..<5000 { nested = tagged(nested, "]") }
        let flow = dictionary([
            "version": number("21"), "type": text("http"), "request": Self.request,
            "websocket": dictionary(["messages": nested]), "metadata": nested,
        ])
        #expect(Imported(flow).errors.count == 1)
        let many = tagged(Array(repeatElement(null, count: 1_000_002).joined()), "]")
        #expect(throws: RecordError.self) {
            try TNetValue(many, at: 0, limit: many.count).elements(many)
        }
        let keys = tagged((0..<1002).flatMap { text("\($0)") + null }, "}")
        #expect(throws: RecordError.self) {
            try TNetValue(keys, at: 0, limit: keys.count).members(keys)
        }
    }
}
