// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import ProxySource

@Suite("Application protocols that a client offers in a tunnel")
struct ApplicationProtocolTests {
    /// Requests a path in TLS with these protocols; trusts the authority and the server itself.
    private func client(
        _ proxy: ProxyHarness,
        _ origin: SecureOrigin,
        _ offered: [String]
    ) async throws -> String {
        try await Python.run(
            "protocols_client",
            ["\(proxy.address.port)", "localhost:\(origin.port)", origin.authority]
                + [origin.certificate] + offered
        )
    }

    @Test(
        "make the proxy read HTTP/1 if it is offered, or if none is",
        arguments: [
            ([], "None"), (["http/1.1"], "http/1.1"), (["http/1.0"], "http/1.0"),
            (["h2", "http/1.1"], "http/1.1"), (["h2", "http/1.0"], "http/1.0"),
            (["mqtt", "http/1.1"], "http/1.1"), (["http/1.0", "http/1.1"], "http/1.1"),
            (["acme-tls/1", "http/1.0"], "http/1.0"),
        ]
    )
    func read(offered: [String], selected: String) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await client(proxy, origin, offered)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "\(selected) /close False False\n")
        #expect(exchanges.map(\.request.method) == ["GET"])
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.connection.tls?.alpn == (selected == "None" ? "" : selected))
        #expect(exchanges.first?.tags["hint"] == nil)
    }

    @Test(
        "make the tunnel pass unread if HTTP/1 is not offered",
        arguments: [
            (["mqtt"], "other_protocol"), (["postgresql"], "other_protocol"),
            (["imap"], "other_protocol"), (["pop3"], "other_protocol"),
            (["acme-tls/1"], "other_protocol"), (["xmpp-client"], "other_protocol"),
            (["http/0.9"], "other_protocol"), (["h3"], "other_protocol"),
            (["h2c"], "other_protocol"), (["HTTP/1.1"], "other_protocol"),
            (["http/1.12"], "other_protocol"), (["tds/8.0", "dot"], "other_protocol"),
            (["h2"], "other_protocol"), (["mqtt", "h2"], "other_protocol"),
        ]
    )
    func passed(offered: [String], hint: String) async throws {
        let origin = try await SecureOrigin()
        let proxy = await ProxyHarness.start(origin.intercepting())
        let output = try await client(proxy, origin, offered)
        let (_, exchanges) = await proxy.stop()
        #expect(output == "None /close False False\n")
        #expect(exchanges.map(\.request.method) == ["CONNECT"])
        #expect(exchanges.map(\.state) == [.completed])
        #expect(exchanges.first?.tags["hint"] == hint)
        #expect((exchanges.first?.bytes?.up.body ?? 0) > 300)
    }
}
