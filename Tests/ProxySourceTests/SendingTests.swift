// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplinePlugin
import TaplineRuntime
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
private let original = ExchangeID(high: 0x7000, low: 0x8000_0000_0000_0001)

extension PipelineControl {
    /// Sends a request, and waits for the id of its exchange.
    fileprivate func sent(
        _ request: Request,
        replaying original: ExchangeID? = nil
    ) async -> Result<ExchangeID, ControlError> {
        await withCheckedContinuation { continuation in
            send(request, replaying: original) { continuation.resume(returning: $0) }
        }
    }

    /// Sends a request that is refused, and returns why.
    fileprivate func refusal(of request: Request) async -> String {
        switch await sent(request) {
        case .success: "sent"
        case .failure(let error): error.description
        }
    }
}

private func get(_ address: SocketAddress, _ target: ByteString = "/") -> Request {
    Request(target: target, authority: ByteString("\(address)"))
}

@Suite("A request that the pipeline itself sends", .timeLimit(.minutes(3)))
struct SendingTests {
    @Test("passes the hooks, and is recorded with what it repeats")
    func recorded() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let stage = Topology.Stage(
            id: "s",
            ScriptedStage(
                request: { exchange, _ in
                    exchange.request.fields.set("X-Hook", to: "1")
                    return .proceed
                },
                response: { _, _ in .proceed }
            )
        )
        let proxy = await ProxyHarness.start(stages: [stage])
        var request = get(server.address, "/cart?x=1")
        request.method = "POST"
        request.fields = FieldSection([("X-Own", "2")])
        request.body = Body(Array("a body".utf8))
        #expect(proxy.control.canSend)
        let first = try await proxy.control.sent(request, replaying: original).get()
        let second = try await proxy.control.sent(get(server.address)).get()
        let (report, exchanges) = await proxy.stop()
        let sent = try #require(exchanges.first { $0.id == first })
        #expect(sent.state == .completed)
        #expect(sent.request.body.bytes == Array("a body".utf8))
        #expect(sent.response?.body.bytes == Array("hello".utf8))
        #expect(sent.connection.client.isEmpty)
        #expect(sent.connection.server == "\(server.address)")
        #expect(sent.extra?.replay == ReplayFacts(of: original, sent: sent.started))
        #expect(try #require(exchanges.first { $0.id == second }).extra == nil)
        #expect(exchanges.count == 2 && report.failures.isEmpty)
        let text = try #require(server.seen.requests.first { $0.hasPrefix("POST") })
        #expect(text.hasPrefix("POST /cart?x=1 HTTP/1.1\r\n"))
        #expect(text.contains("Host: \(server.address)\r\n"))
        #expect(text.contains("X-Own: 2\r\n") && text.contains("X-Hook: 1\r\n"))
        #expect(text.contains("Content-Length: 6\r\n") && text.hasSuffix("\r\n\r\na body"))
    }

    @Test("reaches a server of HTTPS, whether or not tunnels are read", arguments: [false, true])
    func secure(reads: Bool) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(reads ? origin.intercepting() : origin.settings())
        let request = Request(
            target: "/secret",
            scheme: "https",
            authority: ByteString("localhost:\(origin.port)")
        )
        let id = try await proxy.control.sent(request).get()
        let (_, exchanges) = await proxy.stop()
        let sent = try #require(exchanges.first)
        #expect(sent.id == id && exchanges.count == 1)
        #expect(sent.request.url.text == "\(origin.url)/secret")
        #expect(sent.response?.status == 200)
        #expect(sent.connection.tls == nil && sent.connection.serverTLS != nil)
    }

    @Test("needs no permission to use the proxy")
    func permission() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.access.credentials = BasicCredentials(user: "me", password: "right")
        settings.access.allowedClients = [try #require(IPRange("192.0.2.1"))]
        settings.access.allowedUsers = [4_000_000]
        let proxy = await ProxyHarness.start(settings)
        _ = try await proxy.control.sent(get(server.address)).get()
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.response?.status == 200)
    }

    @Test("reaches neither the proxy itself nor a denied server")
    func denied() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.access.deniedTargets = [try #require(IPRange("127.0.0.2"))]
        let proxy = await ProxyHarness.start(settings)
        _ = try await proxy.control.sent(get(proxy.address)).get()
        let other = Request(authority: ByteString("127.0.0.2:\(server.address.port)"))
        _ = try await proxy.control.sent(other).get()
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map { $0.error?.code } == ["target_denied", "target_denied"])
        #expect(server.seen.requests.isEmpty)
    }

    @Test("goes through a reverse proxy only if it names the upstream")
    func upstream() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(settings)
        let control = proxy.control
        var other = get(server.address)
        other.scheme = "https"
        #expect(await control.refusal(of: other).contains("reaches the server"))
        other.authority = "shop.test"
        #expect(await control.refusal(of: other).contains("reaches the server"))
        _ = try await control.sent(get(server.address)).get()
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == 1)
        #expect(exchanges.first?.response?.status == 200)
        #expect(server.seen.requests.first?.contains("Host: \(server.address)\r\n") == true)
    }

    @Test("goes through the source that reaches its server")
    func choice() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var reverse = ProxySettings()
        reverse.upstream = Origin(authority: "shop.test".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(reverse, beside: [ProxySettings()])
        // The other source may be ready to send a little later than it listens.
        await wait(for: "the other proxy") {
            await proxy.control.refusal(of: get(server.address)) == "sent"
        }
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.first?.source == "other0")
        #expect(server.seen.requests.count == 1)
    }

    @Test("is refused if it cannot be sent")
    func refused() async throws {
        let proxy = await ProxyHarness.start()
        let control = proxy.control
        var request = Request(method: "CONNECT", authority: "shop.test:443")
        #expect(await control.refusal(of: request).contains("CONNECT"))
        request = Request(scheme: "ftp", authority: "shop.test")
        #expect(await control.refusal(of: request).contains("names no server"))
        request = Request(authority: "")
        #expect(await control.refusal(of: request).contains("names no server"))
        request = Request(authority: "shop.test", fields: FieldSection([("X", "a\r\nY: b")]))
        #expect(await control.refusal(of: request) != "sent")
        request = Request(method: "GE T", authority: "shop.test")
        #expect(await control.refusal(of: request) != "sent")
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.isEmpty)
        #expect(await control.refusal(of: Request(authority: "shop.test")).contains("ending"))
        #expect(!control.canSend)
    }

    @Test("waits for its turn only up to a number, and frees its place when it ends")
    func bounded() async throws {
        let server = try ScriptedServer { _, _ in .sendAndClose(hello) }
        let silent = try ScriptedServer { _, _ in .silence }
        let proxy = await ProxyHarness.start()
        for _ in 0..<SendSlots.limit {
            _ = try await proxy.control.sent(get(silent.address)).get()
        }
        let refusal = await proxy.control.refusal(of: get(server.address))
        #expect(refusal.contains("16 requests"))
        // Their exchanges fail, and their places are free again.
        silent.stop()
        await wait(for: "a free place") {
            await proxy.control.refusal(of: get(server.address)) == "sent"
        }
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.count == SendSlots.limit + 1)
    }
}
