// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineServe

@Suite struct AccessRulesTests {
    private static let rules = AccessRules(
        hosts: ["127.0.0.1:8080", "localhost:8080"],
        cookie: "tapline-8080"
    )
    private static let secret = "0123456789abcdef"
    private static let sessions = [
        AccessRules.Session(cookie: Array("other-session-00".utf8), key: Array("other-key".utf8)),
        AccessRules.Session(cookie: Array(secret.utf8), key: Array("own-key".utf8)),
    ]
    private static let cookie = "Cookie: a=b; tapline-8080=\(secret)"
    private static let json = "Content-Type: application/json"

    private func refusal(
        _ kind: AccessRules.Kind,
        _ lines: [String],
        key: [String] = ["Tapline-Key: own-key"],
        path: String = "/api/x"
    ) throws -> AccessRules.Refusal? {
        let text = (["POST \(path) HTTP/1.1"] + lines + key + ["", ""]).joined(separator: "\r\n")
        var conversation = ServerConversation()
        let action = conversation.received(Array(text.utf8).span)
        let found = try #require(action.request?.request)
        return Self.rules.refusal(of: found, for: kind, sessions: Self.sessions)
    }

    @Test("the server's own page may do everything", arguments: AccessRules.Kind.allCases)
    func own(_ kind: AccessRules.Kind) throws {
        let browser = [
            "Host: 127.0.0.1:8080", "Origin: http://127.0.0.1:8080",
            "Sec-Fetch-Site: same-origin", Self.cookie,
            "Content-Type: application/json; charset=utf-8",
        ]
        #expect(try refusal(kind, browser) == nil)
        // Other programs send no such fields.
        #expect(try refusal(kind, ["Host: LOCALHOST:8080", Self.cookie, Self.json]) == nil)
    }

    @Test(
        "each attack is refused",
        arguments: [
            // A name of the attacker that points to this machine.
            (["Host: evil.test:8080"], .host), (["Host: evil.test"], .host),
            (["Host: localhost.evil.test:8080"], .host),
            // Another server of this machine, and addresses that mean this machine.
            (["Host: 127.0.0.1:8081"], .host), (["Host: 127.0.0.1"], .host),
            (["Host: 0.0.0.0:8080"], .host), (["Host: [::1]:8080"], .host),
            (["Host: 127.1:8080"], .host), (["Host: 2130706433:8080"], .host),
            // Other pages.
            (["Host: 127.0.0.1:8080", "Origin: http://evil.test"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: null"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: http://127.0.0.1:8081"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: http://127.0.0.1"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: https://127.0.0.1:8080"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: http://localhost:8080"], .origin),
            (["Host: 127.0.0.1:8080", "Origin: http://127.0.0.1:8080/x"], .origin),
            (["Host: 127.0.0.1:8080", "Sec-Fetch-Site: cross-site"], .origin),
            (["Host: 127.0.0.1:8080", "Sec-Fetch-Site: same-site"], .origin),
            (["Host: 127.0.0.1:8080", "Sec-Fetch-Site: none"], .origin),
            (
                [
                    "Host: 127.0.0.1:8080", "Sec-Fetch-Site: same-origin",
                    "Sec-Fetch-Site: cross-site",
                ], .origin
            ),
            // The way through a proxy.
            (["Host: 127.0.0.1:8080", "Via: 1.1 tapline"], .forwarded),
            (["Host: 127.0.0.1:8080", "X-Forwarded-For: 1.2.3.4"], .forwarded),
        ] as [([String], AccessRules.Refusal)]
    )
    func attack(_ lines: [String], _ expected: AccessRules.Refusal) throws {
        for kind in [AccessRules.Kind.read, .change, .login] {
            #expect(try refusal(kind, lines + [Self.cookie, Self.json]) == expected)
        }
    }

    @Test(
        "a call needs the cookie",
        arguments: [
            "Cookie: x=y", "Cookie: tapline-8080=", "Cookie: tapline-8080=0123456789abcdeg",
            "Cookie: tapline-8080=0123456789abcde", "Cookie: tapline-8080=0123456789abcdef0",
            "Cookie: tapline-8081=0123456789abcdef", "Cookie: Tapline-8080=0123456789abcdef",
            "Cookie: xtapline-8080=0123456789abcdef", "Accept: x",
        ]
    )
    func cookies(_ line: String) throws {
        let lines = ["Host: 127.0.0.1:8080", Self.json, line]
        #expect(try refusal(.read, lines) == .cookie)
        #expect(try refusal(.change, lines) == .cookie)
        #expect(try refusal(.page, lines) == nil)
        #expect(try refusal(.login, lines) == nil)
    }

    @Test("a cookie is not enough: a call needs the key of the same login")
    func keys() throws {
        let lines = ["Host: 127.0.0.1:8080", Self.json, Self.cookie]
        for key in [
            [], ["Tapline-Key: "], ["Tapline-Key: own-ke"], ["Tapline-Key: own-key2"],
            ["Tapline-Key: other-key"], ["Tapline-Key: \(Self.secret)"],
        ] {
            #expect(try refusal(.read, lines, key: key) == .key)
            #expect(try refusal(.change, lines, key: key) == .key)
            #expect(try refusal(.page, lines, key: key) == nil)
            #expect(try refusal(.login, lines, key: key) == nil)
        }
        // Events and downloads have it in their query; changes do not.
        #expect(try refusal(.read, lines, key: [], path: "/api/x?key=own-key") == nil)
        #expect(try refusal(.change, lines, key: [], path: "/api/x?key=own-key") == .key)
        #expect(try refusal(.read, lines, key: [], path: "/api/x?key=other-key") == .key)
    }

    @Test("a second cookie of the same name does not hide the valid one")
    func shadowed() throws {
        let lines = [
            "Host: 127.0.0.1:8080", "Cookie: tapline-8080=bad; tapline-8080=\(Self.secret)",
        ]
        #expect(try refusal(.read, lines) == nil)
    }

    @Test(
        "a change needs a body that no form can send",
        arguments: ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
    )
    func types(_ type: String) throws {
        let lines = ["Host: 127.0.0.1:8080", Self.cookie, "Content-Type: \(type)"]
        #expect(try refusal(.change, lines) == .type)
        #expect(try refusal(.login, lines) == .type)
        #expect(try refusal(.read, lines) == nil)
    }

    @Test("the page may be opened by typing its address, but not from another page")
    func page() throws {
        let host = "Host: 127.0.0.1:8080"
        #expect(try refusal(.page, [host, "Sec-Fetch-Site: none"]) == nil)
        #expect(try refusal(.page, [host, "Sec-Fetch-Site: cross-site"]) == .origin)
        #expect(try refusal(.page, ["Host: evil.test:8080"]) == .host)
    }

    @Test("a link may lead a whole tab to the page, but not a frame, and to nothing else")
    func links() throws {
        func lines(_ mode: String, _ destination: String) -> [String] {
            [
                "Host: 127.0.0.1:8080", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: \(mode)",
                "Sec-Fetch-Dest: \(destination)", Self.cookie, Self.json,
            ]
        }
        #expect(try refusal(.page, lines("navigate", "document")) == nil)
        for kind in [AccessRules.Kind.login, .read, .change] {
            #expect(try refusal(kind, lines("navigate", "document")) == .origin)
        }
        for (mode, destination) in [
            ("navigate", "iframe"), ("navigate", "frame"), ("navigate", "object"),
            ("no-cors", "document"), ("cors", "empty"), ("no-cors", "script"),
        ] {
            #expect(try refusal(.page, lines(mode, destination)) == .origin)
        }
    }

    @Test("with TLS the page has another scheme and default port, and its cookie goes nowhere else")
    func secure() throws {
        let rules = AccessRules(hosts: ["box.test:443"], cookie: "tapline-443", isSecure: true)
        func refusal(_ lines: [String]) throws -> AccessRules.Refusal? {
            let text = (["GET / HTTP/1.1"] + lines + ["", ""]).joined(separator: "\r\n")
            var conversation = ServerConversation()
            let action = conversation.received(Array(text.utf8).span)
            let found = try #require(action.request?.request)
            return rules.refusal(of: found, for: .page, sessions: [])
        }
        for host in ["box.test", "box.test:443", "BOX.test"] {
            #expect(try refusal(["Host: \(host)"]) == nil)
            #expect(try refusal(["Host: \(host)", "Origin: https://box.test"]) == nil)
            #expect(try refusal(["Host: \(host)", "Origin: http://box.test"]) == .origin)
            #expect(try refusal(["Host: \(host)", "Origin: http://box.test:443"]) == .origin)
        }
        #expect(try refusal(["Host: box.test:80"]) == .host)
        #expect(try refusal(["Host: 127.0.0.1:443"]) == .host)
        #expect(
            rules.setCookie(Self.sessions[0])
                == "tapline-443=other-session-00; HttpOnly; SameSite=Strict; Path=/; Secure"
        )
        #expect(!Self.rules.setCookie(Self.sessions[0]).contains("Secure"))
    }

    @Test("each refusal has a status and a text", arguments: AccessRules.Refusal.allCases)
    func texts(_ refusal: AccessRules.Refusal) {
        #expect([401, 403, 415].contains(refusal.status))
        #expect(refusal.message.hasPrefix("the request"))
    }

    @Test("secrets are compared as a whole")
    func equality() {
        #expect(AccessRules.areEqual([1, 2], [1, 2]))
        #expect(!AccessRules.areEqual([1, 2], [1, 3]))
        #expect(!AccessRules.areEqual([1, 2], [1]))
        #expect(AccessRules.areEqual([], []))
    }
}
