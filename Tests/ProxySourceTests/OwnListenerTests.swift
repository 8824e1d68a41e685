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

@Suite("The proxy's own listeners")
struct OwnListenerTests {
    /// Returns the addresses of this machine that are not loopback, from `hostname`.
    private func interfaces() async throws -> [String] {
        try await command("hostname", ["-I"]).split(whereSeparator: \.isWhitespace)
            .map(String.init).filter { IPAddress($0) != nil && !$0.hasPrefix("fe80") }
    }

    /// Asks a proxy for the given server in each of three ways; returns the result of each.
    private func ask(
        _ proxy: ProxyHarness,
        for host: String,
        at address: String
    ) async throws -> [Substring] {
        try await Python.run("own_listener_client", ["\(proxy.address.port)", host, address])
            .split(separator: "\n")
    }

    private let refused = "HTTP/1.1 502 Bad Gateway"

    @Test("are never connected to, whatever their name", arguments: [false, true])
    func names(reads: Bool) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(
            reads ? origin.intercepting() : origin.settings(),
            on: SocketAddress(.anyV4, port: 0)
        )
        let named = [
            "127.0.0.1", "127.0.0.2", "127.255.255.254", "localhost", "LOCALHOST", "0.0.0.0",
            "::ffff:127.0.0.1", "::ffff:0.0.0.0", "::1", "::",
        ]
        let own = try await interfaces()
        let mapped = own.filter { !$0.contains(":") }.map { "::ffff:\($0)" }
        for host in named + own + mapped {
            let output = try await ask(proxy, for: host, at: "127.0.0.1")
            #expect(output.first ?? "" == refused, "\(host)")
            #expect(output.dropFirst().first ?? "" == (reads ? "200 \(refused)" : "502"), "\(host)")
            // If tunnels are read, their client gets its response before there is a server.
            if host.contains(":") { continue }
            #expect(output.last ?? "" == (reads ? "0 \(refused)" : "2"), "\(host)")
        }
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count >= named.count * 2)
        #expect(exchanges.allSatisfy { $0.error?.code == "target_denied" })
    }

    @Test("are refused on any other address of the machine")
    func specific() async throws {
        for own in try await interfaces() {
            let address = SocketAddress(try #require(IPAddress(own)), port: 0)
            let proxy = await ProxyHarness.start(on: address)
            for host in [own, "127.0.0.1", "localhost"] {
                let output = try await ask(proxy, for: host, at: own)
                #expect(output.prefix(2) == [refused[...], "502"], "\(own) \(host)")
            }
            let (_, exchanges) = await proxy.stop()
            #expect(exchanges.allSatisfy { $0.error?.code == "target_denied" })
        }
    }

    @Test("include those of another source of the pipeline")
    func others() async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        var reverse = ProxySettings()
        reverse.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(beside: [reverse])
        let other = try #require(proxy.others.first)
        let direct = try await command("curl", ["-sSi", "-m", "20", "http://\(other)/"])
        let plain = try await proxy.curl("-i", "http://\(other)/")
        let tunnel = try await proxy.curl("-p", "-w", "%{http_connect}", "http://\(other)/")
        let (_, exchanges) = await proxy.stop()
        #expect(direct.hasPrefix("HTTP/1.1 204 "))
        #expect(plain.hasPrefix(refused))
        #expect(tunnel == "502")
        #expect(exchanges.compactMap(\.error?.code) == ["target_denied", "target_denied"])
        #expect(server.seen.requests.count == 1)
    }

    @Test("cannot be the upstream, whatever the address", arguments: ["127.0.0.1", "localhost"])
    func upstream(host: String) async throws {
        let port = try await freePort()
        var settings = ProxySettings()
        settings.upstream = Origin(authority: "\(host):\(port)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(settings, on: SocketAddress(.anyV4, port: port))
        let output = try await command("curl", ["-sSi", "-m", "20", "http://127.0.0.1:\(port)/"])
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix(refused))
        #expect(exchanges.map(\.error?.code) == ["target_denied"])
    }

    @Test("allow an upstream or a parent at the same port of another address")
    func configured() async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        let listener = SocketAddress(IPAddress(v4: 0x7F00_0002), port: server.address.port)
        let origin = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        var reverse = ProxySettings()
        reverse.upstream = origin
        var withParent = ProxySettings()
        withParent.parent = ParentProxy(try #require(origin))
        for (settings, target) in [(reverse, "\(listener)"), (withParent, "shop.test")] {
            let proxy = await ProxyHarness.start(settings, on: listener)
            let output =
                settings.parent == nil
                ? try await command("curl", ["-sSi", "-m", "20", "http://\(target)/"])
                : try await proxy.curl("-i", "http://\(target)/")
            let (_, exchanges) = await proxy.stop()
            #expect(output.hasPrefix("HTTP/1.1 204 "))
            #expect(exchanges.map(\.state) == [.completed])
        }
        #expect(server.seen.requests.count == 2)
    }

    @Test("include inspectors of the same user, by whatever name", arguments: [false, true])
    func inspectors(isConfigured: Bool) async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        let port = try ProtectedPorts.ofUser().protect(server.address.port)
        var settings = ProxySettings()
        if isConfigured {
            settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        }
        let proxy = await ProxyHarness.start(settings)
        let names = isConfigured ? [""] : ["127.0.0.1", "localhost", "127.1", "0.0.0.0"]
        for name in names {
            let url = isConfigured ? "\(proxy.address)" : "\(name):\(server.address.port)"
            let output =
                isConfigured
                ? try await command("curl", ["-sSi", "-m", "20", "http://\(url)/"])
                : try await proxy.curl("-i", "http://\(url)/")
            #expect(output.hasPrefix(refused), "\(name)")
        }
        withExtendedLifetime(port) {}
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.allSatisfy { $0.error?.code == "target_denied" })
        #expect(server.seen.requests.isEmpty)
    }

    @Test("include inspectors, by every form of an address and every way into the proxy")
    func inspectorForms() async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        let inspector = server.address.port
        let port = try ProtectedPorts.ofUser().protect(inspector)
        let proxy = await ProxyHarness.start()
        let known = [
            "127.0.0.1", "127.0.0.2", "127.1", "localhost", "LOCALHOST", "localhost.", "0.0.0.0",
            "0",
            "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "::1", "::",
            "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "ip6-localhost", "app.localhost",
        ]
        for host in known + (try await interfaces()) {
            let output = try await Python.run(
                "own_listener_client",
                ["\(proxy.address.port)", host, "127.0.0.1", "\(inspector)"]
            )
            let lines = output.split(separator: "\n")
            // Forms that the proxy does not take for an address are names that do not exist.
            #expect(lines.first?.hasPrefix("HTTP/1.1 502") == true, "\(host): \(output)")
            #expect(lines.dropFirst().first == "502", "\(host): \(output)")
            if !host.contains(":") { #expect(lines.last != "0", "\(host): \(output)") }
        }
        withExtendedLifetime(port) {}
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.allSatisfy { $0.state == .failed && $0.error != nil })
        #expect(exchanges.count { $0.error?.code == "target_denied" } >= 20)
        #expect(server.seen.requests.isEmpty)
    }

    @Test("include inspectors, also if a stage or a rule leads there")
    func inspectorByRule() async throws {
        let server = try ScriptedServer { _, _ in .send("HTTP/1.1 204 No Content\r\n\r\n") }
        let port = try ProtectedPorts.ofUser().protect(server.address.port)
        let target = server.address.port
        for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"] {
            let stage = ScriptedStage(request: { exchange, _ in
                exchange.request.authority = ByteString("\(host):\(target)")
                return .proceed
            })
            let proxy = await ProxyHarness.start(stages: [Topology.Stage(id: "s", stage)])
            let output = try await proxy.curl("-i", "http://shop.test/")
            let (_, exchanges) = await proxy.stop()
            #expect(output.hasPrefix(refused), "\(host)")
            #expect(exchanges.map(\.error?.code) == ["target_denied"], "\(host)")
        }
        withExtendedLifetime(port) {}
        #expect(server.seen.requests.isEmpty)
    }

    /// Returns a port without a listener.
    private func freePort() async throws -> UInt16 {
        let output = try await Python.run("free_port")
        return try #require(UInt16(output.dropLast()))
    }
}
