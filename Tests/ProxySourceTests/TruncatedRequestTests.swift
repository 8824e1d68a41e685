// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A request whose client ends its direction within the body")
struct TruncatedRequestTests {
    /// Which truncated bodies a parser refuses, and in which states, is tested without sockets: in
    /// `ChunkStateTests`, `BodyDecoderTests` and `ExchangePlaybookTests`.
    @Test(
        "is answered with 400 and recorded as truncated",
        arguments: [
            ("Content-Length: 9\r\n\r\npart", BodyBuffer.none),
            ("Transfer-Encoding: chunked\r\n\r\n9\r\npart", .init(.wire, maxBytes: 99)),
        ]
    )
    func answered(body: String, buffer: BodyBuffer) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(stages: [liveStage(buffer: buffer)])
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: \(server.address)\r\n\(body)"
        )
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 400 "))
        #expect(output.contains("the connection ended inside the body"))
        #expect(output.contains("\r\nConnection: close\r\n"))
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "truncated_body")
        #expect(exchange.request.body.isTruncated || exchange.request.body.bytes.isEmpty)
        #expect(exchange.response == nil)
        #expect(exchanges.count == 1)
        #expect(report.isBalanced)
        // The server never sees it as a complete request.
        #expect(server.seen.requests.isEmpty)
    }

    @Test("resets its connection if the response has begun")
    func begun() async throws {
        let start = "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello"
        let server = try ScriptedServer(answersHeads: true) { _, _ in .send(start) }
        let proxy = await ProxyHarness.start()
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\npart",
            then: "half_close_after",
            ["hello"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "(reset)")
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.map(\.error?.code) == ["truncated_body"])
        #expect(exchanges.first?.response?.body.isTruncated == true)
    }

    @Test("is recorded as disconnected if its connection is reset")
    func reset() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        let folder = try TemporaryFolder()
        async let output = exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\npart",
            then: "reset_when",
            [folder("go")]
        )
        await wait(for: "the proxy to report the request") { !proxy.opened.isEmpty }
        try folder.write("", to: "go")
        _ = try await output
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.cancelled])
        #expect(exchanges.map(\.error?.code) == ["client_closed"])
    }
}
