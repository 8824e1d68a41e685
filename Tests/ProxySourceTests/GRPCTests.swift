// SPDX-License-Identifier: MIT

import Foundation
import TaplineModel
import TestSupport
import Testing

@testable import ProxySource

@Suite("gRPC calls through a proxy")
struct GRPCTests {
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

    @Test("pass a proxy of HTTP/1.1 and are completed with any status")
    func proxied() async throws {
        let origin = try ScriptedServer { _, _ in
            .send(
                "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTrailer: grpc-status\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n"
                    + "6\r\n\0\0\0\0\u{3}t\r\n2\r\nwo\r\n0\r\ngrpc-status: 5\r\n\r\n"
            )
        }
        let proxy = await ProxyHarness.start()
        let body = Self.frame(Array("one".utf8)).map { String(format: "\\x%02x", $0) }.joined()
        let script = """
            printf '\(body)' | curl -sS -m 10 -x \(proxy.address) --data-binary @- \
            -H 'Content-Type: application/grpc' http://\(origin.address)/shop.v1.Orders/Get
            """
        _ = try await command("bash", ["-c", script])
        let (_, exchanges) = await proxy.stop()
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(Self.text(exchange.messages) == ["> grpc one", "< grpc two"])
        #expect(exchange.tags == ["grpc.status": "NOT_FOUND"])
        #expect(exchange.response?.trailers == ["grpc-status": "5"])
        origin.stop()
    }

    @Test("are answered from a recording with their final status")
    func mocked() async throws {
        // `{1: "two"}` in two messages, and the status in the trailers.
        let line =
            #"{"v":1,"state":"completed","started":"2026-11-20T14:03:00Z","#
            + #""request":{"method":"POST","url":"http://api.test/shop.v1.Orders/Get","#
            + #""headers":[["Content-Type","application/grpc"]],"body":{"base64":"AAAAAAA="}},"#
            + #""response":{"status":200,"headers":[["Content-Type","application/grpc"],["Trailer","grpc-status"]],"#
            + #""body":{"base64":"AAAAAAUKA3R3bwAAAAAFCgN0d28="},"#
            + #""trailers":[["grpc-status","5"],["grpc-message","no%20order"]]}}"#
        let mock = try Mock([line])
        let proxy = await mock.start()
        let script = """
            printf '\\0\\0\\0\\0\\0' | curl -sS -m 10 -i --raw --data-binary @- \
            -H 'Content-Type: application/grpc' http://\(proxy.address)/shop.v1.Orders/Get | tr -d '\\0'
            """
        let output = try await command("bash", ["-c", script])
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("grpc-status: 5\r\ngrpc-message: no%20order\r\n\r\n"))
        #expect(!output.contains("Content-Length"))
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(
            Self.text(exchange.messages) == ["> grpc ", "< grpc \n\u{3}two", "< grpc \n\u{3}two"]
        )
        #expect(exchange.tags == ["grpc.status": "NOT_FOUND", "grpc.message": "no order"])
        #expect(exchange.response?.trailers.count == 2)
    }
}
