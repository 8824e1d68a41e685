// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineConfig
import TaplineModel
import TaplineNet
import TaplineTesting
import Testing

@testable import ProxySource

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

@Suite("A parent proxy")
struct ParentProxyTests {
    /// Returns the settings of a proxy that reaches servers through another.
    private func settings(
        through parent: SocketAddress,
        _ settings: ProxySettings = ProxySettings()
    ) throws -> ProxySettings {
        var settings = settings
        let origin = Origin(authority: "\(parent)".utf8.span, isSecure: false)
        settings.parent = ParentProxy(try #require(origin))
        settings.parent?.credentialsAdvice = ": ask for it"
        return settings
    }

    private func password(_ password: String) -> BasicCredentials {
        BasicCredentials(user: "me", password: password)
    }

    @Test("gets plain requests in absolute-form, on connections that stay open")
    func plain() async throws {
        let parent = try ScriptedServer { _, _ in .send(hello) }
        let proxy = await ProxyHarness.start(try settings(through: parent.address))
        let output = try await proxy.curl(
            "-H",
            "Proxy-Authorization: Basic bWU6bm90IGZvciB5b3U=",
            "http://shop.test/a?b=c",
            "http://shop.test/d"
        )
        let (_, exchanges) = await proxy.stop()
        #expect(output == "hellohello")
        let requests = parent.seen.requests
        #expect(requests.first?.hasPrefix("GET http://shop.test/a?b=c HTTP/1.1\r\n") == true)
        #expect(requests.last?.hasPrefix("GET http://shop.test/d HTTP/1.1\r\n") == true)
        #expect(requests.allSatisfy { !$0.contains("Proxy-Authorization") })
        #expect(parent.seen.connections == 1)
        #expect(
            exchanges.map(\.connection.server) == Array(repeating: "\(parent.address)", count: 2)
        )
    }

    @Test("opens tunnels, and gets user and password", arguments: ["right", "wrong"])
    func tunnel(given: String) async throws {
        let origin = try await SecureOrigin()
        var access = ProxySettings()
        access.access.credentials = password("right")
        let parent = await ProxyHarness.start(access)
        var settings = try settings(through: parent.address)
        settings.parent?.authorization = password(given).fieldValue
        let proxy = await ProxyHarness.start(settings)
        let output = try await proxy.curl(
            "-w",
            "%{http_connect}",
            "--cacert",
            origin.certificate,
            "\(origin.url)/a"
        )
        let (_, inner) = await proxy.stop()
        let (_, outer) = await parent.stop()
        #expect(outer.map(\.request.method) == ["CONNECT"])
        if given == "right" {
            #expect(output == "/a False False200")
            #expect(inner.map(\.state) == [.completed])
        } else {
            #expect(output == "502")
            #expect(inner.map(\.error?.code) == ["parent_refused"])
            #expect(inner.first?.error?.message.contains("407: ask for it") == true)
        }
    }

    @Test("carries intercepted HTTPS, and the first bytes of a tunnel's server")
    func interception() async throws {
        let origin = try await SecureOrigin()
        let parent = await ProxyHarness.start()
        let proxy = await ProxyHarness.start(
            try settings(through: parent.address, origin.intercepting())
        )
        let root = origin.authority
        let output = try await proxy.curl("--cacert", root, "\(origin.url)/a", "\(origin.url)/b")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "/a False False/b False False")
        #expect(exchanges.map(\.request.url) == ["/a", "/b"].map { ByteString(origin.url + $0) })
        #expect(exchanges.first?.connection.serverTLS?.version == "TLSv1.3")
        _ = await parent.stop()
    }

    @Test("may answer in pieces, directly followed by bytes of the server")
    func early() async throws {
        let parent = try ScriptedServer(answersHeads: true) { _, _ in
            .send("HTTP/1.1 200 OK\r\nVia: 1.1 parent\r\n\r\n220 mail.test\r\n")
        }
        let proxy = await ProxyHarness.start(try settings(through: parent.address))
        let output = try await exchangeBytes(
            with: proxy.address,
            "CONNECT mail.test:25 HTTP/1.1\r\nHost: mail.test:25\r\n\r\n",
            then: "read_until",
            ["mail.test"]
        )
        _ = await proxy.stop()
        #expect(output == "220 mail.test\r\n\n")
        #expect(
            parent.seen.requests == ["CONNECT mail.test:25 HTTP/1.1\r\nHost: mail.test:25\r\n\r\n"]
        )
    }

    @Test("is not used for excepted hosts")
    func exceptions() async throws {
        let server = try ScriptedServer { _, _ in .send(hello) }
        let parent = try ScriptedServer { _, _ in .send(hello) }
        var settings = try settings(through: parent.address)
        settings.parent?.exceptions = [Glob("127.*")]
        let proxy = await ProxyHarness.start(settings)
        _ = try await proxy.curl("http://\(server.address)/")
        _ = await proxy.stop()
        #expect(server.seen.requests.count == 1)
        #expect(parent.seen.requests.isEmpty)
    }

    @Test(
        "is named if it cannot be reached, or disconnects",
        arguments: ["closed", "leaves", "babbles"]
    )
    func failing(how: String) async throws {
        let parent = try ScriptedServer(answersHeads: true) { _, _ in
            how == "babbles" ? .sendAndClose("what?\r\n\r\n") : .reset
        }
        var address = parent.address
        if how == "closed" { address = SocketAddress(.loopbackV4, port: 1) }
        let proxy = await ProxyHarness.start(try settings(through: address))
        let output = try await proxy.curl("-w", "%{http_connect}", "https://shop.test/")
        let (_, exchanges) = await proxy.stop()
        #expect(output == "502")
        let expected = [
            "closed": "connect_refused", "leaves": "reset", "babbles": "malformed_response",
        ]
        #expect(exchanges.first?.error?.code == expected[how])
        if how == "closed" {
            #expect(exchanges.first?.error?.message.hasPrefix("the parent proxy: ") == true)
        }
    }

    @Test("is configured by the options, with its password in the environment")
    func options() throws {
        let yaml =
            "{ parent: { url: http://p.test:3128, user: me, password_env: PW, except: '*.in' } }"
        let built = buildProxy(yaml, environment: ["PW": "right"])
        let parent = try #require(built.settings?.parent, "\(built.problems)")
        #expect(parent.origin.hostPort == "p.test:3128")
        #expect(parent.authorization == "Basic bWU6cmlnaHQ=")
        #expect(parent.exceptions.map(\.pattern) == ["*.in"])
    }

    @Test(
        "has options that are refused with the problem",
        arguments: [
            ("parent: { url: https://p.test }", "this is not a proxy; found 'https://p.test'"),
            ("parent: { url: http://me:secret@p.test }", "expected http://host:port"),
            ("parent: { url: http://p.test, user: me }", "go together; found only one of them"),
            ("parent: { url: http://p.test, user: 'a:b', password_env: PW }", "or contain a colon"),
            ("parent: { url: http://p.test, user: me, password_env: NO }", "not set or is empty"),
            ("upstream: http://a.test, parent: { url: http://p.test }", "cannot have a parent"),
            ("deny_targets: private, parent: { url: http://p.test }", "'deny_targets' cannot be"),
        ]
    )
    func wrongOptions(yaml: String, problem: String) {
        let built = buildProxy("{ \(yaml) }", environment: ["PW": "right"])
        #expect(built.settings == nil)
        #expect(built.problems.contains(problem), "\(built.problems)")
    }
}
