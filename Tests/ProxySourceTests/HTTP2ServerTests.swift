// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import ProxySource

@Suite("Servers of HTTP/2")
struct HTTP2ServerTests {
    @Test("get no more streams than they allow, from the first connection on", arguments: [1, 5])
    func fewStreams(limit: Int) async throws {
        let origin = try HTTP2Origin("streams=\(limit)")
        let proxy = await ProxyHarness.start(origin.settings())
        let gets = try await proxy.http2("shop.test", "streams", "20")
        let posts = try await proxy.http2("shop.test", "posts", "20")
        let (_, exchanges) = await proxy.stop()
        #expect(gets.hasPrefix("['200'] 20\n"))
        #expect(posts == "['200 100 None']")
        #expect(exchanges.count == 40)
        #expect(exchanges.allSatisfy { $0.state == .completed })
    }

    @Test("get what they have not processed again, with its body, after GOAWAY")
    func repeated() async throws {
        let origin = try HTTP2Origin("leave=10")
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "posts", "10")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "['200 100 None']")
        #expect(exchanges.count == 10)
        #expect(exchanges.allSatisfy { $0.state == .completed && $0.request.body.size == 100 })
    }

    @Test("leave it to clients to repeat what they have not processed and is not held")
    func refused() async throws {
        let origin = try HTTP2Origin("leave=10")
        let proxy = await ProxyHarness.start(origin.settings(), captureMaxBytes: 10)
        let output = try await proxy.http2("shop.test", "posts", "10")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "['200 100 None', 'None  7']")
        let failed = exchanges.filter { $0.state == .failed }
        #expect(failed.count == 9)
        #expect(failed.allSatisfy { $0.error?.code == "refused_stream" && $0.response == nil })
        #expect(failed.allSatisfy { $0.error?.message == Self.unprocessed })
    }

    private static let unprocessed =
        "the server has ended the connection (GOAWAY) without processing the request"

    @Test("that process nothing before GOAWAY are recorded as such", arguments: [0, 11])
    func unprocessed(code: Int) async throws {
        // GOAWAY with the last stream 0.
        let goAway = "\0\0\u{8}\u{7}\0\0\0\0\0\0\0\0\0\0\0\0"
        let server = try ScriptedServer { _, _ in
            .send(Self.settingsFrame + goAway + (code == 0 ? "\0" : "\u{B}"))
        }
        let proxy = await ProxyHarness.start(settings(server))
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "-w", " %{http_code}", "http://\(proxy.address)/a"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix(" 502"))
        #expect(exchanges.map(\.error?.code) == ["refused_stream"])
        let reason = code == 0 ? "GOAWAY" : "GOAWAY with ENHANCE_YOUR_CALM"
        #expect(
            exchanges.map(\.error?.message)
                == [Self.unprocessed.replacing("GOAWAY", with: reason)]
        )
    }

    /// A server's SETTINGS without a setting.
    private static let settingsFrame = "\0\0\0\u{4}\0\0\0\0\0"

    @Test(
        "that violate the protocol are recorded with the violation",
        arguments: [
            (HTTP2ServerTests.settingsFrame + "\0\0\u{1}\0\0\0\0\0\0x", "PROTOCOL_ERROR"),
            (
                String(repeating: HTTP2ServerTests.settingsFrame, count: 150),
                "the peer sent more SETTINGS frames than 'max_settings: 100' allows"
            ),
        ]
    )
    func violation(frames: String, reason: String) async throws {
        let server = try ScriptedServer { _, _ in .send(frames) }
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: "http://\(server.address)")
        settings.http2.priorKnowledge = settings.upstream
        let proxy = await ProxyHarness.start(settings)
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "-w", " %{http_code}", "http://\(proxy.address)/a"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix(" 502"))
        #expect(exchanges.map(\.error?.code) == ["malformed_response"])
        #expect(exchanges.first?.error?.message.contains(reason) == true)
    }

    /// Returns the settings of a proxy before a scripted server, with a short time limit.
    private func settings(_ server: ScriptedServer) -> ProxySettings {
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: "http://\(server.address)")
        settings.http2.priorKnowledge = settings.upstream
        settings.timeouts.connect = Microseconds(1_000_000)
        return settings
    }

    @Test(
        "that send no settings fail within 'connect_timeout'",
        arguments: [("refused-socket", ""), ("streams", "3")]
    )
    func silent(scenario: String, argument: String) async throws {
        let server = try ScriptedServer { _, _ in .silence }
        let proxy = await ProxyHarness.start(settings(server))
        let output = try await proxy.http2("shop.test", scenario, argument)
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("504"))
        #expect(exchanges.count == (argument.isEmpty ? 1 : 3))
        #expect(exchanges.allSatisfy { $0.error?.code == "connect_timeout" })
        #expect(exchanges.first?.error?.message.contains("HTTP/2 settings") == true)
        #expect(server.seen.connections == 1)
    }

    /// A server's SETTINGS that allow no streams.
    private static let noStreams = "\0\0\u{6}\u{4}\0\0\0\0\0\0\u{3}\0\0\0\0"

    @Test(
        "that allow no streams are not asked again and again",
        arguments: [(false, "refused-socket"), (true, "refused-socket"), (true, "get")]
    )
    func noStreams(closes: Bool, scenario: String) async throws {
        let server = try ScriptedServer { request, _ in
            guard request.hasPrefix("PRI") else { return .silence }
            return closes ? .sendAndClose(Self.noStreams) : .send(Self.noStreams)
        }
        let proxy = await ProxyHarness.start(settings(server))
        let output = try await proxy.http2("shop.test", scenario, "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("504 the server allows no requests"))
        #expect(exchanges.map(\.error?.code) == ["connect_timeout"])
        #expect(server.seen.connections <= 2)
    }

    @Test("are not asked for by a stream without TLS if 'http2' does not name them")
    func excluded() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        var settings = ProxySettings.usingHTTP2
        settings.http2.hosts = [Glob("127.*")]
        let proxy = await ProxyHarness.start(settings)
        let named = try await proxy.http2("\(server.address)", "get", "/a")
        let other = try await proxy.http2("localhost:\(server.address.port)", "get", "/a")
        let (_, exchanges) = await proxy.stop()
        #expect(named.hasPrefix("200 ok "))
        #expect(other.hasPrefix("421 'http2' does not name this host"))
        #expect(exchanges.map(\.error?.code) == [nil, "misdirected_request"])
    }
}
