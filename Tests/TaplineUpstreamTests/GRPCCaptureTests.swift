// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TaplineProtobuf
import Testing

@testable import TaplineUpstream

private final class Unlimited: CaptureMemory {
    func hold(_ count: Int) -> Bool { true }
    func release(_ count: Int) {}
}

@Suite("gRPC calls")
struct GRPCCaptureTests {
    private static func frame(_ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        let count = UInt32(bytes.count)
        return [flags] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> UInt32($0)) }
            + bytes
    }

    private static func text(_ messages: [StreamMessage]) -> [String] {
        messages.map {
            let text = String(decoding: $0.bytes, as: UTF8.self)
            return
                "\($0.direction == .up ? ">" : "<") \($0.type) \(text)\($0.isTruncated ? "…" : "")"
        }
    }

    /// Captures content piece by piece, as sources do.
    private func capture(
        _ type: String = "application/grpc",
        request: [UInt8],
        response: [UInt8],
        fields: FieldSection = FieldSection(),
        trailers: FieldSection = FieldSection(),
        by size: Int = 3,
        limit: Int = 1 << 20
    ) throws -> Exchange {
        let found = GRPCForm(contentType: type.utf8.span)
        let form = try #require(found)
        var all = fields
        all.append(name: "Content-Type", value: type)
        var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
        exchange.request.target = "/shop.v1.Orders/Get"
        exchange.request.fields = all
        exchange.response = Response(fields: all, trailers: trailers)
        let memory = Unlimited()
        let capture = GRPCCapture(form, all, DecodingLimits(), maxCount: 100, limit: limit)
        var time = 0
        func read(_ content: [UInt8], _ direction: StreamMessage.Direction) {
            for start in stride(from: 0, to: content.count, by: size) {
                let piece = Array(content[start..<min(start + size, content.count)])
                time += 1
                capture.read(piece.span, direction, at: Microseconds(Int64(time)), memory)
            }
        }
        read(request, .up)
        if let response = exchange.response { capture.begin(response) }
        read(response, .down)
        capture.fill(&exchange, at: Microseconds(Int64(time)), memory)
        return exchange
    }

    @Test("are recorded message by message with their status", arguments: [1, 3, 1_000])
    func messages(size: Int) throws {
        let gzip = try coded("three", .gzip)
        let exchange = try capture(
            request: Self.frame(Array("one".utf8)) + Self.frame([]),
            response: Self.frame(Array("two".utf8)) + Self.frame(gzip, flags: 1),
            fields: ["grpc-encoding": "gzip"],
            trailers: ["grpc-status": "5", "grpc-message": "no%20order"],
            by: size
        )
        #expect(
            Self.text(exchange.messages) == ["> grpc one", "> grpc ", "< grpc two", "< grpc three"]
        )
        #expect(exchange.messages.map(\.size) == [3, 0, 3, gzip.count])
        let times = exchange.messages.compactMap(\.at?.count)
        #expect(times.count == 4 && times == times.sorted())
        #expect(exchange.tags == ["grpc.status": "NOT_FOUND", "grpc.message": "no order"])
        let facts = GRPCFacts(
            service: "shop.v1.Orders",
            method: "Get",
            status: 5,
            message: "no order"
        )
        #expect(exchange.extra?.grpc == facts)
    }

    @Test("without messages have their status in the fields")
    func trailersOnly() throws {
        let exchange = try capture(
            request: Self.frame([]),
            response: [],
            fields: ["grpc-status": "16"]
        )
        #expect(exchange.tags == ["grpc.status": "UNAUTHENTICATED"])
    }

    @Test("of browsers have their status in the content")
    func web() throws {
        let lines = Array("grpc-status:7\r\ngrpc-message:not%20now\r\n".utf8)
        let content = Self.frame([8, 1]) + Self.frame(lines, flags: 0x80)
        var text: [UInt8] = []
        GRPCWebText.encode(content.span, appendingTo: &text)
        for (type, body) in [
            ("application/grpc-web+proto", content), ("application/grpc-web-text", text),
        ] {
            let request = type.hasSuffix("text") ? Array("AAAAAAA=".utf8) : Self.frame([])
            let exchange = try capture(type, request: request, response: body)
            #expect(exchange.messages.map(\.bytes) == [[], [8, 1]])
            #expect(
                exchange.tags == ["grpc.status": "PERMISSION_DENIED", "grpc.message": "not now"]
            )
        }
    }

    @Test("with other content say so")
    func problems() throws {
        let exchange = try capture(
            request: Array("{}{}{}".utf8),
            response: Self.frame(Array("two".utf8)).dropLast(),
            trailers: ["grpc-status": "0"]
        )
        #expect(Self.text(exchange.messages) == ["< grpc tw…"])
        #expect(exchange.tags["tapline.grpc"] == "up: invalid_frame, down: truncated")
        #expect(exchange.tags["grpc.status"] == "OK")
    }

    @Test("are recorded after a damaged one, but not after the trailers")
    func damage() throws {
        let damaged = Self.frame(Array("damaged".utf8), flags: 1)
        let trailers = Self.frame(Array("grpc-status: 5".utf8), flags: 0x80)
        let later = Self.frame(Array("grpc-status: 0".utf8), flags: 0x80)
        let exchange = try capture(
            "application/grpc-web",
            request: damaged + Self.frame(Array("one".utf8)),
            response: Self.frame(Array("two".utf8)) + trailers + later + Self.frame([8]),
            fields: ["grpc-encoding": "gzip"]
        )
        #expect(Self.text(exchange.messages) == ["> grpc …", "> grpc one", "< grpc two"])
        #expect(
            exchange.tags["tapline.grpc"] == "up: invalid_compression, down: data_after_trailers"
        )
        #expect(exchange.tags["grpc.status"] == "NOT_FOUND")
    }

    @Test("are kept up to the limit of bodies")
    func limits() throws {
        let long = Self.frame([UInt8](repeating: 0x61, count: 100))
        let exchange = try capture(request: long + long, response: long, limit: 120)
        #expect(exchange.messages.map(\.bytes.count) == [100, 20, 100])
        #expect(exchange.messages.map(\.isTruncated) == [false, true, false])
    }

    private func coded(_ text: String, _ coding: ContentCoding) throws -> [UInt8] {
        var output: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(text.utf8.span, appendingTo: &output)
        return output
    }
}
