// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A body that is slower than 'min_rate'")
struct MinRateTests {
    private func settings(perSecond: Int = 1000) -> ProxySettings {
        var settings = ProxySettings()
        settings.minRate = RateWatch.Limit(
            bytesPerSecond: perSecond,
            window: Microseconds(300_000)
        )
        return settings
    }

    @Test(
        "gets 408 if it is the body of a request",
        arguments: [BodyBuffer.none, .init(.wire, maxBytes: 9999)]
    )
    func request(buffer: BodyBuffer) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(settings(), stages: [liveStage(buffer: buffer)])
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\n",
            then: "trickle_until_answered"
        )
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 408 "))
        #expect(output.contains("'min_rate'"))
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed && exchange.error?.code == "timeout")
        #expect(exchange.request.body.isTruncated && !exchange.request.body.bytes.isEmpty)
        #expect(exchanges.count == 1 && report.isBalanced)
    }

    @Test("ends with its connection if it is the body of a response")
    func response() async throws {
        let output = try await trickled(settings(), type: "text/plain")
        #expect(output.text.hasPrefix("HTTP/1.1 200 "))
        #expect(!output.text.contains("end"))
        let exchange = try #require(output.exchanges.first)
        #expect(exchange.state == .failed && exchange.error?.code == "timeout")
        #expect(exchange.error?.message.contains("'min_rate'") == true)
        #expect(exchange.response?.body.isTruncated == true)
    }

    @Test(
        "passes without a limit, and as an event stream",
        arguments: [(true, "text/plain"), (false, "text/event-stream; charset=utf-8")]
    )
    func exempt(hasNoLimit: Bool, type: String) async throws {
        var settings = settings()
        if hasNoLimit { settings.minRate = nil }
        let output = try await trickled(settings, type: type)
        #expect(output.text.contains("end"))
        #expect(output.exchanges.first?.state == .completed)
    }

    /// Returns the result of a response with two bytes each 20 ms for 1.5 s, followed by `end`.
    private func trickled(
        _ settings: ProxySettings,
        type: String
    ) async throws -> (text: String, exchanges: [Exchange]) {
        let proxy = await ProxyHarness.start(settings)
        let text = try await Python.run("trickling_response", ["\(proxy.address.port)", type])
        return (text, await proxy.stop().exchanges)
    }

    @Test("does not include a server that takes its time, or a tunnel")
    func silence() async throws {
        let server = try ScriptedServer { _, _ in .silence }
        var settings = settings()
        settings.timeouts.idle = Microseconds(1_500_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            then: "read"
        )
        #expect(output.hasPrefix("HTTP/1.1 504 "))
        let tunnel = try await exchangeBytes(
            with: proxy.address,
            "CONNECT \(server.address) HTTP/1.1\r\nHost: \(server.address)\r\n\r\n",
            then: "trickle_and_half_close",
            ["40", "0.02"]
        )
        #expect(tunnel.hasPrefix("HTTP/1.1 200 "))
        let exchanges = await proxy.stop().exchanges
        #expect(exchanges.map(\.error?.message).first == "the server sent nothing for too long")
        #expect(exchanges.last?.bytes?.up.body == 40)
    }
}
