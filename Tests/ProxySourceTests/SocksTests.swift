// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineRuntime
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/// Runs curl through a proxy with SOCKS.
private func curl(_ proxy: ProxyHarness, _ arguments: String...) async throws -> String {
    try await command(
        "curl",
        ["-sS", "-m", "20", "--socks5-hostname", "\(proxy.address)"] + arguments
    )
}

@Suite("SOCKS")
struct SocksTests {
    @Test("carries plain HTTP, which is read", arguments: ["--socks5", "--socks5-hostname"])
    func plain(option: String) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let url = "http://localhost:\(server.address.port)"
        let output = try await command(
            "curl",
            ["-sS", "-4", "-m", "20", option, "\(proxy.address)", "\(url)/a", "\(url)/b"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hellohello")
        // With --socks5, curl resolves the name and requests the address, so only the address is
        // known.
        let isAddress = option == "--socks5"
        let base = isAddress ? "http://\(server.address)" : url
        #expect(exchanges.map(\.request.url) == ["/a", "/b"].map { ByteString(base + $0) })
        let tag = isAddress ? "host" : nil
        #expect(exchanges.map { $0.tags["tapline.host_mismatch"] } == [tag, tag])
        #expect(exchanges.map(\.state) == [.completed, .completed])
        #expect(exchanges.last?.connection.isReused == true)
    }

    @Test("carries TLS, whose sizes are recorded")
    func tunnel() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start()
        let output = try await curl(proxy, "--cacert", origin.certificate, "\(origin.url)/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False")
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.method == "CONNECT")
        #expect(exchange.request.authority == ByteString("localhost:\(origin.port)"))
        #expect(exchange.request.version == "SOCKS5")
        #expect(exchange.bytes?.up.line == 0)
        // `05 n methods` and `05 01 00 03 9 localhost port`; `05 00` and the reply.
        #expect((19...24).contains(exchange.bytes?.up.headers ?? 0))
        #expect(exchange.bytes?.down.headers == 12)
        #expect((exchange.bytes?.up.body ?? 0) > 300)
    }

    @Test("carries TLS that is read if 'intercept' covers the host")
    func interception() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await curl(
            proxy,
            "--cacert",
            origin.authority,
            "\(origin.url)/a"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False")
        #expect(exchanges.map(\.request.url) == [ByteString("\(origin.url)/a")])
    }

    @Test("requires the password", arguments: [("me:right", "hello"), ("me:wrong", ""), ("", "")])
    func auth(user: String, expected: String) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.access.credentials = BasicCredentials(user: "me", password: "right")
        let proxy = await ProxyHarness.start(settings)
        let output = try await curl(proxy, "-U", user, "http://\(server.address)/")
        let (report, _) = await proxy.stop()
        #expect(output == expected)
        #expect(server.seen.requests.count == (expected.isEmpty ? 0 : 1))
        #expect(report.sources.first?.counters.rejected == (expected.isEmpty ? 1 : 0))
    }

    @Test("sends the client the reason if there is no connection")
    func refused() async throws {
        var settings = ProxySettings()
        settings.access.deniedTargets = [try #require(IPRange("127.0.0.2/32"))]
        let proxy = await ProxyHarness.start(settings)
        func code(_ address: String) async throws -> String {
            try await exchangeBytes(
                with: proxy.address,
                "",
                then: "send_hex",
                ["050100" + "05010001" + address + "0001"]
            )
        }
        let closed = try await code("7f000001")
        let denied = try await code("7f000002")
        let (_, exchanges) = await proxy.stop()
        #expect(closed.hasPrefix("0500" + "0505"))
        #expect(denied.hasPrefix("0500" + "0502"))
        #expect(exchanges.map(\.error?.code) == ["connect_refused", "target_denied"])
    }

    @Test(
        "refuses unknown requests",
        arguments: [
            ("050101", "05ff"), ("050100050200017f0000010050", "0500" + "0507"),
            ("050100050100090102", "0500" + "0508"),
            ("0501000401000102", "0500"),
            ("0501000501000301200050", "0500" + "0508"),
        ]
    )
    func malformed(bytes: String, answer: String) async throws {
        let proxy = await ProxyHarness.start()
        let output = try await exchangeBytes(
            with: proxy.address,
            "",
            then: "send_hex",
            [bytes]
        )
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix(answer))
        #expect(exchanges.isEmpty)
        #expect(report.sources.first?.counters.rejected == 1)
    }

    @Test("is not supported by a reverse proxy")
    func reverse() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(with: proxy.address, "\u{5}\u{1}\u{0}\r\n\r\n")
        _ = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 400 "))
    }
}
