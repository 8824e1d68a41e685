// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineRuntime
import TaplineSystem
import TestSupport
import Testing

@testable import ProxySource

@Suite("Intercepted HTTPS")
struct InterceptionTests {
    @Test("is recorded as requests instead of the tunnel")
    func curl() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let root = origin.authority
        let output = try await proxy.curl("--cacert", root, "\(origin.url)/a", "\(origin.url)/b")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False/b False False")
        #expect(exchanges.map(\.request.url) == ["/a", "/b"].map { ByteString(origin.url + $0) })
        #expect(exchanges.map(\.connection.isReused) == [false, true])
        let exchange = try #require(exchanges.first)
        #expect(exchange.connection.tls?.sni == "localhost")
        #expect(exchange.connection.tls?.alpn == "http/1.1")
        #expect(exchange.connection.serverTLS?.version == "TLSv1.3")
        // The overhead of TLS is not counted, except for its handshake, separately and once for
        // each connection.
        for leg in [exchange.connection.tls, exchange.connection.serverTLS] {
            let handshake = try #require(leg?.handshake)
            #expect(200..<2000 ~= handshake.up && 400..<6000 ~= handshake.down)
        }
        #expect(exchanges.last?.connection.tls?.handshake == exchange.connection.tls?.handshake)
        #expect(exchange.bytes?.up.line == "GET /a HTTP/1.1\r\n".utf8.count)
        #expect(exchange.bytes?.down.body == "/a False False".utf8.count)
        let key = try FileSystem.status(of: "\(origin.folder)/ca/root-key.pem")
        #expect(key?.permissions == 0o600)
    }

    @Test("leaves nothing of its tunnels under way")
    func tunnels() async throws {
        let origin = try await SecureOrigin()
        // With sampling, a tunnel counts as in flight before its first request arrives.
        let proxy = await ProxyHarness.start(
            origin.intercepting(),
            sampling: Sampling(millionths: 1_000_000),
            maxExchangesInFlight: 1
        )
        for path in ["/a", "/b"] {
            _ = try await proxy.curl("--cacert", origin.authority, origin.url + path)
        }
        try await proxy.replaceSink()
        let deadline = ContinuousClock.now + .seconds(10)
        while proxy.closedSinks == 0, .now < deadline {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(proxy.closedSinks == 1)
        let (report, exchanges) = await proxy.stop()
        #expect(exchanges.map(\.request.target) == ["/a", "/b"] && report.isBalanced)
    }

    @Test("fails with a hint if the client does not trust the authority")
    func untrusted() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let status = try await proxy.curl("-w", "%{exitcode}", origin.url)
        let (_, exchanges) = await proxy.stop()
        #expect(status == "60")
        let exchange = try #require(exchanges.first)
        #expect(exchange.state == .failed)
        #expect(exchange.error?.code == "client_untrusted")
        #expect(exchange.error?.message.contains(origin.authority) == true)
        #expect(exchange.tags["hint"] == "trust_ca")
    }

    @Test("passes unread for hosts in 'passthrough'")
    func passthrough() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting(passing: ["local*"]))
        let output = try await proxy.curl("--cacert", origin.certificate, "\(origin.url)/a")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.state == .completed)
        #expect((exchanges.first?.bytes?.up.body ?? 0) > 300)
    }

    @Test("passes unread with a hint if the client offers only HTTP/2, which is switched off")
    func http2() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let program =
            "printf 'GET /close HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' | timeout 20 openssl s_client "
            + "-proxy \(proxy.address) -connect localhost:\(origin.port) -servername localhost "
            + "-CAfile \(origin.certificate) -verify_return_error -alpn h2 -quiet -ign_eof"
        let output = try await command("sh", ["-c", program])
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("/close False False"))
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.tags["hint"] == "other_protocol")
    }

    @Test("may be plain HTTP in a tunnel, which is read, or anything else, which passes unread")
    func noTLS() async throws {
        let server = try ScriptedServer { request, _ in
            .sendAndClose(
                request.hasPrefix("GET")
                    ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" : "SSH-2.0-other\r\n"
            )
        }
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await proxy.curl("-p", "http://\(server.address)/a")
        let other = try await Python.run(
            "other_protocol",
            ["\(proxy.address.port)", "\(server.address)"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "ok")
        #expect(other == "SSH-2.0-other\n")
        #expect(exchanges.map(\.request.method) == ["GET", "CONNECT"])
        #expect(exchanges.first?.request.url == ByteString("http://\(server.address)/a"))
        #expect(exchanges.last?.bytes?.up.body == "SSH-2.0-x\r\n\r\n".utf8.count)
    }

    @Test("lets Python keep its connection open")
    func python() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await Python.run(
            "https_client",
            ["\(proxy.address.port)", "\(origin.port)", origin.authority]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False\n/b False False\n")
        #expect(exchanges.map(\.state) == [.completed, .completed])
    }

    @Test("uses the host of the tunnel if the client names no valid host in TLS")
    func portInName() async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let program =
            "printf 'GET /close HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' | timeout 20 openssl s_client "
            + "-proxy \(proxy.address) -connect localhost:\(origin.port) "
            + "-servername localhost:\(origin.port) -CAfile \(origin.authority) "
            + "-verify_hostname localhost -verify_return_error -quiet -ign_eof"
        let output = try await command("sh", ["-c", program])
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("/close False False"))
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.request.method == "GET")
    }

    @Test("works with openssl in both versions", arguments: ["-tls1_2", "-tls1_3"])
    func openssl(version: String) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let program =
            "printf 'GET /close HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n' | timeout 20 openssl s_client "
            + "-proxy \(proxy.address) -connect localhost:\(origin.port) -servername localhost "
            + "-CAfile \(origin.authority) -verify_return_error -verify_hostname localhost "
            + "\(version) -alpn h2,http/1.1 -quiet -ign_eof"
        let output = try await command("sh", ["-c", program])
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasSuffix("/close False False"))
        #expect(exchanges.map(\.request.method) == ["GET"])
        let expected = version == "-tls1_2" ? "TLSv1.2" : "TLSv1.3"
        #expect(exchanges.first?.connection.tls?.version == expected)
    }

    @Test("is recorded as a tunnel if no request arrives in it")
    func unused() async throws {
        let origin = try await SecureOrigin()
        var settings = origin.intercepting()
        settings.timeouts.distrust = Microseconds(0)
        let proxy = await ProxyHarness.start(settings)
        let program =
            "timeout 20 openssl s_client -proxy \(proxy.address) -connect localhost:\(origin.port) "
            + "-CAfile \(origin.authority) -verify_return_error </dev/null 2>&1"
        let output = try await command("sh", ["-c", program])
        let (_, exchanges) = await proxy.stop()
        #expect(output.contains("Verify return code: 0 (ok)"))
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.first?.state == .completed)
    }
}
