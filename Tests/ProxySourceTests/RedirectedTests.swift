// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("Redirected clients")
struct RedirectedTests {
    /// Starts a proxy to which the clients of a server are redirected.
    private func start(
        _ settings: ProxySettings,
        redirecting origin: SecureOrigin
    ) async -> ProxyHarness {
        let server = ByteString("localhost:\(origin.port)")
        // Without a firewall, a connection to the listener itself is the one that was redirected.
        let stage = ScriptedStage(request: { exchange, _ in
            if exchange.request.method == "CONNECT" { exchange.request.authority = server }
            return .proceed
        })
        return await ProxyHarness.start(
            settings,
            as: .transparent(isTproxy: false),
            stages: [Topology.Stage(id: "redirect", stage)]
        )
    }

    /// Runs curl, which is redirected, and returns its output, after which it may write more.
    private func curl(
        _ proxy: ProxyHarness,
        _ origin: SecureOrigin,
        _ arguments: String...
    ) async throws -> String {
        let words = [
            "-sS", "-m", "20", "--connect-to", "localhost:\(origin.port):\(proxy.address)",
            "\(origin.url)/a", "-w", " %{exitcode}",
        ]
        return try await command("curl", words + arguments)
    }

    // MARK: Records

    @Test("are recorded as a tunnel with the name in TLS, and without a response, if they pass")
    func passing() async throws {
        let origin = try await SecureOrigin()
        let proxy = await start(origin.intercepting(passing: ["local*"]), redirecting: origin)
        let output = try await curl(proxy, origin, "--cacert", origin.certificate)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False 0")
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.target == ByteString("localhost:\(origin.port)"))
        #expect(exchange.state == .completed)
        #expect(exchange.response == nil)
        #expect(exchange.connection.tls == TLSInfo(sni: "localhost"))
        #expect((exchange.bytes?.up.body ?? 0) > 300)
        #expect((exchange.bytes?.down.body ?? 0) > 300)
    }

    @Test("are recorded with the name in TLS and the size of the handshake if they reject it")
    func rejecting() async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.passesUntrusted = false
        let proxy = await start(settings, redirecting: origin)
        let output = try await curl(proxy, origin, "--cacert", origin.certificate)
        let (_, exchanges) = await proxy.stop()
        #expect(output == " 60")
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.target == ByteString("localhost:\(origin.port)"))
        #expect(exchange.error?.code == "client_untrusted")
        #expect(
            exchange.error?.message.hasSuffix("or 'passthrough' has to contain 'localhost'") == true
        )
        let tls = try #require(exchange.connection.tls)
        #expect(tls.sni == "localhost")
        let sizes = try #require(tls.handshake)
        #expect(sizes.up > 200 && sizes.down > 400)
    }
}
