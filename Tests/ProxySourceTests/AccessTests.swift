// SPDX-License-Identifier: MIT

import Glibc
import TaplineConnections
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("Access to the proxy")
struct AccessTests {
    private func settings(_ change: (inout ProxySettings) -> Void) -> ProxySettings {
        var settings = ProxySettings()
        change(&settings)
        return settings
    }

    @Test(
        "requires a password, and does not forward or record it",
        arguments: ["right", "wrong", "", "rightright"]
    )
    func auth(password: String) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(
            settings { $0.access.credentials = BasicCredentials(user: "me", password: "right") }
        )
        let output = try await proxy.curl(
            "-i",
            "--proxy-basic",
            "-U",
            "me:\(password)",
            "http://\(server.address)/"
        )
        let (_, exchanges) = await proxy.stop()
        let exchange = try #require(exchanges.first)
        #expect(!exchange.request.fields.contains("Proxy-Authorization"))
        if password == "right" {
            #expect(output.hasSuffix("hello"))
            #expect(server.seen.requests.first?.contains("Proxy-Authorization") == false)
        } else {
            #expect(output.hasPrefix("HTTP/1.1 407 "))
            #expect(output.contains("Proxy-Authenticate: Basic realm=\"tapline\"\r\n"))
            #expect(exchange.error?.code == "auth_required")
            #expect(server.seen.requests.isEmpty)
        }
    }

    @Test("requires the password for a tunnel too")
    func authOfTunnel() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(
            settings { $0.access.credentials = BasicCredentials(user: "me", password: "p") }
        )
        let refused = try await proxy.curl(
            "-p",
            "-w",
            "%{http_connect}",
            "http://\(server.address)/"
        )
        let output = try await proxy.curl("-p", "-U", "me:p", "http://\(server.address)/")
        _ = await proxy.stop()
        #expect(refused == "407")
        #expect(output == "hello")
    }

    @Test(
        "refuses clients that are not listed",
        arguments: [("127.0.0.0/8", 200), ("10.0.0.0/8", 403)]
    )
    func clients(range: String, status: Int) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let allowed = try #require(IPRange(range))
        let proxy = await ProxyHarness.start(settings { $0.access.allowedClients = [allowed] })
        let output = try await proxy.curl("-i", "http://\(server.address)/")
        _ = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test(
        "refuses programs of users that are not listed",
        .enabled(if: geteuid() == 0, "only root can run a program as another user"),
        arguments: [([UInt32(0)], 0, 200), ([0], 65_534, 403), ([0, 65_534], 65_534, 200)]
    )
    func users(allowed: [UInt32], user: Int, status: Int) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(settings { $0.access.allowedUsers = Set(allowed) })
        let output = try await command(
            "setpriv",
            ["--reuid=\(user)", "--clear-groups", "curl", "-sSi", "-m", "20"]
                + ["-x", "http://\(proxy.address)", "http://\(server.address)/"]
        )
        let (report, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 \(status) "))
        #expect(exchanges.count == (status == 200 ? 1 : 0))
        #expect(report.sources.first?.counters.rejected == (status == 200 ? 0 : 1))
        #expect(server.seen.connections == (status == 200 ? 1 : 0))
    }

    @Test(
        "checks the user of tunnels and of SOCKS too",
        .enabled(if: geteuid() == 0, "only root can run a program as another user")
    )
    func usersOfTunnels() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(settings { $0.access.allowedUsers = [0] })
        for words in [["-p", "-x", "http://\(proxy.address)"], ["--socks5", "\(proxy.address)"]] {
            let curl = ["curl", "-sS", "-m", "20"] + words + ["http://\(server.address)/"]
            let refused = try await command("setpriv", ["--reuid=65534", "--clear-groups"] + curl)
            #expect(!refused.contains("hello"))
            #expect(try await command("env", curl) == "hello")
        }
        _ = await proxy.stop()
        #expect(server.seen.connections == 2)
    }

    @Test(
        "does not connect to denied targets, by address or by name",
        arguments: ["127.0.0.1", "localhost"]
    )
    func targets(host: String) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(
            settings { $0.access.deniedTargets = IPRange.privateRanges }
        )
        let output = try await proxy.curl("-i", "http://\(host):\(server.address.port)/")
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 502 "))
        #expect(exchanges.first?.error?.code == "target_denied")
        #expect(server.seen.connections == 0)
    }

    @Test("detects requests that went in a loop")
    func loop() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start()
        _ = try await proxy.curl("http://\(server.address)/")
        let lines = try #require(server.seen.requests.first).split(separator: "\r\n")
        let via = try #require(lines.first { $0.hasPrefix("Via: ") })
        let output = try await proxy.curl(
            "-i",
            "-H",
            "Via: 1.0 other (a, b), \(via.dropFirst(5)), 1.1 c",
            "http://\(server.address)/"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 508 "))
        // Two lanes may deliver their records in either order.
        #expect(exchanges.compactMap { $0.error?.code } == ["loop"])
    }

    @Test("explains itself to clients that use it as a server")
    func origin() async throws {
        let proxy = await ProxyHarness.start()
        let output = try await command("curl", ["-sSi", "http://\(proxy.address)/"])
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 400 "))
        #expect(output.contains("http_proxy"))
        #expect(exchanges.first?.error?.code == "no_target")
    }

    @Test(
        "admits clients up to its limit, and others when some have disconnected",
        arguments: [true, false]
    )
    func limits(each: Bool) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(
            settings {
                if each { $0.maxConnectionsPerClient = 1 } else { $0.maxConnections = 1 }
            }
        )
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://\(server.address)/ HTTP/1.1\r\nHost: a\r\n\r\n",
            then: "connect_again"
        )
        #expect(output.contains("HTTP/1.1 503 "))
        var last = ""
        for _ in 0..<100 where last != "hello" {
            last = try await proxy.curl("http://\(server.address)/")
        }
        let (_, exchanges) = await proxy.stop()
        #expect(last == "hello")
        #expect(exchanges.allSatisfy { $0.state == .completed })
    }
}

@Suite("Time limits of the proxy")
struct TimeLimitTests {
    @Test("a request that stalls or trickles in times out", arguments: [false, true])
    func slow(trickles: Bool) async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        var settings = ProxySettings()
        settings.timeouts.idle = Microseconds(trickles ? 5_000_000 : 300_000)
        settings.timeouts.exchange = trickles ? Microseconds(500_000) : nil
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(
            with: proxy.address,
            "POST http://\(server.address)/ HTTP/1.1\r\nHost: a\r\nContent-Length: 900\r\n\r\nx",
            then: trickles ? "trickle" : "read",
            trickles ? ["50", "0.05"] : []
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 408 "))
        #expect(exchanges.map(\.state) == [.failed])
        #expect(exchanges.first?.error?.code == "timeout")
    }

    @Test("a head that trickles in times out")
    func slowHead() async throws {
        var settings = ProxySettings()
        settings.timeouts.head = Microseconds(300_000)
        let proxy = await ProxyHarness.start(settings)
        let output = try await exchangeBytes(
            with: proxy.address,
            "GET http://a.test/ HTTP/1.1\r\n",
            then: "trickle",
            ["100", "0.05"]
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output.hasPrefix("HTTP/1.1 408 "))
        #expect(exchanges.map(\.error?.code) == ["timeout"])
    }

    @Test("a silent server times out, and the request is not repeated")
    func silent() async throws {
        let server = try ScriptedServer { _, number in number == 0 ? .send(hello) : .silence }
        var settings = ProxySettings()
        settings.threads = 1
        settings.timeouts.idle = Microseconds(300_000)
        let proxy = await ProxyHarness.start(settings)
        let url = "http://\(server.address)/"
        let output = try await proxy.curl(
            "-w",
            "%{http_code} ",
            "-o",
            "/dev/null",
            url,
            "-o",
            "/dev/null",
            url
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "200 504 ")
        #expect(exchanges.map(\.state) == [.completed, .failed])
        #expect(server.seen.requests.count == 2)
    }
}

@Suite("The options of the proxy")
struct ProxyOptionsTests {
    /// Returns the problems of options.
    private func problems(_ yaml: String, _ variables: [String: String] = [:]) -> String {
        var diagnostics = Diagnostics()
        let environment = Environment(variables)
        let root = ConfigReader().read(Array(yaml.utf8), name: "p.yaml", into: &diagnostics)
        let plugin = SourcePlugin.proxy
        let options = root.flatMap {
            plugin.description.options.decode(
                $0,
                owner: "proxy",
                into: &diagnostics,
                environment: environment
            )
        }
        guard let options else { return diagnostics.rendered }
        var context = BuildContext(id: "proxy", environment: environment)
        _ = plugin.build(options, &context)
        return context.diagnostics.hasErrors ? context.diagnostics.rendered : ""
    }

    @Test(
        "are accepted if they are valid",
        arguments: [
            "{ listen: '0.0.0.0:8080', allow_clients: [10.0.0.0/8, '::1'] }",
            "{ listen: '0.0.0.0:8080', auth: { user: me, password_env: P } }",
            "{ deny_targets: [private, 8.8.8.8], max_head: 8KiB, exchange_timeout: 10m }",
            "{ listen: '0.0.0.0:8080', allow_users: same }",
            "{ allow_users: [same, root, nobody, '1000', '4294967294'] }",
            "{ listen: '0.0.0.0:8080', allow_users: [] }",
        ]
    )
    func right(yaml: String) {
        #expect(problems(yaml, ["P": "secret"]) == "")
    }

    @Test(
        "are refused with the problem",
        arguments: [
            ("{ listen: '0.0.0.0:8080' }", "neither 'auth' nor 'allow_clients'"),
            ("{ auth: { user: me, password_env: NONE } }", "is not set or is empty"),
            ("{ auth: { user: 'a:b', password_env: P } }", "cannot be empty or contain a colon"),
            ("{ allow_clients: private }", "not a range of addresses"),
            ("{ deny_targets: 10.0.0.0/64 }", "not a range of addresses"),
            ("{ allow_users: no-such-user }", "there is no such user; found 'no-such-user'"),
            ("{ allow_users: '4294967295' }", "there is no such user"),
            ("{ allow_users: '' }", "there is no such user"),
            ("{ allow_users: ~ }", "found nothing"),
            ("{ max_head: 10 }", "10"),
        ]
    )
    func wrong(yaml: String, message: String) {
        let text = problems(yaml, ["P": "secret"])
        #expect(text.contains(message))
        #expect(!text.contains("secret"))
    }

    @Test(
        "admit any user only if 'allow_users' is not set, since an empty list means root only",
        arguments: [
            ("{}", nil), ("{ allow_users: [] }", [0]), ("{ allow_users: root }", [0]),
            ("{ allow_users: ['0', '7'] }", [0, 7]),
        ] as [(String, Set<UInt32>?)]
    )
    func users(yaml: String, allowed: Set<UInt32>?) throws {
        var diagnostics = Diagnostics()
        let root = ConfigReader().read(Array(yaml.utf8), name: "p.yaml", into: &diagnostics)
        let options = root.flatMap {
            ProxyOptions.schema.decode(
                $0,
                owner: "proxy",
                into: &diagnostics,
                environment: Environment()
            )
        }
        var settings = ProxySettings()
        var context = BuildContext(id: "proxy", environment: Environment())
        ProxyOptions.readUsers(try #require(options), &settings, &context)
        #expect(!context.diagnostics.hasErrors)
        #expect(settings.access.allowedUsers == allowed)
    }
}
