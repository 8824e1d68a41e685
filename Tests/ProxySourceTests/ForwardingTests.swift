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

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Server: a\r\n\r\nhello"

@Suite("The proxy between curl and a server")
struct ForwardingTests {
    @Test("forwards requests and responses, and records both")
    func forward() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("-i", "http://\(server.address)/a?b=c")
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(output.hasSuffix("hello"))
        #expect(report.isSuccess)
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(exchange.request.url == ByteString("http://\(server.address)/a?b=c"))
        #expect(exchange.response?.body.bytes == Array("hello".utf8))
        #expect(exchange.connection.server == "\(server.address)")
        #expect(exchange.bytes?.down.body == 5)
        let request = try #require(server.seen.requests.first)
        #expect(request.hasPrefix("GET /a?b=c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nVia: 1.1 tapline-"))
        #expect(!request.lowercased().contains("proxy-connection"))
    }

    @Test("sends all requests to its upstream as a reverse proxy")
    func reverse() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(settings)
        let output = try await command("curl", ["-sS", "http://\(proxy.address)/x"])
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello")
        #expect(exchanges.first?.request.url == ByteString("http://\(server.address)/x"))
        #expect(server.seen.requests.first?.contains("Host: \(server.address)\r\n") == true)
    }

    @Test("forwards bodies of both framings", arguments: ["Content-Length", "Transfer-Encoding"])
    func upload(framing: String) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let field = framing == "Transfer-Encoding" ? "Transfer-Encoding: chunked" : "X-Plain: 1"
        _ = try await proxy.curl("-H", field, "-d", "a=1&b=2", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.request.body.bytes == Array("a=1&b=2".utf8))
        #expect(exchanges.first?.request.body.isTruncated == false)
        let request = try #require(server.seen.requests.first)
        #expect(request.contains("a=1&b=2"))
        #expect(request.contains("Transfer-Encoding: chunked") == (framing == "Transfer-Encoding"))
    }

    @Test("keeps connections open on both sides")
    func keepAlive() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings)
        let url = "http://\(server.address)/"
        _ = try await proxy.curl(url, url, url)
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.connection.isReused) == [false, true, true])
        #expect(server.seen.connections == 1)
    }

    @Test("repeats a request on a stale connection")
    func stale() async throws {
        let server = try ScriptedServer { _, number in number == 1 ? .reset : .send(hello) }
        var settings = ProxySettings()
        settings.threads = 1
        let proxy = await ProxyHarness.start(settings)
        let url = "http://\(server.address)/"
        let output = try await proxy.curl(url, url)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hellohello")
        #expect(exchanges.map(\.state) == [.completed, .completed])
        #expect(server.seen.connections == 2)
    }

    @Test("forwards bytes through CONNECT unchanged, and counts them")
    func tunnel() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("-p", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello")
        let exchange = try #require(exchanges.first)
        #expect(exchange.request.method == "CONNECT")
        #expect(exchange.state == .completed)
        #expect(exchange.bytes?.down.body == hello.utf8.count)
        #expect(exchange.bytes?.up.body == server.seen.requests.first?.utf8.count)
    }

    @Test(
        "ends an idle tunnel, and records the reason",
        arguments: [[], ["half_close"]]
    )
    func idleTunnel(end: [String]) async throws {
        var settings = ProxySettings()
        settings.timeouts.tunnel = Microseconds(200_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await Python.run("idle_tunnel", ["\(proxy.address.port)"] + end)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "b'hello' b'' b''\n")
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "timeout")
        #expect(exchanges.first?.bytes?.up.body == 5)
    }

    @Test("keeps a body only up to its limit")
    func capture() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(captureMaxBytes: 3)
        let output = try await proxy.curl("http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello")
        let body = try #require(exchanges.first?.response?.body)
        #expect(body.bytes == Array("hel".utf8))
        #expect(body.size == 5)
        #expect(body.isTruncated)
    }

    @Test("answers 502 if no socket listens")
    func refused() async throws {
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("-i", "http://127.0.0.1:1/")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 502 "))
        #expect(exchanges.first?.state == .failed)
        #expect(exchanges.first?.error?.code == "connect_refused")
    }

    @Test("refuses an ambiguous response")
    func ambiguous() async throws {
        let wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"
        let server = try ScriptedServer { _, _ in .send(wrong) }
        let proxy = await ProxyHarness.start()
        let output = try await proxy.curl("-i", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 502 "))
        #expect(exchanges.first?.error?.code == "malformed_response")
    }
}

@Suite("Stages on live traffic")
struct LiveHookTests {
    private func stage(
        buffer: BodyBuffer = .none,
        request: @escaping @Sendable (inout Exchange, inout ExchangeContext) throws -> Verdict = {
            _,
            _ in .proceed
        },
        response: @escaping @Sendable (inout Exchange, inout ExchangeContext) throws -> Verdict = {
            _,
            _ in .proceed
        }
    ) -> Topology.Stage {
        Topology.Stage(
            id: "s",
            ScriptedStage(request: request, response: response),
            buffer: buffer
        )
    }

    @Test("rewrite the server's request and the client's response")
    func rewrite() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = stage(
            request: { exchange, _ in
                exchange.request.fields.set("X-Added", to: "1")
                return .proceed
            },
            response: { exchange, _ in
                exchange.response?.status = 203
                return .proceed
            }
        )
        let proxy = await ProxyHarness.start(stages: [stage])
        let output = try await proxy.curl("-i", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 203 "))
        #expect(server.seen.requests.first?.contains("X-Added: 1\r\n") == true)
        #expect(exchanges.first?.original.status == 200)
    }

    @Test("see and replace whole bodies if they ask for them")
    func buffer() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = stage(
            buffer: BodyBuffer(.wire, maxBytes: 100),
            request: { exchange, context in
                #expect(context.hasRequestBody)
                exchange.request.replaceContent(
                    exchange.request.body.bytes + Array("!!".utf8)
                )
                return .proceed
            },
            response: { exchange, context in
                #expect(context.hasResponseBody)
                #expect(exchange.response?.body.bytes == Array("hello".utf8))
                exchange.response?.replaceContent(Array("bye".utf8))
                return .proceed
            }
        )
        let proxy = await ProxyHarness.start(stages: [stage])
        let output = try await proxy.curl("-d", "body", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "bye")
        let request = try #require(server.seen.requests.first)
        #expect(request.contains("Content-Length: 6\r\n"))
        #expect(request.hasSuffix("\r\n\r\nbody!!"))
        #expect(exchanges.first?.request.body.bytes == Array("body!!".utf8))
        #expect(exchanges.first?.response?.body.bytes == Array("bye".utf8))
        #expect(exchanges.first?.request.fields.all("Content-Length") == ["6"])
        #expect(exchanges.first?.response?.fields.all("Content-Length") == ["3"])
    }

    @Test("respond instead of the server")
    func respond() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = stage(request: { _, _ in
            .respond(Response(status: 418, body: Body(Array("short".utf8))))
        })
        let proxy = await ProxyHarness.start(stages: [stage])
        let output = try await proxy.curl("-i", "-d", "x", "http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 418 "))
        #expect(output.hasSuffix("short"))
        #expect(server.seen.requests.isEmpty)
        #expect(exchanges.first?.state == .completed)
        #expect(exchanges.first?.response?.fields.all("Content-Length") == ["5"])
    }

    @Test("abort the connection, pause, and redirect requests")
    func others() async throws {
        let first = try ScriptedServer { _, _ in .send(hello) }
        let second = try ScriptedServer { _, _ in .send(hello) }
        let address = second.address
        let stage = stage(request: { exchange, _ in
            if "\(exchange.request.target)".hasSuffix("/abort") { return .abort }
            exchange.request.authority = ByteString("\(address)")
            return .delay(Microseconds(50_000))
        })
        let proxy = await ProxyHarness.start(stages: [stage])
        let aborted = try await proxy.curl("-w", "%{exitcode}", "http://\(first.address)/abort")
        let moved = try await proxy.curl("http://\(first.address)/moved")
        let (_, exchanges) = await proxy.stop()
        #expect(aborted == "52" || aborted == "56")
        #expect(moved == "hello")
        #expect(first.seen.requests.isEmpty)
        #expect(second.seen.requests.first?.contains("Host: \(address)\r\n") == true)
        #expect(exchanges.map(\.state) == [.cancelled, .completed])
        #expect((exchanges.last?.timing.total?.count ?? 0) >= 50_000)
    }
}
