// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
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
            "\(origin.folder)/ca/root.pem",
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

    /// Opens a tunnel with Python, without verifying the certificate, and ends it.
    private func visit(
        _ proxy: ProxyHarness,
        _ origin: SecureOrigin,
        then lines: String
    ) async throws -> String {
        let program = """
            import socket, ssl
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            def tunnel(**more):
                s = socket.create_connection(("127.0.0.1", \(proxy.address.port)), 20)
                s.sendall(b"CONNECT localhost:\(origin.port) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                s.recv(1000)
                return context.wrap_socket(s, server_hostname="localhost", **more)
            \(lines)
            """
        return try await command("python3", ["-c", program])
    }

    @Test(
        "is denied by clients that check the certificate after the handshake and then disconnect",
        arguments: ["tunnel().close()", "tunnel().unwrap()"]
    )
    func late(ending: String) async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.timeouts.distrust = Microseconds(60_000_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await visit(
            proxy,
            origin,
            then: """
                try: \(ending)
                except OSError: pass
                print("gone")
                """
        )
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
        let program = """
            import ctypes, socket
            s = socket.create_connection(("127.0.0.1", \(proxy.address.port)), 20)
            s.sendall(b"CONNECT localhost:\(origin.port) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            s.recv(1000)
            s.settimeout(None)
            tls, session, trust = ctypes.CDLL("libgnutls.so.30"), ctypes.c_void_p(), ctypes.c_void_p()
            tls.gnutls_init(ctypes.byref(session), 2)
            tls.gnutls_priority_set_direct(session, b"\(priority)", None)
            tls.gnutls_certificate_allocate_credentials(ctypes.byref(trust))
            tls.gnutls_credentials_set(session, 1, trust)
            tls.gnutls_server_name_set(session, 1, b"localhost", ctypes.c_size_t(9))
            tls.gnutls_transport_set_int2(session, s.fileno(), s.fileno())
            print(tls.gnutls_handshake(session), tls.gnutls_alert_send(session, 2, 48))
            print(s.recv(1 << 16)[-1:])
            """
        _ = try await command("/usr/bin/python3", ["-c", program])
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
        let output = try await visit(
            proxy,
            origin,
            then: """
                first = tunnel()
                first.sendall(b"GET /a HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
                print(first.recv(1000)[:12].decode())
                second = tunnel(session=first.session)
                print(second.session_reused)
                second.close()
                """
        )
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
        let program = """
            import socket, ssl
            s = socket.create_connection(("127.0.0.1", \(proxy.address.port)), 20)
            s.sendall(b"CONNECT \(connect):\(origin.port) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            s.recv(1000)
            context = ssl.create_default_context(cafile="\(file(origin))")
            s = context.wrap_socket(s, server_hostname="\(name)")
            s.sendall(b"GET /close HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
            print(s.recv(1000)[:8].decode())
            """
        let output = try await command("python3", ["-c", program])
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
            trusting: { method == "GET" ? "\($0.folder)/ca/root.pem" : $0.certificate },
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
            trusting: { method == "GET" ? "\($0.folder)/ca/root.pem" : $0.certificate },
            rules: rules([hosts], passing: passing)
        )
        #expect(found == [ByteString(method)])
    }
}
