// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
import TestSupport
import Testing

@testable import ProxySource

@Suite("Trust in intercepted HTTPS")
struct InterceptionTrustTests {
    /// Returns the client's error page and the record for a server that is not trusted.
    private func refusal(
        _ settings: ProxySettings,
        _ origin: SecureOrigin,
        host: String
    )
        async throws -> (page: String, exchange: Exchange)
    {
        let proxy = await ProxyHarness.start(settings)
        let page = try await proxy.curl(
            "-i",
            "--cacert",
            origin.authority,
            "https://\(host):\(origin.port)/a?b=c"
        )
        let (_, exchanges) = await proxy.stop()
        return (page, try #require(exchanges.first))
    }

    @Test(
        "is refused for invalid certificates, with a readable message",
        arguments: [
            (
                SecureOrigin.Certificate.expired,
                "the certificate of 'localhost' has expired; its last day was 20"
            ),
            (
                .future,
                "the certificate of 'localhost' is not valid yet; its first day is 2039-01-01"
            ),
            (
                .oldAuthority,
                "a certificate in the chain of 'localhost' has expired; its last day was 20"
            ),
            (
                .strange,
                "the certificate of 'localhost' is signed by an unknown authority, "
                    + "or an intermediate certificate was not sent"
            ),
            (.purpose, "the certificate of 'localhost' was not issued for servers"),
        ]
    )
    func invalid(certificate: SecureOrigin.Certificate, sentence: String) async throws {
        let origin = try await SecureOrigin(certificate)
        var settings = origin.intercepting()
        if certificate == .strange { settings.servers.authorityFiles = [] }
        if certificate == .oldAuthority {
            settings.servers.authorityFiles = ["\(origin.folder)/ca.pem"]
        }
        let (page, exchange) = try await refusal(settings, origin, host: "localhost")
        #expect(page.contains("\r\n\r\nHTTP/1.1 502 "))
        #expect(page.contains(sentence), "\(page)")
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "tls_verify")
        #expect(exchange.error?.message.contains(sentence) == true)
        #expect(exchange.request.url == ByteString("\(origin.url)/a?b=c"))
    }

    @Test("is refused for a certificate that is self-signed, or for another host")
    func unknownAuthority() async throws {
        let origin = try await SecureOrigin()
        var alone = origin.intercepting()
        alone.servers.authorityFiles = []
        for (settings, host, sentence) in [
            (alone, "localhost", "'localhost' is self-signed, not signed by a trusted"),
            (origin.intercepting(), "127.0.0.1", "issued for a host other than '127.0.0.1'"),
        ] {
            let (page, exchange) = try await refusal(settings, origin, host: host)
            #expect(page.contains("\r\n\r\nHTTP/1.1 502 "))
            #expect(page.contains(sentence), "\(page)")
            #expect(exchange.error?.code == "tls_verify")
            #expect(exchange.error?.message.contains(sentence) == true)
        }
    }

    @Test(
        "is refused for a certificate without the host in its alternative names",
        arguments: [
            (.commonName, "localhost", "names no host"), (.mailbox, "localhost", "names no host"),
            (.commonName, "127.0.0.1", "names no host"),
            (.address, "localhost", "issued for a host other than 'localhost'"),
            (.addressAsName, "127.0.0.1", "issued for a host other than '127.0.0.1'"),
            (.address, "127.0.0.1", nil), (.good, "localhost", nil),
        ] as [(SecureOrigin.Certificate, String, String?)]
    )
    func names(certificate: SecureOrigin.Certificate, host: String, reason: String?) async throws {
        let origin = try await SecureOrigin(certificate)
        let (page, exchange) = try await refusal(origin.intercepting(), origin, host: host)
        #expect(page.contains("\r\n\r\nHTTP/1.1 \(reason == nil ? 200 : 502) "))
        #expect(exchange.error?.code == (reason == nil ? nil : "tls_verify"))
        if let reason { #expect(exchange.error?.message.contains(reason) == true) }
        guard reason != nil else { return }
        var trusting = origin.intercepting()
        trusting.servers.verify = false
        let unverified = try await refusal(trusting, origin, host: host)
        #expect(unverified.page.contains("\r\n\r\nHTTP/1.1 200 "))
    }

    // MARK: Clients

    /// Opens a tunnel with Python, without verifying the certificate, and calls a function there.
    private func visit(
        _ proxy: ProxyHarness,
        _ origin: SecureOrigin,
        then function: String
    ) async throws -> String {
        try await Python.run(
            "unverifying_client",
            ["\(proxy.address.port)", "localhost:\(origin.port)", function]
        )
    }

    @Test(
        "is denied by clients that check the certificate after the handshake and then disconnect",
        arguments: ["close", "unwrap", "preface"]
    )
    func late(ending: String) async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.timeouts.distrust = Microseconds(60_000_000)
        settings.http2.hosts = [Glob("*")]
        let proxy = await ProxyHarness.start(settings)
        let output = try await visit(proxy, origin, then: ending)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "gone\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.state == .failed)
        #expect(exchanges.first?.error?.code == "client_untrusted")
        #expect(exchanges.first?.error?.message.contains("after the TLS handshake") == true)
        #expect(exchanges.first?.tags["hint"] == "trust_ca")
    }

    /// GnuTLS's programs check the certificate after the handshake, and may send an alert.
    @Test(
        "is denied by clients that send an alert after the handshake",
        arguments: ["NORMAL", "NORMAL:-VERS-TLS1.3"]
    )
    func alert(priority: String) async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        // Only the alert counts, not how soon it arrives.
        settings.timeouts.distrust = Microseconds(0)
        let proxy = await ProxyHarness.start(settings)
        _ = try await Python.run(
            "gnutls_alert",
            ["\(proxy.address.port)", "localhost:\(origin.port)", priority]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.error?.code == "client_untrusted")
        #expect(exchanges.first?.error?.message.contains("after the TLS handshake") == false)
        #expect(exchanges.first?.tags["hint"] == "trust_ca")
    }

    @Test("is not denied by a client that resumes a session and disconnects")
    func resumed() async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.timeouts.distrust = Microseconds(60_000_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await visit(proxy, origin, then: "resume")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "HTTP/1.1 200\nTrue\n")
        #expect(Set(exchanges.map(\.request.method)) == ["GET", "CONNECT"])
        #expect(exchanges.map(\.state) == [.completed, .completed])
    }

    // MARK: Names

    /// Requests a host, names another one in TLS, and returns the records.
    private func methods(
        connect: String,
        naming name: String,
        trusting file: (SecureOrigin) -> String,
        rules: InterceptionRules
    ) async throws -> [ByteString] {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.interception = rules
        let proxy = await ProxyHarness.start(settings)
        let output = try await Python.run(
            "tls_client",
            ["\(proxy.address.port)", "\(connect):\(origin.port)", file(origin), name]
        )
        #expect(output == "HTTP/1.1\n")
        let (_, exchanges) = await proxy.stop()
        return exchanges.map(\.request.method)
    }

    private func rules(_ hosts: [String], passing: [String] = []) -> InterceptionRules {
        InterceptionRules(hosts: hosts.map { Glob($0) }, passthrough: passing.map { Glob($0) })
    }

    @Test(
        "uses the name in TLS if CONNECT has an address",
        arguments: [
            (["local*"], [], "GET"), (["127.*"], [], "GET"), (["other*"], [], "CONNECT"),
            (["127.*"], ["local*"], "CONNECT"), (["local*"], ["127.*"], "CONNECT"),
        ]
    )
    func address(hosts: [String], passing: [String], method: String) async throws {
        let found = try await methods(
            connect: "127.0.0.1",
            naming: "localhost",
            trusting: { method == "GET" ? $0.authority : $0.certificate },
            rules: rules(hosts, passing: passing)
        )
        #expect(found == [ByteString(method)])
    }

    @Test(
        "uses the name of CONNECT, and also the name in TLS for 'passthrough'",
        arguments: [
            ("local*", [], "other.test", "GET"), ("other*", [], "localhost", "CONNECT"),
            ("*", ["local*"], "localhost", "CONNECT"),
        ]
    )
    func name(hosts: String, passing: [String], named: String, method: String) async throws {
        let found = try await methods(
            connect: "localhost",
            naming: named,
            trusting: { method == "GET" ? $0.authority : $0.certificate },
            rules: rules([hosts], passing: passing)
        )
        #expect(found == [ByteString(method)])
    }
}
