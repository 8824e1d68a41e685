// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

/// Tests for connections that were opened just before the pipeline stops; none is waited for until
/// `drain_timeout`.
@Suite("Connections without a request when the pipeline stops", .timeLimit(.minutes(3)))
struct FirstRequestTests {
    private static let drainTimeout = Microseconds(60_000_000)

    /// Runs a client of a proxy whose hook answers all requests, and stops the proxy meanwhile.
    ///
    /// - Returns: What the client has got, and the paths of the recorded requests.
    private func client(
        _ function: String,
        of settings: ProxySettings = ProxySettings.usingHTTP2,
        _ arguments: [String] = []
    ) async throws -> (output: String, paths: [String]) {
        let stage = ScriptedStage(request: { exchange, _ in
            let isTunnel = exchange.request.method == "CONNECT"
            return isTunnel ? .proceed : .respond(Response(body: Body(Array("made".utf8))))
        })
        var settings = settings
        // A busy machine may not let the client run for a second.
        if function != "silent" { settings.timeouts.firstRequest = Microseconds(20_000_000) }
        let proxy = await ProxyHarness.start(
            settings,
            stages: [Topology.Stage(id: "s", stage)],
            drainTimeout: Self.drainTimeout
        )
        async let output = Python.run(
            "first_request",
            ["\(proxy.address.port)", function] + arguments
        )
        let count = function == "used" ? 2 : 1
        await wait(for: "the other request") { proxy.opened.count >= count }
        let (_, exchanges) = await proxy.stop()
        return (try await output, exchanges.map { "\($0.request.target)" })
    }

    @Test("have their first one answered, and then close", arguments: ["plain", "half"])
    func answered(function: String) async throws {
        let (output, paths) = try await client(function)
        #expect(output.hasPrefix("HTTP/1.1 200 "))
        #expect(output.contains("Connection: close\r\n"))
        #expect(output.hasSuffix("\r\n\r\nmade\n"))
        #expect(paths.count == 2)
    }

    @Test(
        "have it answered before and after the handshake of TLS",
        arguments: ["before_handshake", "after_handshake"]
    )
    func secure(function: String) async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        // Both sides are silent until the proxy no longer listens.
        settings.timeouts.silence = Microseconds(20_000_000)
        let (output, _) = try await client(
            function,
            of: settings,
            ["localhost:\(origin.port)", origin.authority]
        )
        #expect(output.hasPrefix("HTTP/1.1 200 "))
        #expect(output.contains("Connection: close\r\n"))
        #expect(output.hasSuffix("\r\n\r\nmade\n"))
    }

    @Test("have it answered on a stream, which the last GOAWAY names")
    func stream() async throws {
        let (output, paths) = try await client("http2")
        #expect(output == "made [2147483647, 1]\n")
        #expect(paths.count == 2)
    }

    @Test("have it answered by a server of HTTP/2, whose new connection is not kept")
    func server() async throws {
        let origin = try HTTP2Origin()
        var settings = origin.settings()
        settings.timeouts.firstRequest = Microseconds(20_000_000)
        let proxy = await ProxyHarness.start(settings, drainTimeout: Self.drainTimeout)
        async let output = Python.run("first_request", ["\(proxy.address.port)", "plain"])
        await wait(for: "the other request") { !proxy.opened.isEmpty }
        let begun = ContinuousClock.now
        _ = await proxy.stop()
        #expect(try await output.hasSuffix("\r\n\r\n/first 2 1 0\n"))
        #expect(ContinuousClock.now - begun < .seconds(30))
    }

    @Test("close at once if they have carried one, and after a while if none follows")
    func closed() async throws {
        #expect(try await client("used").output == "\n")
        #expect(try await client("silent").output == "\n")
    }
}
