// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineTLS
import Testing

@Suite("TLS sessions")
struct TLSSessionTests {
    @Test(
        "connect in memory and carry bytes both ways, in pieces of any size",
        arguments: [TLSVersion.v12, .v13],
        [1, 5, 17, 1000, Int.max]
    )
    func handshake(version: TLSVersion, chunk: Int) throws {
        var options = TLSServerOptions()
        options.highestVersion = version
        let pair = try TLSPair(CertificateAuthority(), host: "shop.test", serverOptions: options)
        pair.chunk = chunk
        try pair.performHandshake()
        let expected = TLSInfo(
            version: version == .v13 ? "TLSv1.3" : "TLSv1.2",
            cipher: version == .v13 ? "TLS_AES_128_GCM_SHA256" : pair.client.info.cipher,
            sni: "shop.test",
            alpn: "http/1.1",
            handshake: TLSInfo.Handshake(up: pair.bytesToServer, down: pair.bytesToClient)
        )
        #expect(pair.client.info == expected)
        #expect(pair.server.info == expected)
        let large = String(repeating: "0123456789", count: 5_000)
        #expect(try pair.send("GET / HTTP/1.1\r\n\r\n", toServer: true) == "GET / HTTP/1.1\r\n\r\n")
        #expect(try pair.send(large, toServer: false) == large)
        #expect(try pair.send(large, toServer: true) == large)
    }

    @Test("count the bytes of the handshake separately", arguments: [TLSVersion.v12, .v13])
    func counts(version: TLSVersion) throws {
        var options = TLSServerOptions()
        options.highestVersion = version
        let pair = try TLSPair(CertificateAuthority(), host: "shop.test", serverOptions: options)
        try pair.performHandshake()
        let before = pair.server.byteCounts
        #expect(before.handshakeReceived == pair.bytesToServer)
        #expect(before.handshakeSent == pair.bytesToClient)
        #expect(before.applicationReceived == 0 && before.applicationSent == 0)
        #expect(pair.client.byteCounts.handshakeSent == pair.bytesToServer)
        #expect(pair.client.byteCounts.handshakeReceived == pair.bytesToClient)
        _ = try pair.send(String(repeating: "x", count: 100), toServer: true)
        let after = pair.server.byteCounts
        #expect(after.handshakeReceived == before.handshakeReceived)
        // AES-GCM adds a tag of 16 bytes. TLS 1.2 also adds a nonce of 8, TLS 1.3 the inner type.
        #expect(after.applicationReceived == 100 + 5 + 16 + (version == .v13 ? 1 : 8))
        #expect(pair.client.byteCounts.applicationSent == after.applicationReceived)
    }

    @Test("distinguish a proper close from a truncation")
    func close() throws {
        let pair = try TLSPair(CertificateAuthority(), host: "shop.test")
        try pair.performHandshake()
        let cut = #expect(throws: TLSError.self) { try pair.server.end() }
        #expect(cut?.code == .truncated)
        var wire: [UInt8] = []
        pair.client.close(into: &wire)
        let rest = try pair.server.decrypt(wire)
        #expect(rest.isClosed && rest.bytes.isEmpty)
        try pair.server.end()
        // The other direction stays open.
        #expect(try pair.send("still here", toServer: false) == "still here")
    }

    @Test("report that the peer ended the handshake")
    func cutHandshake() throws {
        let authority = try CertificateAuthority()
        let pair = try TLSPair(authority, host: "shop.test")
        #expect(#expect(throws: TLSError.self) { try pair.server.end() }?.code == .truncated)
        #expect(#expect(throws: TLSError.self) { try pair.client.end() }?.code == .truncated)
        let hello = try ClientHelloTests.hello()
        var replies: [UInt8] = []
        var position = 0
        _ = try pair.server.handshake(hello.span, from: &position, replies: &replies)
        #expect(!replies.isEmpty)
        #expect(#expect(throws: TLSError.self) { try pair.server.end() }?.code == .clientUntrusted)
    }

    @Test("refuse a server with an unknown authority, and send it an alert")
    func unknownAuthority() throws {
        let pair = try TLSPair(
            CertificateAuthority(),
            host: "shop.test",
            trusting: CertificateAuthority()
        )
        let failures = pair.failures()
        #expect(failures.client?.code == .verification)
        #expect(
            failures.client?.message
                == "the certificate of 'shop.test' is signed by an unknown authority, "
                + "or an intermediate certificate was not sent"
        )
        #expect(failures.server?.code == .clientUntrusted)
        #expect(failures.server?.alert == 48)
    }

    @Test(
        "refuse a certificate that was issued for another host",
        arguments: ["bank.test", "127.0.0.1"]
    )
    func otherHost(host: String) throws {
        let pair = try TLSPair(CertificateAuthority(), host: "shop.test", asking: host)
        let failures = pair.failures()
        #expect(failures.client?.code == .verification)
        #expect(
            failures.client?.message
                == "the server's certificate was issued for a host other than '\(host)'"
        )
        #expect(failures.server?.code == .clientUntrusted)
    }

    @Test("resume, on both ends", arguments: [TLSVersion.v12, .v13])
    func resumption(version: TLSVersion) throws {
        var options = TLSServerOptions()
        options.highestVersion = version
        let pair = try TLSPair(CertificateAuthority(), host: "shop.test", serverOptions: options)
        try pair.performHandshake()
        #expect(!pair.client.isResumed && !pair.server.isResumed)
        try pair.reconnect()
        try pair.performHandshake()
        #expect(pair.client.isResumed && pair.server.isResumed)
        #expect(try pair.send("again", toServer: true) == "again")
        // A ticket is valid only for its own certificate. The new certificate is verified, and its
        // authority is unknown.
        try pair.reconnect(withOtherAuthority: true)
        #expect(pair.failures().client?.code == .verification)
    }

    @Test("never trap on input that is not TLS")
    func garbage() throws {
        let authority = try CertificateAuthority()
        for bytes in [
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}",
        ] {
            let pair = try TLSPair(authority, host: "shop.test")
            var replies: [UInt8] = []
            let error = #expect(throws: TLSError.self) {
                var position = 0
                _ = try pair.server.handshake(bytes.utf8.span, from: &position, replies: &replies)
            }
            #expect(error?.code == .malformed)
        }
    }
}
