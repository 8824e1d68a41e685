// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineTLS
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

    // MARK: Servers whose TLS only the client can use

    @Test(
        "pass unread if the server requests a certificate of theirs",
        arguments: [TLSVersion.v12, .v13]
    )
    func certificateRequested(version: TLSVersion) async throws {
        let origin = try await SecureOrigin(asksForCertificate: true)
        var settings = origin.intercepting()
        settings.servers.highestVersion = version
        let proxy = await start(settings, redirecting: origin)
        let output = try await curl(
            proxy,
            origin,
            "--cacert",
            origin.certificate,
            "--cert",
            origin.certificate,
            "--key",
            origin.key,
            "--tls-max",
            version == .v12 ? "1.2" : "1.3"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False True 0")
        #expect(exchanges.map(\.request.target) == [ByteString("localhost:\(origin.port)")])
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(exchange.tags["hint"] == "client_certificate")
        #expect(exchange.connection.tls?.sni == "localhost")
        #expect((exchange.bytes?.up.body ?? 0) > 300)
    }

    @Test(
        "pass unread each time if the server takes a certificate but requires none",
        arguments: [TLSVersion.v12, .v13]
    )
    func certificateOffered(version: TLSVersion) async throws {
        let origin = try await SecureOrigin(argument: "offers")
        var settings = origin.intercepting()
        settings.servers.highestVersion = version
        let proxy = await start(settings, redirecting: origin)
        var outputs: [String] = []
        for _ in 0..<2 {
            outputs.append(try await curl(proxy, origin, "--cacert", origin.certificate))
        }
        let (_, exchanges) = await proxy.stop()
        #expect(outputs == ["/a False False 0", "/a False False 0"])
        #expect(
            exchanges.map(\.tags["hint"]) == ["client_certificate", "client_certificate"]
        )
    }

    @Test("pass unread if the certificate of the server cannot be verified")
    func unverified() async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.servers.authorityFiles = []
        let proxy = await start(settings, redirecting: origin)
        let careless = try await curl(proxy, origin, "-k")
        let careful = try await curl(proxy, origin)
        let (_, exchanges) = await proxy.stop()
        #expect(careless == "/a False False 0")
        #expect(careful == " 60")
        #expect(exchanges.map(\.tags["hint"]) == ["tls_verify", "tls_verify"])
        #expect(exchanges.map(\.state) == [.completed, .completed])
        #expect(exchanges.map(\.connection.tls?.sni) == ["localhost", "localhost"])
    }

    @Test("fail in these cases if connections that cannot be read have to fail")
    func failing() async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.servers.authorityFiles = []
        settings.passesUntrusted = false
        let proxy = await start(settings, redirecting: origin)
        let output = try await curl(proxy, origin, "-k", "-o", "/dev/null", "-w", "%{http_code}")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "502")
        #expect(exchanges.map(\.request.method) == ["GET"])
        #expect(exchanges.first?.error?.code == "tls_verify")
    }

    @Test("are read if the requested certificate is configured")
    func certificateConfigured() async throws {
        let origin = try await SecureOrigin(asksForCertificate: true)
        var settings = origin.intercepting()
        settings.servers.certificateFile = origin.certificate
        settings.servers.keyFile = origin.key
        let proxy = await start(settings, redirecting: origin)
        let output = try await curl(proxy, origin, "--cacert", origin.authority)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False True 0")
        #expect(exchanges.map(\.request.method) == ["GET"])
    }

    @Test("send their first request on the connection that was opened before")
    func opened() async throws {
        let origin = try await SecureOrigin()
        let proxy = await start(origin.intercepting(), redirecting: origin)
        let output = try await curl(
            proxy,
            origin,
            "--cacert",
            origin.authority,
            "\(origin.url)/b",
            "--next",
            "-s",
            "--connect-to",
            "localhost:\(origin.port):\(proxy.address)",
            "--cacert",
            origin.authority,
            "-H",
            "Connection: close",
            "\(origin.url)/c"
        )
        let (_, exchanges) = await proxy.stop()
        // A second connection of the proxy would have resumed the session of the first one.
        #expect(output == "/a False False 0/b False False 0/c False False")
        #expect(exchanges.map { $0.timing.tls != nil } == [true, false, false])
        #expect(exchanges.map { $0.timing.connect != nil } == [true, false, false])
    }
}
