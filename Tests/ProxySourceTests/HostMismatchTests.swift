// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineQuery
import TaplineRuntime
import TaplineTLS
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A request that names a host other than its server")
struct HostMismatchTests {
    private func host(_ request: String?) -> Substring? {
        request?.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }?.dropFirst(6)
    }

    /// Sends a request in a tunnel; returns what the server got of it, and the record.
    private func inTunnel(
        _ way: String,
        _ request: (SocketAddress) -> String,
        when condition: Filter? = nil,
        stages: [Topology.Stage] = []
    ) async throws -> (server: SocketAddress, seen: String?, exchanges: [Exchange]) {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(
            way == "socks" ? origin.settings() : origin.intercepting(),
            when: condition,
            stages: stages
        )
        let output = try await Python.run(
            "in_tunnel",
            ["\(proxy.address.port)", way, "\(server.address)", request(server.address)]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("hello"))
        return (server.address, server.seen.requests.first, exchanges)
    }

    @Test(
        "is recorded with the server of its tunnel, and tagged",
        arguments: ["socks", "connect"],
        [
            ("GET /a HTTP/1.1\r\nHost: A\r\n\r\n", nil, "A"),
            ("GET /a HTTP/1.0\r\n\r\n", nil, "A"),
            ("GET /a HTTP/1.1\r\nHost: other.test\r\n\r\n", "host", "other.test"),
            ("GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "host", "127.0.0.1"),
            ("GET http://A/a HTTP/1.1\r\nHost: A\r\n\r\n", nil, "A"),
            ("GET http://A/a HTTP/1.1\r\nHost: other.test\r\n\r\n", "host", "A"),
            ("GET http://b.test/a HTTP/1.1\r\nHost: b.test\r\n\r\n", "host, target", "b.test"),
            ("GET http://b.test/a HTTP/1.1\r\nHost: A\r\n\r\n", "host, target", "b.test"),
            ("GET https://A/a HTTP/1.1\r\nHost: A\r\n\r\n", nil, "A"),
            ("GET http://b.test/a HTTP/1.0\r\n\r\n", "target", "b.test"),
        ] as [(String, String?, String)]
    )
    func tunnel(way: String, row: (request: String, tag: String?, host: String)) async throws {
        let (server, seen, exchanges) = try await inTunnel(way) {
            row.request.replacing("A", with: "\($0)")
        }
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.url == ByteString("http://\(server)/a"))
        #expect(exchange.request.authority == ByteString("\(server)"))
        #expect(exchange.connection.server == "\(server)")
        #expect(exchange.tags["tapline.host_mismatch"] == row.tag)
        let namesOther = row.tag?.contains("target") == true
        #expect(exchange.original.url == (namesOther ? "http://b.test/a" : nil))
        #expect(seen?.hasPrefix("GET /a HTTP/1.1\r\n") == true)
        #expect(host(seen) ?? "" == row.host.replacing("A", with: "\(server)"))
    }

    @Test(
        "does not match the other host in conditions",
        arguments: [("host == \"127.0.0.1\"", true), ("host == \"bank.test\"", false)]
    )
    func condition(filter: String, isRecorded: Bool) async throws {
        let (_, _, exchanges) = try await inTunnel(
            "connect",
            { _ in "GET /a HTTP/1.1\r\nHost: bank.test\r\n\r\n" },
            when: Filter(filter)
        )
        #expect(exchanges.contains { $0.request.method == "GET" } == isRecorded)
    }

    @Test("stays in its tunnel if a hook changes only the path")
    func rewritten() async throws {
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(request: { exchange, _ in
                if exchange.request.method == "GET" { exchange.request.target = "/b" }
                return .proceed
            })
        )
        let (_, seen, exchanges) = try await inTunnel(
            "connect",
            { _ in "GET /a HTTP/1.1\r\nHost: other.test\r\n\r\n" },
            stages: [stage]
        )
        #expect(seen?.hasPrefix("GET /b HTTP/1.1\r\n") == true)
        #expect(host(seen) == "other.test")
        #expect(exchanges.first?.state == .completed)
    }

    @Test(
        "is tagged if TLS names another host",
        arguments: [
            ("localhost", "localhost", "A", nil), ("LOCALHOST", "localhost", "localhost:P", nil),
            ("127.0.0.1", "localhost", "localhost:P", "host, sni"),
            ("127.0.0.1", "localhost", "A", "sni"), ("localhost", "other.test", "A", "sni"),
            ("localhost", "other.test", "other.test", "host, sni"),
            ("localhost", "localhost", "bank.test", "host"),
        ] as [(String, String, String, String?)]
    )
    func secure(connect: String, sni: String, named: String, tag: String?) async throws {
        let origin = try await SecureOrigin(program: "host_server")
        var settings = origin.intercepting()
        settings.servers.verify = sni != "other.test"
        let proxy = await ProxyHarness.start(settings)
        let authority = "\(connect):\(origin.port)"
        let host = named.replacing("A", with: authority).replacing("P", with: "\(origin.port)")
        let output = try await Python.run(
            "tls_host_client",
            ["\(proxy.address.port)", authority, origin.authority, sni, host]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a|\(host)\n")
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.url == ByteString("https://\(authority)/a"))
        #expect(exchange.tags["tapline.host_mismatch"] == tag)
    }

    @Test(
        "may be a tunnel that passes unread, which is tagged too",
        arguments: [("localhost", nil), ("127.0.0.1", "sni")] as [(String, String?)]
    )
    func unread(connect: String, tag: String?) async throws {
        let origin = try await SecureOrigin(program: "host_server")
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await Python.run(
            "tls_client",
            [
                "\(proxy.address.port)", "\(connect):\(origin.port)", origin.certificate,
                "localhost", "mqtt",
            ]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "HTTP/1.1\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.request.authority == ByteString("\(connect):\(origin.port)"))
        #expect(exchanges.first?.tags["tapline.host_mismatch"] == tag)
    }

    @Test(
        "is recorded with the server of its target, and tagged",
        arguments: [
            ("A", nil), ("", nil), ("other.test", "host"), ("127.0.0.1", "host"),
            ("127.0.0.1.:P", nil),
        ] as [(String, String?)]
    )
    func forward(named: String, tag: String?) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let port = "\(server.address.port)"
        let named = named.replacing("A", with: "\(server.address)").replacing("P", with: port)
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://\(server.address)/a HTTP/1.1\r\nHost: \(named)\r\n\r\n"
        )
        let tunnel = try await exchangeBytes(
            with: proxy.address,
            "CONNECT \(server.address) HTTP/1.1\r\nHost: \(named)\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("hello"))
        #expect(tunnel.hasPrefix("HTTP/1.1 200 "))
        #expect(host(server.seen.requests.first) ?? "" == "\(server.address)")
        let get = try #require(exchanges.first { $0.request.method == "GET" })
        #expect(get.request.url == ByteString("http://\(server.address)/a"))
        #expect(get.tags["tapline.host_mismatch"] == tag)
        let connect = try #require(exchanges.first { $0.request.method == "CONNECT" })
        // Without a port, Host may mean any port.
        #expect(connect.tags["tapline.host_mismatch"] == (named == "127.0.0.1" ? nil : tag))
    }

    @Test(
        "is recorded with the upstream of a reverse proxy, and tagged unless its Host is replaced",
        arguments: [
            ("/a", "shop.test", true, "host", "shop.test"), ("/a", "shop.test", false, nil, "A"),
            ("/a", "A", true, nil, "A"), ("http://b.test/a", "b.test", false, "target", "A"),
            ("http://b.test/a", "b.test", true, "host, target", "b.test"),
            ("http://b.test/a", "c.test", false, "host, target", "A"),
            ("http://b.test/a", "A", false, "host, target", "A"),
            ("http://A/a", "A", false, nil, "A"), ("http://A/a", "c.test", false, "host", "A"),
        ] as [(String, String, Bool, String?, String)],
        [false, true]
    )
    func reverse(
        row: (target: String, host: String, preserves: Bool, tag: String?, sent: String),
        rewrites: Bool
    ) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let named = "\(server.address)"
        var settings = ProxySettings()
        settings.upstream = Origin(authority: named.utf8.span, isSecure: false)
        settings.preservesHost = row.preserves
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(request: { exchange, _ in
                if rewrites { exchange.request.target = "/b" }
                return .proceed
            })
        )
        let proxy = await ProxyHarness.start(settings, stages: [stage])
        let host = row.host.replacing("A", with: named)
        let target = row.target.replacing("A", with: named)
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("hello"))
        let seen = server.seen.requests.first
        #expect(seen?.hasPrefix("GET \(rewrites ? "/b" : "/a") HTTP/1.1\r\n") == true)
        #expect(self.host(seen) ?? "" == row.sent.replacing("A", with: named))
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.url == ByteString("http://\(named)\(rewrites ? "/b" : "/a")"))
        #expect(exchange.tags["tapline.host_mismatch"] == row.tag)
        let namesOther = row.tag?.contains("target") == true
        let former: ByteString? = rewrites ? ByteString("http://\(named)/a") : nil
        #expect(exchange.original.url == (namesOther ? "http://b.test/a" : former))
    }
}
