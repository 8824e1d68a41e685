// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import ProxySource

@Suite("HTTP/2 in TLS")
struct HTTP2TLSTests {
    /// Returns the settings of a proxy that reads the HTTPS of a server, and uses HTTP/2.
    private func settings(_ origin: SecureOrigin, hosts: String = "*") -> ProxySettings {
        var settings = origin.intercepting()
        settings.http2.hosts = [Glob(hosts)]
        return settings
    }

    private func origin() async throws -> SecureOrigin {
        try await SecureOrigin(program: "http2_server")
    }

    @Test("is chosen by ALPN on both sides")
    func both() async throws {
        let origin = try await origin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await proxy.curl(
            "--http2",
            "--cacert",
            origin.authority,
            "-w",
            " %{http_version} ",
            "\(origin.url)/a",
            "\(origin.url)/b"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a 1 1 0 2 /b 1 3 0 2 ")
        #expect(exchanges.map(\.request.version) == ["HTTP/2", "HTTP/2"])
        #expect(exchanges.map(\.request.url) == ["/a", "/b"].map { ByteString(origin.url + $0) })
        #expect(exchanges.map(\.connection.isReused) == [false, true])
        #expect(exchanges.first?.connection.tls?.alpn == "h2")
        #expect(exchanges.first?.connection.serverTLS?.alpn == "h2")
        #expect(exchanges.map(\.extra?.stream?.client?.id) == [1, 3])
    }

    @Test(
        "is translated if one side does not offer it",
        arguments: [("--http1.1", "http2_server", "1.1"), ("--http2", "secure_server", "2")]
    )
    func translated(option: String, program: String, version: String) async throws {
        let origin = try await SecureOrigin(program: program)
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await proxy.curl(
            option,
            "--cacert",
            origin.authority,
            "-w",
            " %{http_version}",
            "\(origin.url)/a"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("/a ") && output.hasSuffix(" \(version)"))
        let legs = exchanges.first?.extra?.stream
        #expect(exchanges.map(\.state) == [.completed])
        #expect(legs?.client?.version == (version == "2" ? "HTTP/2" : "HTTP/1.1"))
        #expect(legs?.server?.version == (version == "2" ? "HTTP/1.1" : "HTTP/2"))
    }

    @Test("is not used with hosts that 'http2' does not name")
    func excluded() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin, hosts: "*.test"))
        let output = try await proxy.curl(
            "--http2",
            "--cacert",
            origin.authority,
            "-w",
            " %{http_version}",
            "-o",
            "/dev/null",
            "\(origin.url)/a"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == " 1.1")
        #expect(exchanges.map(\.request.version) == ["HTTP/1.1"])
        #expect(exchanges.first?.extra?.stream == nil)
    }

    @Test("is shared by requests that wait for the same connection")
    func shared() async throws {
        let origin = try await origin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await proxy.curl(
            "--http2",
            "--parallel",
            "--parallel-immediate",
            "--cacert",
            origin.authority,
            "\(origin.url)/[1-6]"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == 6)
        #expect(exchanges.allSatisfy { $0.state == .completed })
        #expect(Set(exchanges.map { $0.connection.server }).count == 1)
        // All of them on the first connection of the server.
        #expect(Set(exchanges.compactMap { $0.extra?.stream?.server?.id }).count == 6)
        #expect(!output.isEmpty)
    }

    @Test("has no other protocol after ALPN: other bytes than the preface are an error")
    func wrongPreface() async throws {
        let origin = try await origin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await Python.run(
            "http2_wrong_preface",
            ["\(proxy.address.port)", "localhost:\(origin.port)", origin.authority]
        )
        _ = await proxy.stop()
        // SETTINGS, then GOAWAY with PROTOCOL_ERROR.
        #expect(output == "4 7:1 closed\n")
    }

    @Test("is read if the client offers nothing else")
    func only() async throws {
        let origin = try await origin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await Python.run(
            "http2_only_client",
            ["\(proxy.address.port)", "localhost:\(origin.port)", origin.authority]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "h2 200\n")
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.tags["hint"] == nil)
    }

    @Test("keeps WebSockets on connections of HTTP/1.1")
    func webSocket() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await proxy.curl(
            "--http1.1",
            "--cacert",
            origin.authority,
            "-H",
            "Connection: Upgrade",
            "-H",
            "Upgrade: websocket",
            "\(origin.url)/a"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False")
        #expect(
            exchanges.first?.connection.serverTLS?.alpn == "http/1.1"
                || exchanges.first?.connection.serverTLS?.alpn == ""
        )
    }
}
