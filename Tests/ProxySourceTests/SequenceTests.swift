// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/// A stage that does one thing with each request, one with each response.
func liveStage(
    buffer: BodyBuffer = .none,
    request: Verdict = .proceed,
    response: @escaping @Sendable (inout Exchange) -> Verdict = { _ in .proceed }
) -> Topology.Stage {
    Topology.Stage(
        id: "s",
        ScriptedStage(
            request: { _, _ in request },
            response: { exchange, _ in response(&exchange) }
        ),
        buffer: buffer
    )
}

@Suite("What comes too early, too late, or twice")
struct SequenceTests {
    private func get(_ address: SocketAddress, _ path: String = "/") -> String {
        "GET http://\(address)\(path) HTTP/1.1\r\nHost: \(address)\r\n\r\n"
    }

    private var oneThread: ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        return settings
    }

    @Test("bytes behind a response are no answer to the next request", arguments: [false, true])
    func surplus(delays: Bool) async throws {
        let server = try ScriptedServer { _, number in
            .send(number == 0 ? hello + hello.replacing("hello", with: "wrong") : hello)
        }
        let stage = liveStage { _ in delays ? .delay(Microseconds(30_000)) : .proceed }
        let proxy = await ProxyHarness.start(oneThread, stages: [stage])
        let two = get(server.address) + get(server.address)
        let output = try await exchangeBytes(with: proxy.address, two)
        let (_, exchanges) = await proxy.stop()
        #expect(output.components(of: "hello") == 2)
        #expect(!output.contains("wrong"))
        #expect(exchanges.map(\.state) == [.completed, .completed])
        #expect(server.seen.connections == 2)
    }

    @Test(
        "a server may go once it has answered",
        arguments: [BodyBuffer.none, .init(.wire, maxBytes: 9)]
    )
    func closesBehindAnswer(buffer: BodyBuffer) async throws {
        let server = try ScriptedServer { _, _ in .sendAndClose(hello) }
        let stage = liveStage(buffer: buffer) { _ in .delay(Microseconds(50_000)) }
        let proxy = await ProxyHarness.start(stages: [stage])
        let output = try await proxy.curl("http://\(server.address)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hello")
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("a client may speak before its tunnel is open, and end")
    func earlyTunnel() async throws {
        let server = try ScriptedServer { _, _ in .sendAndClose(hello) }
        let proxy = await ProxyHarness.start()
        let connect = "CONNECT \(server.address) HTTP/1.1\r\nHost: \(server.address)\r\n\r\n"
        let output = try await exchangeBytes(
            with: proxy.address,
            connect + "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("hello"))
        #expect(exchanges.map(\.state) == [.completed])
    }

    @Test("a request that a hook answers keeps its connection")
    func answeredKeeps() async throws {
        let proxy = await ProxyHarness.start(stages: [
            liveStage(request: .respond(Response(status: 204)))
        ])
        _ = try await proxy.curl("http://a.test/1", "http://a.test/2")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.connection.isReused) == [false, true])
    }

    @Test("clients of HTTP/1.0 are kept by a reverse proxy alone", arguments: [false, true])
    func version10(isReverse: Bool) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = oneThread
        if isReverse {
            settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        }
        let proxy = await ProxyHarness.start(settings)
        let request = "GET http://\(server.address)/ HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        let output = try await exchangeBytes(with: proxy.address, request + request)
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == (isReverse ? 2 : 1))
        #expect(output.contains("onnection: close") == !isReverse)
    }

    @Test("a response that a hook made bodiless carries none", arguments: [204, 304])
    func bodiless(status: Int) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = liveStage { exchange in
            exchange.response?.status = status
            return .proceed
        }
        let proxy = await ProxyHarness.start(stages: [stage])
        let two = get(server.address) + get(server.address)
        let output = try await exchangeBytes(with: proxy.address, two)
        let (_, exchanges) = await proxy.stop()
        #expect(output.components(of: "HTTP/1.1 \(status) ") == 2)
        #expect(!output.contains("hello"))
        #expect(exchanges.allSatisfy { $0.state == .completed && $0.response?.body.size == nil })
    }

    @Test("an answer that comes before the request is whole arrives")
    func earlyAnswer() async throws {
        let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nlarge"
        let server = try ScriptedServer(answersHeads: true) { _, _ in .sendAndClose(refusal) }
        let proxy = await ProxyHarness.start()
        let head =
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9000001\r\n\r\n"
        let output = try await exchangeBytes(
            with: proxy.address,
            head,
            then:
                "try:\n  for i in range(90): s.sendall(bytes(100000))\nexcept OSError: pass\nread()"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("large"))
        // What is left of the request is not read, so the client has to know that this is the end.
        #expect(output.contains("Connection: close\r\n"))
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.request.body.isTruncated == true)
    }

    @Test("interim responses end at some point")
    func interim() async throws {
        let hints = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 100)
        let server = try ScriptedServer { _, _ in .send(hints + hello) }
        let proxy = await ProxyHarness.start()
        let output = try await exchangeBytes(with: proxy.address, get(server.address))
        let (_, exchanges) = await proxy.stop()
        #expect(output.components(of: "HTTP/1.1 103 ") == 32)
        #expect(output.contains("HTTP/1.1 502 "))
        #expect(exchanges.first?.error?.code == "malformed_response")
    }

    @Test(
        "interim responses pass with their reason, and without one",
        arguments: ["Early Hints", "Go on, \u{e9}t\u{e9}", ""]
    )
    func interimReason(reason: String) async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 103 \(reason)\r\nLink: </a>\r\n\r\nHTTP/1.1 102\r\n\r\n" + hello)
        }
        let proxy = await ProxyHarness.start()
        let output = try await exchangeBytes(with: proxy.address, get(server.address))
        _ = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 103 \(reason)\r\nLink: </a>\r\n"))
        #expect(output.components(of: "HTTP/1.1 102 \r\n") == 1)
        #expect(output.hasSuffix("hello"))
    }

    @Test("a body that is waited for is asked for once")
    func expectation() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(stages: [liveStage(buffer: .init(.wire, maxBytes: 99))]
        )
        let output = try await proxy.curl(
            "-i",
            "-H",
            "Expect: 100-continue",
            "-d",
            "body",
            "http://\(server.address)/"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.components(of: "HTTP/1.1 100 ") == 1)
        #expect(server.seen.requests.first?.contains("xpect") == false)
        #expect(exchanges.first?.request.body.bytes == Array("body".utf8))
    }

    @Test("stopping waits for what is on its way, and for nothing else")
    func drain() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = liveStage { _ in .delay(Microseconds(500_000)) }
        let proxy = await ProxyHarness.start(
            stages: [stage],
            drainTimeout: Microseconds(60_000_000)
        )
        async let output = proxy.curl("http://\(server.address)/")
        while server.seen.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        let start = ContinuousClock.now
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "hello")
        #expect(exchanges.map(\.state) == [.completed])
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}

extension String {
    /// How often a text occurs.
    func components(of text: String) -> Int { ranges(of: text).count }
}
