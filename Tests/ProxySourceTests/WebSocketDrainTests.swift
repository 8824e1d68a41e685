// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// Tests for WebSockets that are open when the pipeline stops; none is waited for until
/// `drain_timeout`.
@Suite("WebSockets when the pipeline stops", .timeLimit(.minutes(3)))
struct WebSocketDrainTests {
    private static let drainTimeout = Microseconds(60_000_000)

    @Test("get a close frame with 1001 (going away)", arguments: [false, true], [false, true])
    func goingAway(_ compresses: Bool, _ hasHook: Bool) async throws {
        let origin = try await WebSocketOrigin(.secure, compresses: compresses)
        let proxy = await ProxyHarness.start(
            origin.settings(),
            stages: hasHook ? [passing] : [],
            drainTimeout: Self.drainTimeout
        )
        async let output = origin.client(
            through: proxy.address,
            compresses: compresses,
            "close_code"
        )
        await wait(for: "the WebSocket to be reported") { !proxy.opened.isEmpty }
        let (_, exchanges) = await proxy.stop()
        // The message may still have been in transit.
        #expect(try await output.hasSuffix("1001\n"))
        #expect(exchanges.map(\.state) == [.cancelled])
        #expect(exchanges.first?.error?.code == "stopped")
    }

    @Test("end after the current frame, with a close frame each way", arguments: [false, true])
    func midFrame(_ hasHook: Bool) async throws {
        let proxy = await ProxyHarness.start(
            stages: hasHook ? [passing] : [],
            drainTimeout: Self.drainTimeout
        )
        // Half a frame is in transit when the pipeline stops. The rest arrives when the proxy no
        // longer listens.
        async let output = ends(
            of: proxy,
            hasHook ? "mid_frame_with_hook" : "mid_frame"
        )
        await wait(for: "the WebSocket and a request") { proxy.opened.count >= 2 }
        let (_, exchanges) = await proxy.stop()
        let lines = try await output.split(separator: "\n")
        // A hook has not seen the incomplete message, so none of it was sent.
        #expect(lines.first == (hasHook ? "client 880203e9" : "client 6c6c6f880203e9"))
        #expect(lines.last == "server 1001")
        let exchange = try #require(exchanges.first { $0.response?.status == 101 })
        #expect(exchange.error?.code == "stopped")
        #expect(exchange.messages.count == (hasHook ? 0 : 1))
    }

    @Test("that are already closing end normally")
    func closing() async throws {
        let proxy = await ProxyHarness.start(drainTimeout: Self.drainTimeout)
        async let output = ends(of: proxy, "closing")
        await wait(for: "the WebSocket and a request") { proxy.opened.count >= 2 }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "client \nserver 4000\n")
        let exchange = try #require(exchanges.first { $0.response?.status == 101 })
        #expect(exchange.state == .completed)
    }

    @Test("that 'when' excludes pass like tunnels, without a frame of the proxy")
    func excluded() async throws {
        // The WebSocket is excluded and not reported; the request that `ask` sends is.
        let proxy = await ProxyHarness.start(
            when: try Filter("not request.header[\"Upgrade\"] exists"),
            drainTimeout: Self.drainTimeout
        )
        async let output = ends(of: proxy, "excluded")
        await wait(for: "the request to be reported") { !proxy.opened.isEmpty }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "client 810548656c6c6f88020fa0\nserver 4000\n")
        #expect(exchanges.map(\.response?.status) == [204])
    }

    private var passing: Topology.Stage {
        Topology.Stage(id: "hook", ScriptedStage(message: { _, _, _ in .pass }))
    }

    /// Opens a WebSocket whose both ends belong to a Python program, and calls a function there.
    ///
    /// Returns the output at both ends: bytes, and the code of a close frame.
    private func ends(of proxy: ProxyHarness, _ function: String) async throws -> String {
        try await Python.run("websocket_drain", ["\(proxy.address.port)", function])
    }
}
