// SPDX-License-Identifier: MIT

import Foundation
import TaplineDelivery
import TaplineModel
import TaplineTesting
import Testing

@testable import OTLPSink

@Suite("A request of OTLP")
struct OTLPRequestTests {
    private static let resource = OTLPResource(attributes: [OTLPAttribute("service.name", "shop")])

    /// Two spans, the second with everything that a span can have.
    private static let spans: [OTLPSpan] = {
        var maker = SpanMaker()
        maker.maxEvents = 1
        maker.requestHeaders = ["x-a"]
        var second = Exchange.example(1, status: 503)
        second.state = .failed
        second.error = ExchangeError(code: "reset", message: "broken")
        second.request.fields = [
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "tracestate": "a=b", "X-A": "1", "x-a": "2",
        ]
        second.messages = [
            StreamMessage(direction: .down, bytes: [1]), .init(direction: .up, bytes: []),
        ]
        return [maker.span(of: .example()), maker.span(of: second)]
    }()

    private static func body(_ signal: OTLPSignal, _ encoding: OTLPEncoding) -> [UInt8] {
        var items: [UInt8] = []
        for span in spans {
            let item: OTLPItem = signal == .traces ? .span(span) : .log(span)
            item.append(encoding, to: &items)
        }
        return signal.body(items, encoding, resource)
    }

    private static func scope(_ signal: OTLPSignal) throws -> Fields {
        let group = try #require(Fields(body(signal, .protobuf)).messages(1).first)
        #expect(group.messages(1).first?.attributes(1) == ["service.name": "shop"])
        let scope = try #require(group.messages(2).first)
        #expect(scope.messages(1).first?.text(1) == "tapline")
        #expect(scope.text(3)?.hasPrefix("https://opentelemetry.io/schemas/1.") == true)
        return scope
    }

    @Test("for traces has the fields of trace.proto by number")
    func traces() throws {
        let spans = try Self.scope(.traces).messages(2)
        #expect(spans.count == 2)
        let (first, second) = (spans[0], spans[1])
        #expect(first.bytes(1).first?.count == 16 && first.bytes(2).first?.count == 8)
        #expect(first.bytes(4).isEmpty && first.text(5) == "GET" && first.number(6) == 3)
        #expect(first.messages(15).isEmpty)
        #expect(first.attributes(9)["http.response.status_code"] == "200")
        let trace: [UInt8] = [
            0x4B, 0xF9, 0x2F, 0x35, 0x77, 0xB3, 0x4D, 0xA6, 0xA3, 0xCE, 0x92, 0x9D, 0x0E, 0x0E,
            0x47, 0x36,
        ]
        #expect(second.bytes(1) == [trace] && second.text(3) == "a=b")
        #expect(second.bytes(4) == [[0x00, 0xF0, 0x67, 0xAA, 0x0B, 0xA9, 0x02, 0xB7]])
        #expect(second.messages(15).first?.text(2) == "broken")
        #expect(second.messages(15).first?.number(3) == 2)
        #expect(second.attributes(9)["http.request.header.x-a"] == "1|2")
        #expect(second.messages(11).first?.text(2) == "tapline.message" && second.number(12) == 1)
        // The fixed fields: start, end and flags.
        let fixed = second.all.filter { $0.value == .fixed }.map(\.field)
        #expect(fixed == [7, 8, 16])
    }

    @Test("for logs has the fields of logs.proto by number")
    func logs() throws {
        let logs = try Self.scope(.logs).messages(2)
        #expect(logs.count == 2 && logs[0].number(2) == 9 && logs[1].number(2) == 17)
        #expect(logs[0].text(3) == "INFO")
        #expect(logs[0].messages(5).first?.text(1) == "GET http://shop.test/items/0 200")
        #expect(logs[1].bytes(9).first?.count == 16 && logs[1].bytes(10).first?.count == 8)
        #expect(logs[1].attributes(6)["error.type"] == "reset")
        #expect(logs[1].all.filter { $0.value == .fixed }.map(\.field) == [1, 8, 11])
    }

    @Test("in JSON has ids in hexadecimal digits and numbers of 64 bits as text")
    func json() throws {
        for signal in [OTLPSignal.traces, .logs] {
            let data = Data(Self.body(signal, .json))
            let root = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let names =
                signal == .traces
                ? ("resourceSpans", "scopeSpans", "spans")
                : ("resourceLogs", "scopeLogs", "logRecords")
            let groups = try #require(root[names.0] as? [[String: Any]])
            let scopes = try #require(groups.first?[names.1] as? [[String: Any]])
            let items = try #require(scopes.first?[names.2] as? [[String: Any]])
            #expect(items.count == 2)
            #expect(items[1]["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
            let attributes = try #require(items[0]["attributes"] as? [[String: Any]])
            let code = attributes.first { $0["key"] as? String == "http.response.status_code" }
            #expect((code?["value"] as? [String: Any])?["intValue"] as? String == "200")
            guard signal == .traces else { continue }
            #expect(items[1]["parentSpanId"] as? String == "00f067aa0ba902b7")
            #expect(items[0]["startTimeUnixNano"] as? String == "1795183380000000000")
            #expect(items[0]["kind"] as? Int == 3 && items[0]["status"] == nil)
            #expect((items[1]["status"] as? [String: Any])?["code"] as? Int == 2)
            #expect((items[1]["events"] as? [Any])?.count == 1)
        }
    }

    /// The histograms of three exchanges, of which two have the same attributes.
    private static let metrics: OTLPMetrics = {
        var metrics = OTLPMetrics(.client)
        let maker = SpanMaker()
        for exchange in [Exchange.example(0), .example(1), .example(2, status: 500)] {
            metrics.add(maker.span(of: exchange))
        }
        var untimed = Exchange.example(3)
        untimed.timing.total = nil
        metrics.add(maker.span(of: untimed))
        return metrics
    }()

    @Test("for metrics has the fields of metrics.proto by number")
    func metrics() throws {
        var items: [UInt8] = []
        OTLPItem.metrics(Self.metrics).append(.protobuf, to: &items)
        let body = OTLPSignal.metrics.body(items, .protobuf, Self.resource)
        let scope = try #require(Fields(body).messages(1).first?.messages(2).first)
        let metric = try #require(scope.messages(2).first)
        #expect(metric.text(1) == "http.client.request.duration" && metric.text(3) == "s")
        let histogram = try #require(metric.messages(9).first)
        #expect(histogram.number(2) == 1)
        let points = histogram.messages(1)
        #expect(points.map { $0.attributes(9)["http.response.status_code"] } == ["200", "500"])
        #expect(points[0].attributes(9)["url.full"] == nil)
        // 12 ms are in the third of 15 buckets, whose counts have eight bytes each.
        let counts = try #require(points[0].bytes(6).first)
        #expect(counts.count == 15 * 8 && counts[2 * 8] == 2)
        #expect(counts.filter { $0 != 0 }.count == 1)
        #expect(points[0].bytes(7).first?.count == 14 * 8)
        let fixed = points[0].all.filter { $0.value == .fixed }.map(\.field)
        #expect(fixed == [2, 3, 4, 5, 11, 12])
        let point = Self.metrics.points[0]
        #expect(point.count == 2 && abs(point.sum - 0.024) < 1e-9 && point.most == 0.012)
    }

    @Test("for metrics in JSON has counts as text")
    func metricsInJSON() throws {
        var items: [UInt8] = []
        OTLPItem.metrics(Self.metrics).append(.json, to: &items)
        let body = Data(OTLPSignal.metrics.body(items, .json, Self.resource))
        let root = try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
        let group = try #require((root["resourceMetrics"] as? [[String: Any]])?.first)
        let scope = try #require((group["scopeMetrics"] as? [[String: Any]])?.first)
        let metric = try #require((scope["metrics"] as? [[String: Any]])?.first)
        let histogram = try #require(metric["histogram"] as? [String: Any])
        let points = try #require(histogram["dataPoints"] as? [[String: Any]])
        #expect(points.count == 2 && points[0]["count"] as? String == "2")
        #expect((points[0]["bucketCounts"] as? [String])?[2] == "2")
        #expect((points[0]["explicitBounds"] as? [Double])?.first == 0.005)
    }

    @Test("that was accepted in part is counted")
    func partial() {
        var writer = ProtobufWriter()
        writer.message(1) { writer in
            writer.string(2, "too old")
            writer.number(1, 3)
        }
        func rejected(_ body: [UInt8], _ type: String, isComplete: Bool = true) -> Int {
            PartialSuccess.rejected(
                in: DeliveryResponse(
                    status: 200,
                    fields: ["Content-Type": type],
                    body: body,
                    isComplete: isComplete
                )
            )
        }
        let (binary, json) = ("application/x-protobuf", "application/json")
        #expect(rejected(writer.bytes, binary) == 3)
        #expect(rejected(writer.bytes, binary, isComplete: false) == 0)
        #expect(rejected([], binary) == 0 && rejected([0x0A, 0xFF], binary) == 0)
        for text in [#""rejectedSpans":"2""#, #""rejectedLogRecords": 2"#] {
            #expect(rejected(Array("{\"partialSuccess\":{\(text)}}".utf8), json) == 2)
        }
        for text in [
            "{}", "[", #"{"partialSuccess":1}"#, #"{"partialSuccess":{"rejectedSpans":-1}}"#,
        ] {
            #expect(rejected(Array(text.utf8), json) == 0)
        }
        let endless: [UInt8] = [0x0A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [1]
        #expect(rejected(endless, binary) == .max)
    }
}
