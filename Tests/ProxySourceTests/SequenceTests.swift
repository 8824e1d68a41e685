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

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/// A stage with one action for each request and one for each response.
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

@Suite("Input that is too early, too late, or repeated")
struct SequenceTests {
    private func get(_ address: SocketAddress, _ path: String = "/") -> String {
        "GET http://\(address)\(path) HTTP/1.1\r\nHost: \(address)\r\n\r\n"
    }

    private var oneThread: ProxySettings {
        var settings = ProxySettings()
        settings.threads = 1
        return settings
    }

    @Test("bytes after a response do not answer the next request", arguments: [false, true])
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

    @Test("a client may send before its tunnel is open, and close")
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

    @Test("only a reverse proxy keeps HTTP/1.0 connections open", arguments: [false, true])
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

    @Test("a response that a hook made bodiless has no body", arguments: [204, 304])
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

    @Test("a response that is sent before the request is complete arrives")
    func earlyAnswer() async throws {
        let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nlarge"
        let server = try ScriptedServer(answersHeads: true) { _, _ in .sendAndClose(refusal) }
        let proxy = await ProxyHarness.start()
        let head =
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9000001\r\n\r\n"
        let output = try await exchangeBytes(
            with: proxy.address,
            head,
            then: "send_large"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("large"))
        // The rest of the request is not read, so the client has to know that the connection ends.
        #expect(output.contains("Connection: close\r\n"))
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.request.body.isTruncated == true)
    }

    @Test("interim responses are limited")
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
        "interim responses pass with and without a reason",
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

    @Test("a body that hooks wait for is requested once")
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

    @Test("stopping waits only for exchanges in progress")
    func drain() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = liveStage { _ in .delay(Microseconds(500_000)) }
        let proxy = await ProxyHarness.start(
            stages: [stage],
            drainTimeout: Microseconds(60_000_000)
        )
        async let output = proxy.curl("http://\(server.address)/")
        await wait(for: "the request to reach the server") { !server.seen.requests.isEmpty }
        let start = ContinuousClock.now
        let (_, exchanges) = await proxy.stop()
        #expect(try await output == "hello")
        #expect(exchanges.map(\.state) == [.completed])
        #expect(ContinuousClock.now - start < .seconds(30))
    }
}

extension String {
    /// Returns how often a text occurs.
    func components(of text: String) -> Int { ranges(of: text).count }
}
