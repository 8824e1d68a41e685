// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource

/// Tests for inspected tunnels whose client does not speak first.
@Suite("Tunnels with a silent client", .timeLimit(.minutes(3)))
struct ServerProbeTests {
    /// Waits for hours if neither side speaks, so that only the tested condition ends the wait.
    private func settings(_ origin: SecureOrigin, hosts: String) -> ProxySettings {
        var settings = origin.intercepting()
        settings.interception?.hosts = [Glob(hosts)]
        settings.timeouts.opening = Microseconds(3_600_000_000)
        settings.timeouts.silence = Microseconds(10_000)
        return settings
    }

    /// Opens a tunnel whose both ends belong to a Python program, and calls a function there.
    private func run(
        _ proxy: ProxyHarness,
        _ function: String,
        _ arguments: [String] = []
    ) async throws -> String {
        try await Python.run("silent_tunnel", ["\(proxy.address.port)", function] + arguments)
    }

    @Test("pass as soon as the server has spoken", arguments: ["*", "*.shop.test"])
    func serverFirst(hosts: String) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: hosts))
        let output = try await run(proxy, "server_first")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "220 \nGET\nbye\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.state == .completed)
        #expect(exchanges.first?.bytes?.down.body == 7)
        #expect(exchanges.first?.connection.server.hasPrefix("127.0.0.1:") == true)
        #expect(exchanges.first?.timing.connect != nil)
    }

    @Test("pass if the server closes without sending anything")
    func serverEnds() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(proxy, "server_closes")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "b''\n")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("are read if the client speaks after all, and the server's connection is closed")
    func clientFirst() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(proxy, "client_first", [origin.authority])
        _ = await proxy.stop()
        #expect(output == "TLSv1.3 b''\n")
    }

    @Test("end if the client disconnects")
    func clientGoes() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*"))
        let output = try await run(proxy, "client_closes")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "b''\n")
        #expect(exchanges.map(\.state) == [.cancelled])
    }

    @Test("pass eventually if neither side speaks")
    func silence() async throws {
        let origin = try await SecureOrigin()
        var settings = settings(origin, hosts: "*")
        settings.timeouts.opening = Microseconds(10_000)
        let proxy = await ProxyHarness.start(settings, drainTimeout: Microseconds(1_000_000))
        async let output = run(proxy, "silence")
        // It is reported once it passes.
        await wait(for: "the tunnel to be reported") { !proxy.opened.isEmpty }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "b'' b''\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
    }
}
