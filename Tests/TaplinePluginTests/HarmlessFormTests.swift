// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplinePlugin

@Suite("A harmless form")
struct HarmlessFormTests {
    @Test(
        "is that of a registered method",
        arguments: [
            ("GET", true), ("CONNECT", true), ("PROPFIND", true), ("VERSION-CONTROL", true),
            ("QUERY", true), ("get", false), ("GETT", false), ("*", false), ("", false),
            ("BREW", false), ("GET\0", false),
        ]
    )
    func methods(text: String, isHarmless: Bool) {
        let found = HarmlessForm.isMethod(text.utf8.span)
        #expect(found == isHarmless)
    }

    @Test(
        "is that of a scheme of HTTP or WebSocket",
        arguments: [("http", true), ("HTTPS", true), ("wss", true), ("ftp", false), ("", false)]
    )
    func schemes(text: String, isHarmless: Bool) {
        let found = HarmlessForm.isScheme(text.utf8.span)
        #expect(found == isHarmless)
    }

    @Test(
        "is that of a host",
        arguments: [
            "shop.test", "Shop.Test.", "localhost", "127.0.0.1", "[::1]", "[fe80::1:2]",
            "[::ffff:127.0.0.1]", "my_service", "xn--bcher-kva.example",
            "ec2-203-0-113-25.compute-1.amazonaws.com", "d111111abcdef8.cloudfront.net",
            "550e8400-e29b-41d4-a716-446655440000.shop.test", "internationalisierung.test",
            String(repeating: "a", count: 63) + ".test",
        ]
    )
    func hosts(text: String) {
        let isHarmless = HarmlessForm.isHost(text.utf8.span)
        #expect(isHarmless)
    }

    @Test(
        "is that of no other host",
        arguments: [
            "", ".", "a..b", ".a", "a b", "a%20b", "bücher.test", "a/b", "a:b", "a@b", "a=b",
            "[", "[]", "[::1", "[v1.abc]", "[fe80::1%25eth0]", "[password]", "[a:b:g]",
            "[12345678]",
            "0123456789abcdef0123.test", "ghp_16C7e42F292c6912E7710c838347Ae178B4a.test",
            String(repeating: "a", count: 64) + ".test", "a\0", "a\u{7F}",
            Array(repeating: "abcdefgh", count: 29).joined(separator: "."),
        ]
    )
    func otherHosts(text: String) {
        let isHarmless = HarmlessForm.isHost(text.utf8.span)
        #expect(!isHarmless)
    }
}
