// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import TaplineServe
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
    private var key: String { "Tapline-Key: \(browser.key)" }

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
        for host in [
            "evil.test:\(port)", "evil.test", "127.0.0.1:\(port &+ 1)", "0.0.0.0:\(port)",
            "127.1:\(port)", "2130706433:\(port)", "0x7f000001:\(port)", "0177.0.0.1:\(port)",
            "[::1]:\(port)", "[::ffff:127.0.0.1]:\(port)", "127.0.0.2:\(port)", "127.0.0.1",
            "localhost.evil.test:\(port)", "127.0.0.1:\(port)@evil.test", "",
        ] {
            let line = "Host: \(host)"
            let json = "Content-Type: application/json"
            // What is not a host at all is not a request either.
            let refused = host.isEmpty || host.contains("@") ? [400, 403] : [403]
            let call = try send("GET", "/api/info", [line] + browser.login)
            #expect(refused.contains(call), "\(host)")
            #expect(refused.contains(try send("GET", "/", [line])), "\(host)")
            #expect(refused.contains(try send("POST", "/api/login", [line, json])), "\(host)")
        }
    }

    @Test("other pages, with the cookie of the user")
    func otherPages() throws {
        for line in [
            "Origin: http://evil.test", "Origin: null", "Origin: http://127.0.0.1:\(port &+ 1)",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ] {
            #expect(try send("GET", "/api/info", browser.login + [line]) == 403, "\(line)")
            let json = "Content-Type: application/json"
            #expect(try send("POST", "/api/cancel", browser.login + [json, line]) == 403)
        }
        // A form cannot send JSON.
        #expect(
            try send("POST", "/api/cancel", browser.login + ["Content-Type: text/plain"]) == 415
        )
        // No other page may read an answer, or ask whether it may.
        let answer = try browser.get("info")
        #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") })
        let asked = ["Origin: http://evil.test", "Access-Control-Request-Method: GET"]
        #expect(try send("OPTIONS", "/api/info", asked) == 403)
    }

    @Test("what comes through a proxy")
    func proxies() throws {
        #expect(try send("GET", "/api/info", browser.login + ["Via: 1.1 tapline"]) == 403)
        #expect(try send("GET", "/", ["Via: 1.1 tapline"]) == 403)
        let absolute = "http://127.0.0.1:\(port)/api/info"
        #expect(try send("GET", absolute, browser.login) != 200)
        #expect(try send("CONNECT", "127.0.0.1:\(port)", browser.login) != 200)
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
    }

    @Test("methods that a path does not have")
    func methods() throws {
        for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", "PROPFIND"] {
            let lines = browser.login + ["Content-Type: application/json"]
            #expect(try send(method, "/api/info", lines) == 405, "\(method)")
            #expect(try send(method, "/", lines) == 405, "\(method)")
        }
        for method in ["GET", "PUT", "DELETE"] {
            #expect(try send(method, "/api/login", browser.login) == 405, "\(method)")
            #expect(try send(method, "/api/cancel", browser.login) == 405, "\(method)")
        }
    }

    @Test("the cookie alone, which other servers of this machine get too")
    func stolenCookie() throws {
        #expect(try send("GET", "/api/info", [cookie]) == 401)
        #expect(try send("GET", "/api/events", [cookie]) == 401)
        #expect(try send("GET", "/api/export?to=har", [cookie]) == 401)
        #expect(try send("GET", "/api/info", [key]) == 401)
        #expect(try send("GET", "/api/info?key=\(browser.key)", [cookie]) == 200)
        let json = "Content-Type: application/json"
        #expect(try send("POST", "/api/cancel?key=\(browser.key)", [cookie, json]) == 401)
        let other = try Browser(folder("traffic.db"))
        let mixed = ["Cookie: tapline-\(port)=\(browser.cookie.drop { $0 != "=" }.dropFirst())"]
        #expect(try send("GET", "/api/info", mixed + ["Tapline-Key: \(other.key)"]) == 401)
        // The key is never in a cookie, and the cookie never in an answer.
        #expect(!browser.cookie.contains(browser.key))
    }

    @Test("heads without end, and what is no request")
    func heads() throws {
        for text in [
            "GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n",
            "GET / HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 1000) + "\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\r\n\r\n",
        ] {
            let client = try SocketClient(port: port)
            try? client.send(text)
            let answer = String(decoding: (try? client.receiveAll()) ?? [], as: UTF8.self)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(40))")
        }
        #expect(try browser.get("info").status == 200)
    }

    @Test("to be framed, sniffed or shared, with every answer")
    func fields() throws {
        let page = PageFiles.folder
        for (path, lines) in [
            ("/", []), ("/\(page)/main.js", []), ("/\(page)/nothing", []), ("/api/info", []),
            ("/api/info", browser.login), ("/api/nothing", browser.login), ("/%2e%2e", []),
            ("/api/exchanges/\(Stored.exchanges[5].id)/body/response", browser.login),
            ("/api/export?to=har", browser.login),
        ] as [(String, [String])] {
            let answer = try Browser.send("GET", path, lines, port: port)
            #expect(answer.field("X-Frame-Options") == "DENY", "\(path)")
            #expect(answer.field("X-Content-Type-Options") == "nosniff", "\(path)")
            #expect(answer.field("Cross-Origin-Resource-Policy") == "same-origin", "\(path)")
            #expect(answer.field("Referrer-Policy") == "no-referrer", "\(path)")
            #expect(!answer.fields.contains { $0.name.hasPrefix("access-control-") }, "\(path)")
        }
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
        #expect(first != nil && first?.cookie != second?.cookie && first?.key != second?.key)
        #expect(first?.cookie != first?.key)
        #expect(sessions.current.count == 2)
        for _ in 0..<100 { _ = sessions.login(sessions.token) }
        #expect(sessions.current.count == 64)
        #expect(sessions.login("") == nil)
        #expect(Sessions().token != sessions.token)
    }
}
