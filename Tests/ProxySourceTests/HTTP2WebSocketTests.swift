// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

@Suite("WebSockets over HTTP/2")
struct HTTP2WebSocketTests {
    /// What a client gets: the echo of `hello`, and of its close frame.
    private static let echo = "200 [] 810568656c6c6f880203e8 None"
    private static let messages = [
        "up text hello", "down text hello", "up close 1000", "down close 1000",
    ]

    /// Returns the settings of a proxy before a server of HTTP/1.1.
    private func settings(_ origin: WebSocketOrigin) -> ProxySettings {
        var settings = origin.settings()
        settings.threads = 1
        settings.http2.hosts = [Glob("*")]
        return settings
    }

    @Test(
        "are handshakes of HTTP/1.1 for servers of HTTP/1.1, and recorded like those",
        arguments: ["websocket", "early-websocket"]
    )
    func toHTTP1(scenario: String) async throws {
        let origin = try await WebSocketOrigin()
        let proxy = await ProxyHarness.start(settings(origin))
        let output = try await proxy.http2("localhost", scenario)
        let (_, exchanges) = await proxy.stop()
        #expect(output == Self.echo)
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1)
        #expect(exchange.state == .completed)
        #expect(exchange.request.method == "GET")
        #expect(exchange.request.version == "HTTP/2")
        #expect(exchange.request.fields.first("Upgrade") == "websocket")
        #expect(exchange.response?.status == 101)
        #expect(exchange.messageLines == Self.messages)
        #expect(exchange.extra?.stream?.server == StreamLegs.Leg(version: "HTTP/1.1"))
    }

    @Test("pass as streams to servers that offer those, without a key")
    func toHTTP2() async throws {
        let origin = try HTTP2Origin("websocket")
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "websocket")
        let (_, exchanges) = await proxy.stop()
        #expect(output == Self.echo)
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(exchange.response?.status == 101)
        #expect(exchange.response?.fields.first("x-key") == "")
        #expect(exchange.messageLines == Self.messages)
        #expect(exchange.extra?.stream?.server?.id == 1)
    }

    @Test(
        "pass as what the server offers in TLS",
        arguments: [
            ("websocket_server", "tls", "HTTP/1.1"), ("http2_server", "websocket", "HTTP/2"),
        ]
    )
    func secure(program: String, words: String, version: String) async throws {
        let origin = try await SecureOrigin(program: program, argument: words)
        var settings = origin.intercepting()
        settings.threads = 1
        settings.http2.hosts = [Glob("*")]
        let proxy = await ProxyHarness.start(settings)
        let authority = "localhost:\(origin.port)"
        let output = try await proxy.http2(authority, "websocket", root: origin.authority)
        let (_, exchanges) = await proxy.stop()
        #expect(output == Self.echo)
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.messageLines == Self.messages)
        #expect(exchanges.first?.extra?.stream?.server?.version == version)
    }

    @Test("are streams for clients of HTTP/1.1 whose server is known to use HTTP/2")
    func fromHTTP1() async throws {
        let origin = try HTTP2Origin("websocket")
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await Python.run(
            "websocket_client",
            ["reverse", "\(proxy.address.port)", "", "", "", "echo", "hello"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello\n")
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.request.version == "HTTP/1.1")
        #expect(exchanges.first?.messageLines == Self.messages)
        #expect(exchanges.first?.extra?.stream?.server?.id == 1)
    }

    @Test("have messages that hooks change")
    func hooks() async throws {
        let origin = try await WebSocketOrigin()
        let stage = ScriptedStage(message: { message, _, _ in
            if message.direction == .down { message.bytes = Array("HELLO".utf8) }
            return .pass
        })
        let proxy = await ProxyHarness.start(
            settings(origin),
            stages: [Topology.Stage(id: "s", stage)]
        )
        let output = try await proxy.http2("localhost", "websocket")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 [] 810548454c4c4f880203e8 None")
        #expect(exchanges.first?.messageLines.prefix(2) == ["up text hello", "down text HELLO"])
    }

    @Test("are closed when the pipeline stops")
    func drain() async throws {
        let origin = try await WebSocketOrigin()
        let proxy = await ProxyHarness.start(settings(origin))
        async let output = proxy.http2("localhost", "open-socket", "websocket")
        await wait(for: "the request") { !proxy.opened.isEmpty }
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "200 True")
        #expect(exchanges.map(\.error?.code) == ["stopped"])
    }

    @Test("are refused if the server does not accept the key, or is known to offer none")
    func unaccepted() async throws {
        let responses = [
            "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Accept: AAAA\r\n\r\n",
            // On a stream, each 2xx would open the WebSocket.
            "200 OK\r\nContent-Length: 2\r\n\r\nok",
        ]
        for response in responses {
            let server = try ScriptedServer { _, _ in .send("HTTP/1.1 \(response)") }
            var settings = ProxySettings.usingHTTP2
            settings.upstream = Origin(url: "http://\(server.address)")
            let first = await ProxyHarness.start(settings)
            let wrong = try await first.http2("shop.test", "open-socket", "websocket")
            let wrongCodes = await first.stop().exchanges.map(\.error?.code)
            #expect(wrong.hasPrefix("502 the server's response does not accept"))
            #expect(wrongCodes == ["malformed_response"])
        }

        let origin = try HTTP2Origin()
        let second = await ProxyHarness.start(origin.settings())
        let none = try await second.http2("shop.test", "open-socket", "websocket")
        let noneCodes = await second.stop().exchanges.map(\.error?.code)
        #expect(none.hasPrefix("501 the server does not offer WebSockets over HTTP/2"))
        #expect(noneCodes == ["stream_tunnel"])
    }

    @Test(
        "are refused by responses that a hook has made, which end their streams",
        arguments: [false, true],
        [("made", 200), ("", 204), ("", 200)]
    )
    func made(afterServer: Bool, response: (text: String, status: Int)) async throws {
        let origin = try await WebSocketOrigin()
        let made = Response(status: response.status, body: Body(Array(response.text.utf8)))
        let stage =
            afterServer
            ? ScriptedStage(response: { exchange, _ in
                exchange.response = made
                return .proceed
            }) : ScriptedStage(request: { _, _ in .respond(made) })
        let proxy = await ProxyHarness.start(
            settings(origin),
            stages: [Topology.Stage(id: "s", stage)]
        )
        let output = try await proxy.http2("localhost", "refused-socket")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "\(response.status) \(response.text) True")
        #expect(exchanges.map(\.response?.status) == [response.status])
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.messages.isEmpty == true)
    }

    @Test("are refused if a hook makes the response of a server a 2xx whose body follows")
    func open() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 404 Not Found\r\nContent-Length: 20\r\n\r\nfirst")
        }
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: "http://\(server.address)")
        let stage = ScriptedStage(response: { exchange, _ in
            exchange.response?.status = 200
            return .proceed
        })
        let proxy = await ProxyHarness.start(
            settings,
            stages: [Topology.Stage(id: "s", stage)]
        )
        let output = try await proxy.http2("shop.test", "refused-socket")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("502 the server's response does not accept"))
        #expect(exchanges.map(\.error?.code) == ["malformed_response"])
    }

    @Test(
        "lose nothing that a speed limit holds back when they end",
        arguments: [Throttle(up: 20), Throttle(down: 20)]
    )
    func paced(throttle: Throttle) async throws {
        let origin = try HTTP2Origin("websocket")
        let stage = ScriptedStage(request: { _, context in
            context.throttle.apply(throttle)
            return .proceed
        })
        let stages = [Topology.Stage(id: "s", stage)]
        let proxy = await ProxyHarness.start(origin.settings(), stages: stages)
        let output = try await proxy.http2("shop.test", "leaving-echo")
        let (_, exchanges) = await proxy.stop()
        #expect(output == Self.echo)
        #expect(exchanges.first?.messageLines.sorted() == Self.messages.sorted())
    }

    @Test("end with a reset if their server takes nothing of what was sent before the end")
    func withoutCredit() async throws {
        let origin = try HTTP2Origin("websocket full")
        var settings = origin.settings()
        settings.http2.clients.firstWindow = settings.http2.clients.streamWindow
        settings.timeouts.idle = Microseconds(1_000_000)
        let proxy = await ProxyHarness.start(settings)
        let opened = try await proxy.http2("shop.test", "leaving-socket")
        let resets = try await proxy.http2("shop.test", "resets")
        let (_, exchanges) = await proxy.stop()
        #expect(opened == "200")
        // CANCEL.
        #expect(resets == "[8]")
        #expect(exchanges.first { $0.response?.status == 101 }?.state == .cancelled)
    }

    @Test("fail if the server closes each connection before its settings")
    func withoutSettings() async throws {
        let server = try ScriptedServer { _, _ in .reset }
        var settings = ProxySettings.usingHTTP2
        settings.upstream = Origin(url: "http://\(server.address)")
        settings.http2.priorKnowledge = settings.upstream
        let proxy = await ProxyHarness.start(settings)
        let output = try await proxy.http2("shop.test", "open-socket", "websocket")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("502 "))
        #expect(exchanges.map(\.state) == [.failed])
        #expect(server.seen.connections <= 2)
    }

    @Test("are the only protocol that streams switch to")
    func otherProtocol() async throws {
        let origin = try HTTP2Origin("websocket")
        let proxy = await ProxyHarness.start(origin.settings())
        let output = try await proxy.http2("shop.test", "open-socket", "connect-udp")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("501 no tunnel is opened on a stream of HTTP/2 except"))
        #expect(exchanges.map(\.error?.code) == ["stream_tunnel"])
    }
}
