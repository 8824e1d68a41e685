// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTesting
import Testing

@testable import OTLPSink

@Suite("The span of an exchange")
struct SpanMakerTests {
    private static func attributes(_ span: OTLPSpan) -> [String: OTLPAttribute.Value] {
        Dictionary(span.attributes.map { ($0.name, $0.value) }) { first, _ in
            Issue.record("an attribute is repeated")
            return first
        }
    }

    @Test("has the names of the semantic conventions")
    func conventions() {
        var exchange = Exchange.example(7)
        exchange.request.method = "POST"
        exchange.request.scheme = "https"
        exchange.request.target = "/cart?x=1"
        exchange.request.fields = [
            "Host": "shop.test", "User-Agent": "curl/8", "X-A": "1", "x-a": "2",
        ]
        exchange.request.body = Body(Array("12345".utf8))
        exchange.connection = Connection(client: "[::1]:5", server: "192.0.2.1:8443")
        var maker = SpanMaker()
        maker.requestHeaders = ["x-a", "x-none"]
        maker.responseHeaders = ["content-type"]
        let span = maker.span(of: exchange)
        #expect(span.name == "POST" && span.kind == .client && !span.isError)
        #expect(span.start == 1_795_183_380_007_000_000 && span.end - span.start == 12_000_000)
        #expect(span.trace == TraceID(high: exchange.id.high, low: exchange.id.low))
        #expect(span.id == exchange.id.low && span.parent == nil)
        let expected: [String: OTLPAttribute.Value] = [
            "http.request.method": .string("POST"),
            "url.full": .string("https://shop.test/cart?x=1"),
            "url.path": .string("/cart"),
            "url.query": .string("x=1"),
            "url.scheme": .string("https"),
            "server.address": .string("shop.test"),
            "server.port": .integer(443),
            "network.protocol.version": .string("1.1"),
            "network.peer.address": .string("192.0.2.1"),
            "network.peer.port": .integer(8443),
            "user_agent.original": .string("curl/8"),
            "http.request.body.size": .integer(5),
            "http.response.status_code": .integer(200),
            "http.response.body.size": .integer(11),
            "http.request.header.x-a": .strings(["1", "2"]),
            "http.response.header.content-type": .strings(["application/json"]),
            "tapline.exchange.id": .string("\(exchange.id)"),
            "tapline.source": .string("example"),
        ]
        #expect(Self.attributes(span) == expected)
        #expect(span.summary == "POST https://shop.test/cart?x=1 200")
        maker.kind = .server
        #expect(Self.attributes(maker.span(of: exchange))["network.peer.address"] == .string("::1"))
    }

    @Test("is a part of the caller's trace")
    func traceparent() {
        var exchange = Exchange.example()
        exchange.request.fields = [
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate": "vendor=1",
        ]
        let span = SpanMaker().span(of: exchange)
        #expect(span.trace.high == 0x4BF9_2F35_77B3_4DA6 && span.parent == 0x00F0_67AA_0BA9_02B7)
        #expect(span.id == exchange.id.low && span.flags == 1 && span.traceState == "vendor=1")
        exchange.request.fields = ["traceparent": "[redacted]", "tracestate": "vendor=1"]
        let own = SpanMaker().span(of: exchange)
        #expect(own.trace.high == exchange.id.high && own.parent == nil && own.traceState == "")
    }

    @Test(
        "is an error if the exchange is, for its side",
        arguments: [
            (200, OTLPKind.client, nil), (404, .client, "404"), (404, .server, nil),
            (500, .server, "500"), (503, .client, "503"),
        ]
    )
    func status(status: Int, kind: OTLPKind, error: String?) {
        var maker = SpanMaker()
        maker.kind = kind
        let span = maker.span(of: .example(status: status))
        #expect(span.isError == (error != nil) && span.errorMessage == "")
        #expect(Self.attributes(span)["error.type"] == error.map { .string($0) })
    }

    @Test("of an exchange that failed has the failure")
    func failed() {
        var exchange = Exchange.example()
        exchange.response = nil
        exchange.state = .failed
        exchange.error = ExchangeError(code: "reset", message: "the server reset")
        let span = SpanMaker().span(of: exchange)
        #expect(span.isError && span.errorMessage == "the server reset")
        #expect(Self.attributes(span)["error.type"] == .string("reset"))
        #expect(span.severity.text == "ERROR")
        exchange.error = nil
        exchange.state = .cancelled
        let cancelled = SpanMaker().span(of: exchange)
        #expect(Self.attributes(cancelled)["error.type"] == .string("cancelled"))
        #expect(SpanMaker().span(of: .example(status: 404)).severity.text == "WARN")
    }

    @Test("masks a user in the URL, and names unknown methods by a constant")
    func unusual() {
        var exchange = Exchange.example()
        exchange.request.method = "BREW"
        exchange.request.authority = "me:hunter2@[::1]:8080"
        exchange.request.version = "HTTP/2.0"
        let span = SpanMaker().span(of: exchange)
        let attributes = Self.attributes(span)
        #expect(attributes["url.full"] == .string("http://REDACTED:REDACTED@[::1]:8080/items/0"))
        #expect(attributes["server.address"] == .string("::1"))
        #expect(attributes["server.port"] == .integer(8080))
        #expect(attributes["http.request.method"] == .string("_OTHER"))
        #expect(attributes["http.request.method_original"] == .string("BREW"))
        #expect(attributes["network.protocol.version"] == .string("2") && span.name == "HTTP")
        #expect(!"\(span)".contains("hunter2"))
    }

    @Test("has bounded texts, also between characters and for bytes that are no text")
    func bounds() throws {
        var exchange = Exchange.example()
        exchange.request.fields = [:]
        let agent =
            [UInt8](repeating: 0xFF, count: 3) + Array(String(repeating: "ä", count: 99).utf8)
        exchange.request.fields.append(name: "User-Agent".utf8.span, value: agent.span)
        var maker = SpanMaker()
        maker.maxAttributeBytes = 20
        guard
            case .string(let text)? = Self.attributes(maker.span(of: exchange))[
                "user_agent.original"
            ]
        else { throw Missing() }
        #expect(text.utf8.count <= 20 && text.utf8.count > 16 && text.hasPrefix("\u{FFFD}"))
    }

    @Test("has times that fit, whatever the recording says", arguments: [Int64.min, -1, 0, .max])
    func times(started: Int64) {
        var exchange = Exchange.example()
        exchange.started = Timestamp(microseconds: started)
        for total in [Int64.min, -1, 0, .max] {
            exchange.timing.total = Microseconds(total)
            let span = SpanMaker().span(of: exchange)
            #expect(span.end >= span.start)
        }
    }

    @Test("has events for messages, without their content, only if asked")
    func events() {
        var exchange = Exchange.example()
        exchange.messages = (0..<5).map {
            StreamMessage(direction: .up, at: Microseconds($0 * 10), bytes: Array("secret".utf8))
        }
        #expect(SpanMaker().span(of: exchange).events.isEmpty)
        var maker = SpanMaker()
        maker.maxEvents = 3
        let span = maker.span(of: exchange)
        #expect(span.events.count == 3 && span.droppedEvents == 2)
        #expect(span.events[2].time == span.start + 20_000 && !"\(span)".contains("secret"))
    }

    private struct Missing: Error {}
}
