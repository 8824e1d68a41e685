// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import TaplineTLS

@Suite("The certificate authority")
struct CertificateAuthorityTests {
    /// Returns openssl's text for the certificate of a host, and its verification of it.
    private func inspect(
        _ host: String,
        _ authority: CertificateAuthority
    ) throws -> (text: String, verified: String) {
        try withTemporaryFolder { folder in
            try write(authority.certificatePEM, to: "\(folder)/root.pem")
            let name = try ServerName(host)
            try write(authority.leaf(for: name).der, to: "\(folder)/leaf.der")
            let text = try runShell("openssl x509 -inform der -in \(folder)/leaf.der -noout -text")
            let kind = name.isAddress ? "ip" : "hostname"
            let verified = try runShell(
                "openssl x509 -inform der -in \(folder)/leaf.der > \(folder)/leaf.pem && openssl verify "
                    + "-x509_strict -purpose sslserver -verify_\(kind) \(name.text) "
                    + "-CAfile \(folder)/root.pem \(folder)/leaf.pem"
            )
            return (text.output, verified.output.replacing(folder, with: ""))
        }
    }

    @Test(
        "issues certificates that openssl accepts in its strictest mode",
        arguments: [
            ("shop.test", "DNS:shop.test"), ("Shop.Test.", "DNS:shop.test"),
            ("127.0.0.1", "IP Address:127.0.0.1"), ("[::1]", "IP Address:0:0:0:0:0:0:0:1"),
            ("a_b.shop.test", "DNS:a_b.shop.test"),
            ("xn--bcher-kva.test", "DNS:xn--bcher-kva.test"),
        ]
    )
    func strict(host: String, name: String) throws {
        let found = try inspect(host, CertificateAuthority())
        #expect(found.verified == "/leaf.pem: OK\n")
        #expect(found.text.contains("X509v3 Subject Alternative Name: \n                \(name)\n"))
        #expect(found.text.contains("TLS Web Server Authentication"))
        #expect(found.text.contains("CA:FALSE"))
        #expect(found.text.contains("prime256v1"))
    }

    @Test("issues a certificate for the longest possible name")
    func longest() throws {
        let label = String(repeating: "a", count: 63)
        let host = "\(label).\(label).\(label).\(String(repeating: "b", count: 61))"
        let found = try inspect(host, CertificateAuthority())
        #expect(found.verified == "/leaf.pem: OK\n")
        #expect(found.text.contains("CN = Tapline\n"))
    }

    @Test("issues a certificate for many names and addresses, each of which is accepted")
    func severalNames() throws {
        let long = String(repeating: "a", count: 60)
        let texts = (1...99).map { "h\($0).\(long).test" } + ["::1"]
        let others = try texts.map { try ServerName($0) }
        let authority = try CertificateAuthority()
        let certificate = try authority.certificate(for: ServerName("shop.test"), and: others)
        let folder = try TemporaryFolder()
        try folder.write(authority.certificatePEM, to: "root.pem")
        try folder.write(certificate.der, to: "leaf.der")
        let verified = try runShell(
            """
            cd \(folder.path)
            openssl x509 -inform der -in leaf.der >leaf.pem
            for name in shop.test h1.\(long).test h99.\(long).test other.test; do
              openssl verify -x509_strict -purpose sslserver -verify_hostname $name \
                -CAfile root.pem leaf.pem >$name.txt 2>&1
              tail -1 $name.txt
            done
            openssl verify -purpose sslserver -verify_ip ::1 -CAfile root.pem leaf.pem
            """
        )
        #expect(verified.output.split(separator: "\n").count { $0 == "leaf.pem: OK" } == 4)
        #expect(verified.output.contains("leaf.pem: verification failed"), "\(verified.output)")
        #expect(throws: TLSError.self) {
            try authority.certificate(for: ServerName("shop.test"), and: others + others)
        }
    }

    @Test(
        "issues no certificate for an invalid host name",
        arguments: [
            "", ".", "*.shop.test", "shop..test", "-a.test", "a-.test", "shop test", "a/b",
            "bücher.test", "1.2.3", "1.2.3.4.5", "::g", "a\u{0}.test", "user@shop.test",
            "shop.test:443", String(repeating: "a.", count: 127) + "a", "127.0.0.1 ",
        ]
    )
    func invalidNames(host: String) {
        let error = #expect(throws: TLSError.self) { _ = try ServerName(host) }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("\u{0}") == false)
    }

    @Test("issues the certificate of a host once, with a serial number of its own")
    func once() throws {
        let authority = try CertificateAuthority()
        let one = try authority.leaf(for: ServerName("shop.test"))
        #expect(try authority.leaf(for: ServerName("SHOP.test.")) === one)
        let other = try authority.leaf(for: ServerName("bank.test"))
        #expect(other !== one)
        #expect(other.sessionContext != one.sessionContext)
        #expect(one.sessionContext.count == 16)
    }

    @Test("keeps certificates up to its capacity, and issues others again")
    func bounded() throws {
        let authority = try CertificateAuthority(leafCapacity: 10)
        let first = try authority.leaf(for: ServerName("h0.test"))
        for number in 1..<30 { _ = try authority.leaf(for: ServerName("h\(number).test")) }
        #expect(try authority.leaf(for: ServerName("h0.test")) !== first)
    }

    @Test("issues certificates for at most 397 days from a day ago, and renews them early")
    func validity() throws {
        let start: Int64 = 1_800_000_000
        let clock = Clock(start)
        let authority = try CertificateAuthority(
            root: RootCertificate(now: start),
            store: nil,
            leafCapacity: 10
        ) { clock.now }
        let host = try ServerName("shop.test")
        let leaf = try authority.leaf(for: host)
        #expect(leaf.notAfter == start - 86_400 + 397 * 86_400 - 1)
        clock.now = leaf.notAfter - 3601
        #expect(try authority.leaf(for: host) === leaf)
        clock.now = leaf.notAfter - 3600
        #expect(try authority.leaf(for: host) !== leaf)
        // No certificate outlives the root, and none is issued after its end.
        clock.now = authority.summary.notAfter - 10
        #expect(try authority.leaf(for: host).notAfter == authority.summary.notAfter)
        clock.now = authority.summary.notAfter
        let error = #expect(throws: TLSError.self) {
            _ = try authority.leaf(for: ServerName("new.test"))
        }
        #expect(error?.message.contains("tapline ca rotate") == true)
    }
}

/// A clock that is set by hand.
final class Clock: @unchecked Sendable {
    var now: Int64

    init(_ now: Int64) { self.now = now }
}
