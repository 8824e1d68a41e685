// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineRuntime
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource

@Suite("Input that is not a request")
struct UnreadableTests {
    private let wrong = "GET /?secret=1 HTTP/1.1\r\nHost : a\r\n\r\n"

    @Test("is answered, and recorded with the known facts")
    func malformed() async throws {
        let proxy = await ProxyHarness.start()
        let answer = try await exchangeBytes(with: proxy.address, wrong)
        let (report, exchanges) = await proxy.stop()
        #expect(answer.hasPrefix("HTTP/1.1 400 "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "malformed_request")
        #expect(exchange.error?.message.contains("secret") == false)
        #expect(exchange.connection.client.hasPrefix("127.0.0.1:"))
        #expect(exchange.started.microseconds > 0)
        #expect(exchange.bytes?.up == ByteCounts.Direction(headers: wrong.utf8.count))
        let down = try #require(exchange.bytes?.down)
        #expect(down.line + down.headers + down.body == answer.utf8.count)
        #expect(exchange.request == Request(method: "", target: "", scheme: "", version: ""))
        #expect(exchange.response == nil)
        #expect(exchanges.count == 1)
        #expect(report.sources.first?.counters.rejected == 0)
        #expect(report.isBalanced)
    }

    @Test("is recorded as TLS if the client names the proxy as https://")
    func tls() async throws {
        let proxy = await ProxyHarness.start()
        let url = "https://\(proxy.address)"
        _ = try await command("curl", ["-sS", "-m", "20", "-x", url, "http://shop.test/"])
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.error?.code) == ["malformed_request"])
        #expect(exchanges.first?.error?.message.contains("set the proxy's URL to http://") == true)
    }

    @Test("is recorded with its server if there is one, after a complete request")
    func upstream() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        var settings = ProxySettings()
        settings.upstream = Origin(authority: "\(server.address)".utf8.span, isSecure: false)
        let proxy = await ProxyHarness.start(settings)
        let whole = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        let answer = try await exchangeBytes(with: proxy.address, whole + wrong)
        let (_, exchanges) = await proxy.stop()
        #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("helloHTTP/1.1 400 "))
        #expect(exchanges.map(\.state) == [.completed, .failed])
        #expect(exchanges.last?.request.url == ByteString("http://\(server.address)/"))
        #expect(exchanges.last?.connection.isReused == true)
        #expect(exchanges.last?.bytes?.up.body == 0)
    }

    @Test("replaces the CONNECT that it arrived in")
    func withinTunnel() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let answer = try await exchangeBytes(
            with: proxy.address,
            "CONNECT shop.test:80 HTTP/1.1\r\nHost: shop.test\r\n\r\n" + wrong
        )
        let (_, exchanges) = await proxy.stop()
        #expect(answer.contains("HTTP/1.1 400 "))
        #expect(exchanges.map(\.error?.code) == ["malformed_request"])
        #expect(exchanges.first?.request.url == "http://shop.test/")
    }

    @Test("gets 408 if the head is not complete in time, but a silent client gets nothing")
    func late() async throws {
        let server = try ScriptedServer { _, _ in
            .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
        }
        var settings = ProxySettings()
        settings.timeouts.head = Microseconds(200_000)
        settings.timeouts.keepAlive = Microseconds(200_000)
        let proxy = await ProxyHarness.start(settings)
        let late = try await exchangeBytes(with: proxy.address, "GET / HT", then: "read")
        let answered = WallClock.microseconds
        #expect(late.hasPrefix("HTTP/1.1 408 "))
        #expect(try await exchangeBytes(with: proxy.address, "", then: "read") == "")
        // An empty line, which old clients send after a body, begins no request (RFC 9112 §2.2).
        let request = "GET http://\(server.address)/ HTTP/1.1\r\nHost: a\r\n\r\n\r\n"
        let idle = try await exchangeBytes(with: proxy.address, request, then: "read")
        #expect(idle.hasPrefix("HTTP/1.1 200 ") && idle.hasSuffix("\r\n\r\nhello"))
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.state) == [.failed, .completed])
        let first = try #require(exchanges.first)
        #expect(first.error?.code == "timeout")
        #expect(first.bytes?.up.headers == 8)
        let total = try #require(first.timing.total?.count)
        #expect(total >= 200_000)
        // It began with its first byte, not with its end.
        #expect(first.started.microseconds + total <= answered)
    }

    @Test("may be another protocol: the client gets the supported ones")
    func otherScheme() async throws {
        let proxy = await ProxyHarness.start()
        let answer = try await exchangeBytes(
            with: proxy.address,
            "GET ftp://shop.test/a HTTP/1.1\r\nHost: shop.test\r\n\r\n"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(answer.hasPrefix("HTTP/1.1 501 "))
        #expect(answer.contains("it supports http:// and https://, and CONNECT"))
        #expect(exchanges.map(\.error?.code) == ["unsupported_scheme"])
        #expect(exchanges.first?.request.url == "ftp://shop.test/a")
    }
}
