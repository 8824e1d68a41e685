// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import TaplinePlugin

@Suite("The facts shown of an exchange before it is sealed")
struct ActiveExchangeTests {
    private func exchange(
        method: ByteString = "GET",
        scheme: ByteString = "https",
        authority: ByteString = "shop.test:8443"
    ) -> Exchange {
        Exchange(
            id: ExchangeID(high: 1, low: 2),
            source: "proxy",
            request: Request(
                method: method,
                target: "/a?b=c",
                scheme: scheme,
                authority: authority
            )
        )
    }

    @Test("include method, scheme, host and port if they are harmless")
    func harmless() {
        let active = ActiveExchange(exchange())
        #expect(active.method == "GET")
        #expect(active.scheme == "https")
        #expect(active.host == "shop.test")
        #expect(active.port == 8443)
    }

    @Test("exclude unregistered methods")
    func method() {
        let active = ActiveExchange(exchange(method: "hunter2"))
        #expect(active.method.isEmpty)
        #expect(active.host == "shop.test")
    }

    @Test("exclude schemes of other protocols")
    func scheme() {
        #expect(ActiveExchange(exchange(scheme: "hunter2")).scheme.isEmpty)
    }

    @Test("exclude host and port if the host has another form")
    func host() {
        let active = ActiveExchange(exchange(authority: "hunter%32.shop.test:443"))
        #expect(active.host.isEmpty)
        #expect(active.port == nil)
        #expect(active.method == "GET")
    }

    @Test("exclude user-info")
    func userInfo() {
        #expect(ActiveExchange(exchange(authority: "me:hunter2@shop.test")).host == "shop.test")
        #expect(ActiveExchange(exchange(authority: "a@hunter2!@shop.test")).host == "shop.test")
    }

    @Test("exclude host and port if detectors find a secret in the host")
    func detectors() {
        var asked: [ByteString] = []
        let active = ActiveExchange(exchange()) {
            asked.append($0)
            return false
        }
        #expect(asked == ["shop.test"])
        #expect(active.host.isEmpty)
        #expect(active.port == nil)
    }

    @Test("hold no secret, wherever it is in a head's first lines")
    func generatedSecrets() throws {
        var secrets = SecretGenerator(random: Random(seed: 20_26))
        for _ in 0..<5000 {
            let secret = secrets.next()
            let text = secret.description
            for exchange in [
                exchange(method: secret),
                exchange(scheme: secret),
                exchange(authority: secret),
                exchange(authority: ByteString("\(text).shop.test:443")),
                exchange(authority: ByteString("a.\(text).test")),
                exchange(authority: ByteString("\(text)@shop.test")),
                exchange(authority: ByteString("me:\(text)@shop.test")),
                exchange(authority: ByteString("shop.test:\(text)")),
                exchange(authority: ByteString("[fe80::1%25\(text)]")),
            ] {
                let active = ActiveExchange(exchange)
                let shown = "\(active.method) \(active.scheme) \(active.host)"
                #expect(!shown.contains(text))
            }
        }
    }
}

/// Generates secrets like those of services: a prefix and at least 20 letters and digits.
private struct SecretGenerator {
    var random: Random

    private static let prefixes = [
        "", "ghp_", "sk_live_", "xoxb-", "glpat-", "AKIA", "npm_", "v1.",
    ]
    private static let alphabets = [
        "0123456789abcdef", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=!",
    ]

    mutating func next() -> ByteString {
        let alphabet = Array(random.pick(Self.alphabets).utf8)
        let count = 20 + random.below(40)
        var text = Array(random.pick(Self.prefixes).utf8)
        for _ in 0..<count { text.append(random.pick(alphabet)) }
        // No secret consists of letters only.
        text[text.count - 1] = UInt8(ascii: "7")
        return ByteString(text)
    }
}
