// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TaplineTLS
import Testing

@testable import TaplineConnections

@Suite struct RedirectedOpeningTests {
    private func hello(_ host: String, _ protocols: [String] = ["http/1.1"]) throws -> [UInt8] {
        var options = TLSClientOptions()
        options.applicationProtocols = protocols
        let context = try TLSContext(client: options)
        let session = try TLSSession(connecting: context, to: ServerName(host), port: 443)
        var hello: [UInt8] = []
        var position = 0
        _ = try session.handshake(Span<UInt8>(), from: &position, replies: &hello)
        return hello
    }

    private func text(
        _ bytes: [UInt8],
        _ interception: Interception? = nil,
        _ distrust: RejectedCertificateCache? = nil,
        usesHTTP2: Bool = true
    ) -> String {
        let opening = TunnelOpening(
            redirected: bytes.span,
            to: "203.0.113.7",
            interception,
            usesHTTP2: usesHTTP2,
            isDistrusted: { hello in
                let key = RejectedCertificateCache.Key(hello, to: "203.0.113.7", from: nil)
                return distrust?.passes(key, at: 0) == true
            }
        )
        return switch opening {
        case .incomplete: "incomplete"
        case .tls: "tls"
        case .http: "http"
        case .other(let passed):
            "other \(passed.hint ?? "-") \(passed.serverName ?? "-") \(passed.namesOtherHost)"
        }
    }

    private func withInterception(
        http2Hosts: [Glob] = [],
        _ body: (Interception) throws -> Void
    ) throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "redirected")
        defer { try? FileSystem.removeFolder(folder) }
        let rules = InterceptionRules(hosts: [Glob("*.test")], http2Hosts: http2Hosts)
        try body(try Interception(rules, AuthorityStore(folder: "\(folder)/ca")))
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n", "http"), ("GET ", "incomplete"), ("GE", "incomplete"),
        ("OPTIONS * HTTP/1.1\r\n", "http"),
        // For a proxy that the client knows.
        ("GET http://a.test/ HTTP/1.1\r\n", "other - - false"),
        ("CONNECT a.test:443 HTTP/1.1\r\n", "other - - false"), ("SSH-2.0", "other - - false"),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "http"), ("PRI * HTTP/2.0\r\n", "incomplete"),
    ])
    func httpIsReadWithoutAnyInterception(bytes: String, expected: String) {
        #expect(text(Array(bytes.utf8)) == expected)
    }

    @Test func http2WithoutTLSPassesIfItIsNotUsed() {
        let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        #expect(text(preface, usesHTTP2: false) == "other - - false")
    }

    @Test func tlsIsReadIfItsNameIsIntercepted() throws {
        let (covered, other) = (try hello("a.test"), try hello("a.example"))
        try withInterception { interception in
            #expect(text(covered, interception) == "tls")
            #expect(text(other, interception) == "other - a.example false")
            #expect(text(Array(covered.dropLast()), interception) == "incomplete")
        }
        #expect(text(covered) == "other - a.test false")
    }

    @Test(arguments: [
        ("*.test", "tls"), ("203.*", "other other_protocol a.test false"),
    ])
    func http2IsReadIfItsNameUsesIt(pattern: String, expected: String) throws {
        let hello = try hello("a.test", ["h2"])
        try withInterception(http2Hosts: [Glob(pattern)]) { interception in
            #expect(text(hello, interception) == expected)
        }
    }

    @Test func aProgramThatHasRejectedTheCertificatePassesForItsHostOnly() throws {
        let distrust = RejectedCertificateCache()
        let (first, again) = (try hello("a.test"), try hello("a.test"))
        let otherHost = try hello("b.test")
        let otherProgram = try hello("a.test", ["h2", "http/1.1"])
        guard case .hello(let parsed) = ClientHello.peek(first.span) else {
            Issue.record("no ClientHello")
            return
        }
        try withInterception { interception in
            #expect(text(first, interception, distrust) == "tls")
            let key = RejectedCertificateCache.Key(parsed, to: "203.0.113.7", from: nil)
            distrust.note(key, .alert, at: 0)
            #expect(text(again, interception, distrust) == "other trust_ca a.test false")
            #expect(text(otherHost, interception, distrust) == "tls")
            #expect(text(otherProgram, interception, distrust) == "tls")
        }
    }

    @Test func originsOfTwoGroupsShareNoConnections() {
        let first = Origin(isSecure: false, host: "127.0.0.1", port: 80, group: 1)
        let second = Origin(isSecure: false, host: "127.0.0.1", port: 80, group: 2)
        #expect(first != second)
        #expect(first == Origin(isSecure: false, host: "127.0.0.1", port: 80, group: 1))
        #expect(first.hashValue != second.hashValue)
    }
}
