// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource

/// Tests for responses that arrive in parts, and for bodies that end with the connection.
@Suite("Incomplete responses")
struct HalfResponseTests {
    /// Returns curl's output for a path, its exit status, and the record.
    private func get(
        _ path: String,
        requiresAlert: Bool = false
    ) async throws -> (output: String, exchange: Exchange) {
        let origin = try await SecureOrigin(program: "half_response_server")
        var settings = origin.upstream()
        settings.requiresClosingAlert = requiresAlert
        let proxy = await ProxyHarness.start(settings)
        let output = try await command(
            "sh",
            ["-c", "curl -s -m 20 http://\(proxy.address)\(path); echo \" $?\""]
        )
        let (_, exchanges) = await proxy.stop()
        return (output, try #require(exchanges.first))
    }

    @Test(
        "without TLS's closing alert a body that ends with the connection is delivered and tagged"
    )
    func untilCloseWithoutAlert() async throws {
        let (output, exchange) = try await get("/until")
        #expect(output == "hello 0\n" || output == "hello 0")
        #expect(exchange.state == .completed)
        #expect(exchange.tags["tls_truncated"] == "true")
        #expect(exchange.response?.body.bytes == Array("hello".utf8))
    }

    @Test("with the alert there is no tag")
    func untilCloseWithAlert() async throws {
        let (output, exchange) = try await get("/until-alert", requiresAlert: true)
        #expect(output.hasPrefix("hello 0"))
        #expect(exchange.state == .completed)
        #expect(exchange.tags["tls_truncated"] == nil)
    }

    @Test("the alert may be required")
    func alertRequired() async throws {
        let (output, exchange) = try await get("/until", requiresAlert: true)
        #expect(!output.hasSuffix(" 0") && !output.hasSuffix(" 0\n"))
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "tls_truncated")
    }

    @Test(
        "a truncated body of known length always fails",
        arguments: ["/cut", "/cut-alert"]
    )
    func cut(path: String) async throws {
        let (output, exchange) = try await get(path)
        #expect(!output.hasSuffix(" 0") && !output.hasSuffix(" 0\n"))
        #expect(exchange.state == .failed)
        #expect(exchange.tags["tls_truncated"] == nil)
    }

    @Test("a part of a response is acknowledged at once, so that the rest follows")
    func acknowledges() async throws {
        let origin = try await SecureOrigin(program: "small_writes_server")
        var settings = origin.upstream(isSecure: false)
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings)
        let urls = (0..<40).map { "http://\(proxy.address)/\($0)" }
        let started = SteadyClock.microseconds
        let output = try await command("curl", ["-s", "-m", "20"] + urls)
        let elapsed = SteadyClock.microseconds - started
        let (_, exchanges) = await proxy.stop()
        #expect(output == String(repeating: "hello", count: 40))
        let waits = exchanges.compactMap { $0.timing.receive?.count }.sorted()
        #expect(waits.count == 40)
        // Otherwise each, except the first few, would wait for 40 ms.
        #expect(waits[20] < 20_000, "\(waits) \(elapsed)")
    }
}
