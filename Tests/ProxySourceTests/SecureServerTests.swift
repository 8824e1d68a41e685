// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineTLS
import TestSupport
import Testing

@testable import ProxySource

@Suite("HTTPS to servers")
struct SecureServerTests {
    @Test("is used for an upstream, and the negotiated parameters are recorded")
    func upstream() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.upstream())
        let output = try await command("curl", ["-sS", "-m", "20", "http://\(proxy.address)/x"])
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/x False False")
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .completed)
        #expect(exchange.request.url == ByteString("\(origin.url)/x"))
        #expect(exchange.connection.tls == nil)
        #expect(exchange.connection.serverTLS?.version == "TLSv1.3")
        #expect(exchange.connection.serverTLS?.sni == "localhost")
        #expect(exchange.timing.tls != nil)
        #expect(exchange.bytes?.up.line == "GET /x HTTP/1.1\r\n".utf8.count)
    }

    @Test("keeps connections open, and resumes sessions if the server closes")
    func resumption() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.upstream())
        let url = "http://\(proxy.address)"
        let output = try await command(
            "curl",
            ["-sS", "-m", "20", "\(url)/a", "\(url)/close", "\(url)/b"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False/close False False/b True False")
        #expect(exchanges.map { $0.timing.tls != nil } == [true, false, true])
    }

    @Test("is refused if the certificate is not trusted, or for another host")
    func verification() async throws {
        let origin = try await SecureOrigin()
        var untrusting = origin.upstream()
        untrusting.servers.authorityFiles = []
        for (settings, reason) in [
            (untrusting, "the certificate of 'localhost' is self-signed"),
            (
                origin.upstream(host: "127.0.0.1"),
                "the server's certificate was issued for a host other than '127.0.0.1'"
            ),
        ] {
            let proxy = await ProxyHarness.start(settings)
            let output = try await command(
                "curl",
                ["-sS", "-i", "-m", "20", "http://\(proxy.address)/"]
            )
            let (_, exchanges) = await proxy.stop()
            #expect(output.hasPrefix("HTTP/1.1 502 "))
            #expect(output.contains(reason))
            #expect(exchanges.first?.state == .failed)
            #expect(exchanges.first?.error?.code == "tls_verify")
        }
        untrusting.servers.verify = false
        let proxy = await ProxyHarness.start(untrusting)
        let output = try await command("curl", ["-sS", "-m", "20", "http://\(proxy.address)/"])
        _ = await proxy.stop()
        #expect(output == "/ False False")
    }

    @Test("presents a certificate to a server that requests one")
    func clientCertificate() async throws {
        let origin = try await SecureOrigin(asksForCertificate: true)
        var settings = origin.upstream()
        settings.servers.certificateFile = origin.certificate
        settings.servers.keyFile = origin.key
        let proxy = await ProxyHarness.start(settings)
        let output = try await command("curl", ["-sS", "-m", "20", "http://\(proxy.address)/"])
        _ = await proxy.stop()
        #expect(output == "/ False True")
        let refused = await ProxyHarness.start(origin.upstream())
        let page = try await command("curl", ["-sS", "-m", "20", "http://\(refused.address)/"])
        let (_, exchanges) = await refused.stop()
        // The reset that follows when it closes with an unread request may overtake its alert.
        #expect(page.contains("a client certificate is required") || page.contains("reset"))
        #expect(["tls_alert", "reset"].contains(exchanges.first?.error?.code))
    }
}
