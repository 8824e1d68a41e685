// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TestSupport
import Testing

@testable import TaplineInspector

/// Attacks on a running inspector.
@Suite("The inspector refuses", .timeLimit(.minutes(3)))
struct InspectorSecurityTests {
    let folder: TemporaryFolder
    let browser: Browser

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
        browser = try Browser(folder("traffic.db"))
    }

    private var port: UInt16 { browser.port }
    private var cookie: String { "Cookie: \(browser.cookie)" }

    private func send(_ method: String, _ target: String, _ lines: [String]) throws -> Int {
        try Browser.send(
            method,
            target,
            lines,
            body: method == "POST" ? Array("{}".utf8) : [],
            port: port
        )
        .status
    }

    @Test("each call without a login")
    func noCookie() throws {
        let id = Stored.exchanges[0].id
        for path in [
            "info", "rows", "events", "locate", "check", "complete", "saved", "facets", "timeline",
            "apis", "separates", "export?to=har", "exchanges/\(id)", "exchanges/\(id)/group",
            "exchanges/\(id)/messages", "exchanges/\(id)/body/response",
            "exchanges/\(id)/export?to=curl", "exchanges/\(id)/draft", "nothing",
        ] {
            #expect(try send("GET", "/api/\(path)", []) == 401, "\(path)")
            #expect(try send("GET", "/api/\(path)", ["Cookie: tapline-\(port)=1"]) == 401)
        }
        let json = "Content-Type: application/json"
        for path in [
            "cancel", "resend", "saved", "saved/remove", "exchanges/\(id)/notes",
            "exchanges/\(id)/mark",
            "exchanges/\(id)/tags",
        ] {
            #expect(try send("POST", "/api/\(path)", [json]) == 401, "\(path)")
        }
    }

    @Test("a wrong token, and gives no cookie for it")
    func wrongToken() throws {
        for token in ["", "x", String(repeating: "0", count: 64)] {
            let answer = try Browser.send(
                "POST",
                "/api/login",
                ["Content-Type: application/json"],
                body: Array("{\"token\":\"\(token)\"}".utf8),
                port: port
            )
            #expect(answer.status == 401)
            #expect(answer.field("Set-Cookie") == nil)
        }
    }

    @Test("a name that an attacker lets point to this machine (DNS rebinding)")
    func rebinding() throws {
        for host in ["evil.test:\(port)", "evil.test", "127.0.0.1:\(port &+ 1)", "0.0.0.0:\(port)"]
        {
            #expect(try send("GET", "/api/info", ["Host: \(host)", cookie]) == 403, "\(host)")
            #expect(try send("GET", "/", ["Host: \(host)"]) == 403, "\(host)")
            let login = ["Host: \(host)", "Content-Type: application/json"]
            #expect(try send("POST", "/api/login", login) == 403, "\(host)")
        }
    }

    @Test("other pages, with the cookie of the user")
    func otherPages() throws {
        for line in [
            "Origin: http://evil.test", "Origin: null", "Origin: http://127.0.0.1:\(port &+ 1)",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ] {
            #expect(try send("GET", "/api/info", [cookie, line]) == 403, "\(line)")
            let json = "Content-Type: application/json"
            #expect(try send("POST", "/api/cancel", [cookie, json, line]) == 403, "\(line)")
        }
        // A form cannot send JSON.
        #expect(try send("POST", "/api/cancel", [cookie, "Content-Type: text/plain"]) == 415)
        // No other page may read an answer, or ask whether it may.
        let answer = try browser.get("info")
        #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") })
        let asked = ["Origin: http://evil.test", "Access-Control-Request-Method: GET"]
        #expect(try send("OPTIONS", "/api/info", asked) == 403)
    }

    @Test("what comes through a proxy")
    func proxies() throws {
        #expect(try send("GET", "/api/info", [cookie, "Via: 1.1 tapline"]) == 403)
        #expect(try send("GET", "/", ["Via: 1.1 tapline"]) == 403)
        let absolute = "http://127.0.0.1:\(port)/api/info"
        #expect(try send("GET", absolute, [cookie]) != 200)
        #expect(try send("CONNECT", "127.0.0.1:\(port)", [cookie]) != 200)
    }

    @Test("paths that lead out of the page's folder")
    func paths() throws {
        let folder = PageFiles.folder
        for path in [
            "/\(folder)/../../etc/passwd", "/\(folder)/%2e%2e/x", "/\(folder)/..%2fx",
            "/etc/passwd",
            "/\(folder)", "/\(folder)/", "//", "/0000/index.html", "/\(folder)/nothing.js",
        ] {
            #expect(try send("GET", path, []) == 404, "\(path)")
        }
        #expect(try send("POST", "/", []) == 405)
        #expect(try send("DELETE", "/api/info", [cookie]) == 405)
    }

    @Test("to listen where others could reach it")
    func addresses() throws {
        for ip in [IPAddress.anyV4, .anyV6] {
            #expect(throws: InspectorError.self) {
                try InspectorServer([], at: SocketAddress(ip, port: 0))
            }
        }
    }

    @Test("nothing of the page itself, which has a strict policy and no data")
    func page() throws {
        let page = try Browser.send("GET", "/", ["Sec-Fetch-Site: none"], port: port)
        #expect(page.status == 200)
        let policy = page.field("Content-Security-Policy") ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(!policy.contains("unsafe"))
        #expect(page.field("Cache-Control") == "no-cache")
        #expect(!page.text.contains("<style") && !page.text.contains(" style="))
        #expect(!page.text.contains(browser.server.url.split(separator: "=").last ?? "?"))
        let answer = try browser.get("info")
        #expect(answer.field("Cache-Control") == "no-store")
        #expect(answer.field("X-Content-Type-Options") == "nosniff")
        let login = try Browser.send(
            "POST",
            "/api/login",
            ["Content-Type: application/json"],
            body: Array(
                "{\"token\":\"\(browser.server.url.split(separator: "=").last ?? "")\"}".utf8
            ),
            port: port
        )
        let cookie = login.field("Set-Cookie") ?? ""
        #expect(cookie.hasPrefix("tapline-\(port)="))
        #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"))
    }

    @Test("a new login for each browser has another cookie, and both work")
    func logins() throws {
        let sessions = Sessions()
        let (first, second) = (sessions.login(sessions.token), sessions.login(sessions.token))
        #expect(first != nil && first != second)
        #expect(sessions.current.count == 2)
        for _ in 0..<100 { _ = sessions.login(sessions.token) }
        #expect(sessions.current.count == 64)
        #expect(sessions.login("") == nil)
        #expect(Sessions().token != sessions.token)
    }
}
