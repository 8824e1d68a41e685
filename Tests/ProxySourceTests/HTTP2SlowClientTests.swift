// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// Tests for clients of HTTP/2 that take their responses slowly, or not at all, or break the rules.
@Suite("HTTP/2 with clients that misbehave")
struct HTTP2SlowClientTests {
    /// A stage that answers requests with a body of this size.
    private func answering(_ count: Int) -> [Topology.Stage] {
        let response = Response(body: Body([UInt8](repeating: 0x78, count: count)))
        let stage = ScriptedStage(request: { _, _ in .respond(response) })
        return [Topology.Stage(id: "s", stage)]
    }

    @Test("fails after one time limit if nobody takes a response that was made as a whole")
    func unread() async throws {
        var settings = ProxySettings.usingHTTP2
        settings.timeouts.idle = Microseconds(100_000)
        let proxy = await ProxyHarness.start(settings, stages: answering(300_000))
        let output = try await proxy.http2("shop.test", "unread", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 65535 2")
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "timeout")
        #expect(exchange.error?.message.hasPrefix("the client took nothing") == true)
        #expect(exchange.response?.status == 200)
        #expect(exchange.response?.body.bytes.count == 300_000)
        #expect(exchange.bytes?.isExact == false)
        #expect(exchange.bytes?.down.body ?? 0 < 70_000)
    }

    @Test("limits how slowly a response is taken that was made as a whole")
    func trickle() async throws {
        var settings = ProxySettings.usingHTTP2
        settings.minRate = RateWatch.Limit(bytesPerSecond: 5000, window: Microseconds(100_000))
        let proxy = await ProxyHarness.start(settings, stages: answering(300_000))
        let output = try await proxy.http2("shop.test", "trickle", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 2")
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.message.contains("'min_rate'") == true)
    }

    @Test("is cancelled by a reset without an error before the end of the response")
    func dropped() async throws {
        let origin = try HTTP2Origin()
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "drop", "/size/200000")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 200")
        let dropped = exchanges.first { $0.request.target == "/size/200000" }
        #expect(dropped?.state == .cancelled)
        #expect(dropped?.error?.code == "client_closed")
        #expect(dropped?.bytes?.isExact == false)
        #expect(exchanges.filter { $0.state == .completed }.count == 2)
    }

    @Test("records why it ended the connection of a client")
    func flood() async throws {
        let origin = try HTTP2Origin()
        var settings = origin.settings()
        settings.http2.clients.frames.resets = 5
        let proxy = await ProxyHarness.start(settings)
        let output = try await proxy.http2("shop.test", "flood", "80")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "True")
        let blamed = exchanges.filter { $0.error?.code == "malformed_request" }
        #expect(blamed.allSatisfy { $0.state == .failed })
        #expect(blamed.contains { $0.request.target == "/silent" })
        let own = blamed.filter { $0.extra?.stream?.client?.id == nil }
        #expect(own.count == 1)
        #expect(own.first?.error?.message.contains("'max_resets: 5'") == true)
    }

    @Test("does not keep the streams of a client that reads nothing")
    func deaf() async throws {
        var settings = ProxySettings.usingHTTP2
        settings.timeouts.idle = Microseconds(100_000)
        let proxy = await ProxyHarness.start(settings, stages: answering(1_000_000))
        let output = try await proxy.http2("shop.test", "deaf", "20")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "True")
        #expect(exchanges.count == 20)
        #expect(exchanges.allSatisfy { $0.state == .failed })
        let messages = exchanges.compactMap(\.error?.message)
        #expect(messages.allSatisfy { $0.hasPrefix("the client took nothing") })
    }

    @Test("bounds what waits for hooks in all streams of a client together")
    func buffers() async throws {
        let origin = try HTTP2Origin()
        var settings = origin.settings()
        settings.maxCapturedPerClient = 100_000
        settings.http2.clients.firstWindow = settings.http2.clients.streamWindow
        let stage = ScriptedStage(request: { exchange, _ in
            let body = exchange.request.body
            exchange.tags["seen"] = "\(body.bytes.count) \(body.isTruncated)"
            return .proceed
        })
        let buffer = BodyBuffer(.wire, maxBytes: 1 << 20)
        let proxy = await ProxyHarness.start(
            settings,
            stages: [Topology.Stage(id: "s", stage, buffer: buffer)]
        )
        let output = try await proxy.http2("shop.test", "uploads")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/first 1 3 147456 /second 1 1 32768")
        let first = exchanges.first { $0.request.target == "/first" }
        let second = exchanges.first { $0.request.target == "/second" }
        // Nothing else waits beside the first one, except for a moment.
        #expect(first?.tags["seen"] == "147456 false")
        #expect(second?.tags["seen"]?.hasSuffix(" true") == true)
    }
}
