// SPDX-License-Identifier: MIT

import Synchronization
import TaplineModel
import TaplineNet
import TaplineServe
import TestSupport
import Testing

@testable import TaplineInspector

/// An inspector with TLS and a password, and what curl gets from it.
private final class RemoteInspector: Sendable {
    static let password = "correct horse battery"

    let server: InspectorServer
    let port: UInt16
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Stored.add(Stored.exchanges, to: folder("traffic.db"))
        let address = SocketAddress(.loopbackV4, port: 0)
        let access = try RemoteAccess(
            .authority(environment: ["XDG_DATA_HOME": folder.path]),
            AccessPassword(Array(Self.password.utf8)),
            hosts: ["box.test"],
            at: address
        )
        let (lines, add) = Self.lines()
        server = try InspectorServer(
            [folder("traffic.db")],
            on: try InspectorServer.bind(address, access),
            access: access,
            log: add,
            protectedPorts: ProtectedPorts(folder: folder("ports"))
        )
        port = server.address.port
        logged = lines
    }

    /// The warnings so far.
    let logged: @Sendable () -> [String]

    private static func lines() -> (@Sendable () -> [String], @Sendable (String) -> Void) {
        let lines = Lines()
        return ({ lines.all.withLock { $0 } }, { line in lines.all.withLock { $0.append(line) } })
    }

    private final class Lines: Sendable { let all = Mutex<[String]>([]) }

    deinit { server.stop() }

    var isProtected: Bool { ProtectedPorts(folder: folder("ports")).contains(port) }

    /// The arguments of curl that trust the server by its name.
    var trust: [String] {
        [
            "-s", "--noproxy", "*", "--cacert", folder("tapline/ca/root.pem"),
            "--resolve", "box.test:\(port):127.0.0.1",
        ]
    }

    func send(
        _ target: String,
        _ lines: [String] = [],
        json: String? = nil,
        host: String = "box.test"
    ) throws -> Answer {
        var arguments = trust + ["-i", "--raw", "--path-as-is"]
        for line in lines { arguments += ["-H", line] }
        if let json { arguments += ["-H", "Content-Type: application/json", "-d", json] }
        let text = try command("curl", arguments + ["https://\(host):\(port)\(target)"])
        return try Answer(Array(text.utf8))
    }

    /// The lines of a login.
    func logIn() throws -> [String] {
        let answer = try send("/api/login", json: "{\"password\":\"\(Self.password)\"}")
        try #require(answer.status == 200, "\(answer.text)")
        let cookie = answer.field("Set-Cookie")?.prefix { $0 != ";" } ?? ""
        return ["Cookie: \(cookie)", "Tapline-Key: \(try answer.json["key"].text ?? "")"]
    }
}

@Suite("An inspector that others can reach", .timeLimit(.minutes(3)))
struct RemoteAccessTests {
    private let inspector: RemoteInspector

    init() throws { inspector = try RemoteInspector() }

    @Test("answers each call only after a login by the password")
    func calls() throws {
        let id = Stored.exchanges[0].id
        let paths = [
            "info", "rows", "events", "locate", "check", "complete", "saved", "facets", "timeline",
            "apis", "separates", "export?to=har", "exchanges/\(id)", "exchanges/\(id)/group",
            "exchanges/\(id)/messages", "exchanges/\(id)/body/response",
            "exchanges/\(id)/export?to=curl", "exchanges/\(id)/draft", "nothing", "rules", "paused",
            "ball/rows", "runs", "runs/1/differences",
        ]
        for path in paths {
            let answer = try inspector.send("/api/\(path)", ["Tapline-Key: 1"])
            #expect(answer.status == 401, "\(path)")
            #expect(try answer.json["error"]["login"].text == "password")
            #expect(!answer.text.contains("items"))
        }
        for path in [
            "cancel", "resend", "saved", "exchanges/\(id)/notes", "rules/save", "runs",
            "runs/1/stop",
        ] {
            #expect(try inspector.send("/api/\(path)", json: "{}").status == 401, "\(path)")
        }
        let login = try inspector.logIn()
        #expect(try inspector.send("/api/rows", login).json["total"].number == 40)
        #expect(try inspector.send("/api/rows", [login[0]]).status == 401)
        #expect(try inspector.send("/api/rows", [login[1]]).status == 401)
        let mark = "/api/exchanges/\(id)/mark"
        let changed = try inspector.send(mark, login, json: "{\"mark\":\"star\"}")
        #expect(changed.status == 204, "\(changed.text)")
    }

    @Test("shows two pages without data before the login, with the same strict policy")
    func pages() throws {
        for path in ["/", "/login"] {
            let answer = try inspector.send(path)
            #expect(answer.status == 200)
            let policy = answer.field("Content-Security-Policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
            #expect(!policy.contains("unsafe"))
            #expect(answer.field("X-Frame-Options") == "DENY")
            #expect(!answer.text.contains("/items") && !answer.text.contains("traffic.db"))
        }
        let page = try inspector.send("/login").text
        #expect(page.contains("type=\"password\"") && !page.contains("<script>"))
        #expect(try inspector.send("/\(PageFiles.folder)/login.js").status == 200)
        // A page of this machine has no such form.
        let plain = try InspectorServer([])
        defer { plain.stop() }
        #expect(try Browser.send("GET", "/login", [], port: plain.address.port).status == 404)
    }

    @Test("gives a cookie that goes to no plain HTTP and to no script")
    func cookie() throws {
        let answer = try inspector.send(
            "/api/login",
            json: "{\"password\":\"\(RemoteInspector.password)\"}"
        )
        let parts = (answer.field("Set-Cookie") ?? "").split(separator: "; ").map(String.init)
        #expect(parts.first?.hasPrefix("tapline-\(inspector.port)=") == true)
        #expect(parts.dropFirst() == ["HttpOnly", "SameSite=Strict", "Path=/", "Secure"])
        #expect(answer.field("Cache-Control") == "no-store")
    }

    @Test("has no token: neither in its address, nor instead of the password")
    func token() throws {
        #expect(inspector.server.url == "https://box.test:\(inspector.port)/")
        let zeros = String(repeating: "0", count: 64)
        for json in ["{\"token\":\"\"}", "{\"token\":\"\(zeros)\"}", "{}"] {
            let answer = try inspector.send("/api/login", json: json)
            #expect(answer.status == 401)
            #expect(answer.field("Set-Cookie") == nil)
            #expect(try answer.json["error"]["code"].text == "password")
        }
        #expect(inspector.server.ballURL == nil)
    }

    @Test("slows down clients that guess the password, and counts the guesses in its log")
    func guesses() throws {
        for number in 0..<5 {
            let json = "{\"password\":\"guess-\(number)\"}"
            let answer = try inspector.send("/api/login", json: json)
            #expect(answer.status == 401)
            #expect(answer.field("Set-Cookie") == nil)
        }
        // Further guesses within the wait, with the right one among them, are not looked at.
        let json = "{\"password\":\"\(RemoteInspector.password)\"}"
        let late = (0..<3).map { _ in
            (try? inspector.send("/api/login", json: "{\"password\":\"guess-9\"}"))?.status
        }
        #expect(late.contains(429))
        let answer = try inspector.send("/api/login", json: json)
        #expect(answer.status == 429 || late.contains(401))
        if answer.status == 429 { #expect(Int(answer.field("Retry-After") ?? "") ?? 0 >= 1) }
        blockingWait(for: "the count in the log") {
            inspector.logged().contains { $0.hasSuffix("5 so far") || $0.hasSuffix("6 so far") }
        }
        let log = inspector.logged().joined(separator: "\n")
        #expect(log.contains("from 127.0.0.1"))
        #expect(!log.contains("guess-") && !log.contains(RemoteInspector.password))
    }

    @Test("refuses other names and other pages, before the login and after it")
    func names() throws {
        let login = try inspector.logIn()
        let port = inspector.port
        for host in [
            "evil.test:\(port)", "box.test", "box.test:443", "box.test:\(port &+ 1)",
            "127.0.0.2:\(port)", "[::1]:\(port)", "0.0.0.0:\(port)", "box.test.evil.test:\(port)",
        ] {
            let line = "Host: \(host)"
            #expect(try inspector.send("/api/info", login + [line]).status == 403, "\(host)")
            #expect(try inspector.send("/", [line]).status == 403, "\(host)")
            #expect(try inspector.send("/login", [line]).status == 403, "\(host)")
            #expect(try inspector.send("/api/login", [line], json: "{}").status == 403, "\(host)")
        }
        for line in [
            "Origin: http://box.test:\(port)", "Origin: https://evil.test", "Origin: null",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site", "Via: 1.1 tapline",
        ] {
            #expect(try inspector.send("/api/info", login + [line]).status == 403, "\(line)")
            let answer = try inspector.send(
                "/api/login",
                [line],
                json: "{\"password\":\"\(RemoteInspector.password)\"}"
            )
            #expect(answer.status == 403 && answer.field("Set-Cookie") == nil, "\(line)")
        }
        let own = "Origin: https://box.test:\(port)"
        #expect(try inspector.send("/api/info", login + [own]).status == 200)
        for host in ["127.0.0.1", "box.test"] {
            #expect(try inspector.send("/api/info", login, host: host).status == 200)
        }
        // A form of another page cannot send JSON.
        let form = try inspector.send("/api/login", ["Content-Type: text/plain"], json: "{}")
        #expect(form.status == 415 || form.status == 401)
    }

    @Test("keeps no large bodies of clients that have not logged in")
    func largeBodies() throws {
        let id = Stored.exchanges[0].id
        let text = "{\"text\":\"\(String(repeating: "x", count: 100_000))\"}"
        for path in ["/api/login", "/api/exchanges/\(id)/notes"] {
            #expect(try inspector.send(path, json: text).status == 413, "\(path)")
        }
        let login = try inspector.logIn()
        let answer = try inspector.send("/api/exchanges/\(id)/notes", login, json: text)
        #expect(answer.status != 413 && answer.status != 401, "\(answer.text)")
    }

    @Test("keeps a connection only of a browser that has logged in, without its key too")
    func connections() throws {
        for path in ["/", "/login", "/api/info"] {
            #expect(try inspector.send(path).field("Connection") == "close", "\(path)")
        }
        let login = try inspector.logIn()
        for path in ["/", "/api/info"] {
            #expect(try inspector.send(path, [login[0]]).field("Connection") != "close", "\(path)")
        }
    }

    @Test("remembers a browser that has logged in, by a cookie that only the login gets")
    func known() throws {
        let right = "{\"password\":\"\(RemoteInspector.password)\"}"
        let answer = try inspector.send("/api/login", json: right)
        let line = try #require(answer.fields.map(\.value).first { $0.contains("-known=") })
        #expect(line.contains("Path=/api/login"))
        let cookie = "Cookie: " + line.prefix { $0 != ";" }
        #expect(try inspector.send("/api/info", [cookie]).status == 401)
        for _ in 0..<6 { _ = try inspector.send("/api/login", json: "{\"password\":\"guess\"}") }
        #expect(try inspector.send("/api/login", [cookie], json: right).status == 200)
    }

    @Test("answers plain HTTP with an error, whatever is asked for")
    func plaintext() throws {
        let login = try inspector.logIn()
        for (target, lines) in [("/", []), ("/api/info", login)] {
            let answer = try Browser.send("GET", target, lines, port: inspector.port)
            #expect(answer.status == 400)
            #expect(answer.text == "this port has HTTPS only\n")
            #expect(answer.field("Set-Cookie") == nil)
        }
    }

    @Test("sends events, and the same exports as a page of this machine")
    func streams() throws {
        let login = try inspector.logIn()
        let key = login[1].split(separator: " ").last ?? ""
        let curl = "curl " + inspector.trust.map { "'\($0)'" }.joined(separator: " ")
        let url = "https://box.test:\(inspector.port)/api"
        let output = try runShell(
            """
            folder=$(mktemp -d)
            \(curl) -N -H '\(login[0])' '\(url)/events?key=\(key)' >$folder/events &
            for try in $(seq 600); do grep -q '^event: head' $folder/events && break; sleep 0.05; done
            kill $!
            grep -m1 '^event: head' $folder/events
            rm -r $folder
            """
        ).output
        #expect(output.contains("event: head"), "\(output)")
        let export = try inspector.send("/api/export?to=har", login)
        #expect(export.status == 200)
        #expect(try export.json["log"]["entries"].list.count == 40)
    }

    @Test("is no place that a proxy connects its clients to")
    func registered() {
        #expect(inspector.isProtected)
        #expect(inspector.server.warning == nil)
    }
}

@Suite("Names of an inspector that others can reach")
struct RemoteNamesTests {
    private func rules(
        _ ip: String,
        _ hosts: [String]
    ) throws -> (hosts: [String], url: String) {
        let folder = try TemporaryFolder()
        let access = try RemoteAccess(
            .authority(environment: ["XDG_DATA_HOME": folder.path]),
            AccessPassword(Array("correct horse battery".utf8)),
            hosts: hosts,
            at: SocketAddress(try #require(IPAddress(ip)), port: 8443)
        )
        let rules = access.rules(port: 8443)
        #expect(rules.isSecure && rules.cookie == "tapline-8443")
        return (rules.hosts, access.url(port: 8443))
    }

    @Test("are those that were given, its address, and those of this machine if it listens there")
    func hosts() throws {
        let any = try rules("0.0.0.0", ["Box.test", "192.0.2.1"])
        #expect(
            any.hosts == ["box.test:8443", "192.0.2.1:8443", "localhost:8443", "127.0.0.1:8443"]
        )
        #expect(any.url == "https://box.test:8443/")
        let one = try rules("192.0.2.1", ["box.test", "box.test"])
        #expect(one.hosts == ["box.test:8443", "192.0.2.1:8443"])
        let bare = try rules("2001:db8::1", [])
        #expect(bare.hosts == ["[2001:db8::1]:8443"])
        #expect(bare.url == "https://[2001:db8::1]:8443/")
        let all = try rules("::", ["box.test"])
        #expect(all.hosts.contains("[::1]:8443") && all.hosts.contains("127.0.0.1:8443"))
    }

    @Test("are needed if it listens on all addresses, and have to be names")
    func wrong() {
        #expect(throws: InspectorError.self) { try rules("0.0.0.0", []) }
        #expect(throws: InspectorError.self) { try rules("::", []) }
        for name in ["", "*.test", "box.test:8443", "https://box.test", "a b", "box.test/x"] {
            #expect(throws: InspectorError.self) { try rules("0.0.0.0", [name]) }
        }
        let many = (0..<65).map { "h\($0).test" }
        #expect(throws: InspectorError.self) { try rules("192.0.2.1", many) }
    }
}
