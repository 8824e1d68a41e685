// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
import Testing

private let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

/// A TLS server with an authority of its own.
private final class SecureServer {
    let address: SocketAddress
    private let authority: CertificateAuthority
    private let context: TLSContext
    /// The negotiated TLS parameters of each client.
    private(set) var asked: [TLSInfo] = []

    /// Listens with a certificate for `host`.
    init(on loop: EventLoop, host: String, answer: String = hello) throws {
        authority = try CertificateAuthority()
        context = try TLSContext(server: TLSServerOptions())
        let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        address = bound.address
        let name = try ServerName(host)
        _ = try Listener(bound, on: loop) { [self] connection in
            guard let leaf = try? authority.leaf(for: name),
                let session = try? TLSSession(accepting: context, as: leaf)
            else { return connection.abandon() }
            let layer = TLSLayer(session) { [unowned self] in asked.append($0) }
            connection.install(layer)
            let log = ClientLog(connection)
            log.answer = answer
        }
    }

    /// Options that trust it.
    func clientOptions(in folder: String) throws -> TLSClientOptions {
        let path = "\(folder)/root.pem"
        try File(path, for: .create).write(authority.certificatePEM.span)
        var options = TLSClientOptions()
        options.trustsSystem = false
        options.authorityFiles = [path]
        return options
    }
}

@Suite("Opening connections to servers")
struct ServerConnectorTests {
    private static func connector(
        _ loop: EventLoop,
        _ settings: ServerSettings = ServerSettings(),
        _ options: TLSClientOptions = TLSClientOptions()
    ) throws -> ServerConnector {
        ServerConnector(Connector(on: loop), try TLSContext(client: options), settings)
    }

    private static func origin(
        _ address: SocketAddress,
        isSecure: Bool = false,
        serverName: ByteString? = nil
    ) -> Origin {
        Origin(
            isSecure: isSecure,
            host: ByteString("\(address.ip)"),
            port: address.port,
            serverName: serverName
        )
    }

    @Test("fails with the right code and status if no socket listens")
    func refused() async throws {
        let failure = try await Scenario<[String]>.run { scenario, loop in
            // The port is free again.
            let address = try BoundAddress(SocketAddress(.loopbackV4, port: 0)).address
            let connector = try Self.connector(loop)
            connector.connect(to: Self.origin(address), isTunnel: false) { outcome in
                guard case .failure(let failure) = outcome.result else { return }
                scenario.finish([failure.code, "\(failure.status)"])
            }
        }
        #expect(failure == ["connect_refused", "502"])
    }

    @Test(
        "uses the separate check only for configured addresses",
        arguments: [true, false]
    )
    func configured(isConfigured: Bool) async throws {
        let code = try await Scenario<String>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in [] }
            let origin = Self.origin(server.address)
            var settings = ServerSettings()
            settings.configured = isConfigured ? origin : Self.origin(server.address)
            let connector = ServerConnector(
                Connector(on: loop) { _ in NetError(.targetDenied, "of a client") },
                try TLSContext(client: TLSClientOptions()),
                settings,
                checkingConfigured: { _ in NetError(.unreachable, "of the configuration") }
            )
            connector.connect(to: origin, isTunnel: false) { outcome in
                guard case .failure(let failure) = outcome.result else { return }
                scenario.finish(failure.code)
            }
        }
        #expect(code == (isConfigured ? "unreachable" : "target_denied"))
    }

    // MARK: Parent proxies

    /// A source of sockets that must not be asked.
    private final class UnusedSource: SocketOpener {
        let asked: () -> Void
        init(_ asked: @escaping () -> Void) { self.asked = asked }
        func covers(_ address: SocketAddress) -> Bool { true }
        func open(
            for address: SocketAddress,
            _ opened: @escaping (Result<Int32, NetError>) -> Void
        ) { asked() }
        func refusal(of address: SocketAddress) -> NetError? { nil }
        func alternative(to address: SocketAddress) -> SocketAddress? { nil }
    }

    @Test("a program in a namespace cannot take the place of the parent")
    func parentOutside() async throws {
        let found = try await Scenario<String>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in [] }
            let sockets = Connector(on: loop)
            sockets.sockets = UnusedSource { scenario.finish("asked") }
            let connector = ServerConnector(
                sockets,
                try TLSContext(client: TLSClientOptions()),
                Self.parent(server)
            )
            connector.connect(to: Self.shop, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                scenario.finish(leg.route.parent == nil ? "direct" : "parent")
            }
        }
        #expect(found == "parent")
    }

    @Test(
        "redirected clients reach their own loopback addresses, and excepted names, directly",
        arguments: [
            ("127.0.0.1", nil, false), ("::1", nil, false), ("0.0.0.0", nil, false),
            ("LOCALHOST", nil, false), ("203.0.113.7", nil, true),
            ("203.0.113.7", "a.corp.test", false), ("203.0.113.7", "a.test", true),
        ] as [(ByteString, ByteString?, Bool)]
    )
    func covered(host: ByteString, name: ByteString?, isCovered: Bool) {
        let origin = Origin(isSecure: false, host: host, port: 80, serverName: name)
        var parent = ParentProxy(Self.shop)
        parent.exceptions = [Glob("*.corp.test")]
        #expect(parent.covers(origin) == (isCovered || name == nil))
        parent.exceptsLoopback = true
        #expect(parent.covers(origin) == isCovered)
    }

    private static func parent(_ server: SteppedServer) -> ServerSettings {
        var parent = ParentProxy(origin(server.address))
        parent.authorization = BasicCredentials(user: "me", password: "it").fieldValue
        parent.exceptions = [Glob("*.local")]
        parent.credentialsAdvice = ": ask"
        var settings = ServerSettings()
        settings.parent = parent
        return settings
    }

    private static let shop = Origin(isSecure: false, host: "shop.test", port: 8000)

    @Test("sends plain requests to the parent, without a tunnel")
    func plainParent() async throws {
        let (host, received) = try await Scenario<(ByteString?, [String])>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in [] }
            let connector = try Self.connector(loop, Self.parent(server))
            connector.connect(to: Self.shop, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                scenario.finish((leg.route.parent?.origin.host, server.received))
            }
        }
        #expect(host == "127.0.0.1")
        #expect(received.joined().isEmpty)
    }

    @Test("asks the parent for tunnels, and keeps the early bytes of the server")
    func parentTunnel() async throws {
        let (received, events) = try await Scenario<(String, [String])>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in
                [
                    .send("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 "),
                    .later("OK\r\n\r\n220 ready"), .later(""), .end,
                ]
            }
            let connector = try Self.connector(loop, Self.parent(server))
            connector.connect(to: Self.shop, isTunnel: true) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                let log = ServerLog { scenario.finish((server.received[0], $0.events)) }
                leg.begin(log, RequestKind(isConnect: true))
                leg.becomeTunnel()
            }
        }
        #expect(
            received
                == "CONNECT shop.test:8000 HTTP/1.1\r\nHost: shop.test:8000\r\n"
                + "Proxy-Authorization: Basic bWU6aXQ=\r\n\r\n"
        )
        #expect(events == ["tunnel 220 ready", "tunnel ended"])
    }

    @Test(
        "fails if the parent opens no tunnel",
        arguments: [
            ("HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", "parent_refused", "with 407: ask"),
            ("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", "parent_refused", "with 403"),
            ("", "closed_early", "before it answered CONNECT"),
            ("HTTP/1.1 2", "closed_early", "before it answered CONNECT"),
            ("SMTP\r\n\r\n", "malformed_response", "version"),
        ]
    )
    func parentRefuses(answer: String, code: String, end: String) async throws {
        let failure = try await Scenario<[String]>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in [.send(answer), .later(""), .end] }
            let connector = try Self.connector(loop, Self.parent(server))
            connector.connect(to: Self.shop, isTunnel: true) { outcome in
                guard case .failure(let failure) = outcome.result else { return }
                scenario.finish([failure.code, failure.message])
            }
        }
        #expect(failure[0] == code)
        #expect(failure[1].contains(end))
    }

    @Test("times out if the parent does not answer")
    func parentIsSilent() async throws {
        let code = try await Scenario<String>.run { scenario, loop in
            let server = try SteppedServer(on: loop) { _, _ in [] }
            var settings = Self.parent(server)
            settings.timeLimit = Microseconds(50_000)
            let connector = try Self.connector(loop, settings)
            connector.connect(to: Self.shop, isTunnel: true) { outcome in
                guard case .failure(let failure) = outcome.result else { return }
                scenario.finish("\(failure.code) \(failure.status)")
            }
        }
        #expect(code == "connect_timeout 504")
    }

    @Test("reaches excepted hosts without the parent")
    func exceptions() {
        var parent = ParentProxy(Self.shop)
        parent.exceptions = [Glob("*.local"), Glob("127.*")]
        let hosts: [ByteString] = ["a.local", "127.0.0.1", "a.test", "local"]
        let covered = hosts.map { parent.covers(Origin(isSecure: false, host: $0, port: 80)) }
        #expect(covered == [false, false, true, true])
    }

    // MARK: TLS

    @Test(
        "requests the host in TLS, or the name that the client has named",
        arguments: [("localhost", nil), ("b.test", "b.test")] as [(String, ByteString?)]
    )
    func secure(host: String, serverName: ByteString?) async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "connections")
        defer { try? FileSystem.removeFolder(folder) }
        let (events, agreed, asked) = try await Scenario<([String], TLSInfo?, TLSInfo?)>.run {
            scenario,
            loop in
            let server = try SecureServer(on: loop, host: host)
            let connector = try Self.connector(
                loop,
                ServerSettings(),
                server.clientOptions(in: folder)
            )
            let origin = Origin(
                isSecure: true,
                host: "localhost",
                port: server.address.port,
                serverName: serverName
            )
            connector.connect(to: origin, isTunnel: false) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                let log = ServerLog {
                    scenario.finish(($0.events, leg.route.tls, server.asked.first))
                }
                leg.begin(log, RequestKind())
                leg.socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8.span)
            }
        }
        #expect(events == ["head 200", "content hello", "ended"])
        #expect(agreed?.alpn == "http/1.1")
        #expect(agreed?.version == "TLSv1.3")
        #expect(asked?.sni == host)
    }

    @Test(
        "fails if the certificate is for another host, or its authority is not trusted",
        arguments: [true, false]
    )
    func untrusted(isTrusted: Bool) async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "connections")
        defer { try? FileSystem.removeFolder(folder) }
        let (code, hasTime) = try await Scenario<(String, Bool)>.run { scenario, loop in
            let server = try SecureServer(on: loop, host: isTrusted ? "other.test" : "127.0.0.1")
            let options = isTrusted ? try server.clientOptions(in: folder) : TLSClientOptions()
            let connector = try Self.connector(loop, ServerSettings(), options)
            let origin = Self.origin(server.address, isSecure: true)
            connector.connect(to: origin, isTunnel: false) { outcome in
                guard case .failure(let failure) = outcome.result else { return }
                scenario.finish((failure.code, outcome.timing.tls != nil))
            }
        }
        #expect(code == "tls_verify")
        #expect(hasTime)
    }

    @Test("fails if the server does not finish the handshake, or disconnects")
    func noHandshake() async throws {
        for (steps, limit, code): ([SteppedServer.Step], Int64, String) in [
            ([], 80_000, "connect_timeout"), ([.end], 20_000_000, "tls_truncated"),
        ] {
            let found = try await Scenario<String>.run { scenario, loop in
                let server = try SteppedServer(on: loop) { _, _ in steps }
                var settings = ServerSettings()
                settings.timeLimit = Microseconds(limit)
                let connector = try Self.connector(loop, settings)
                let origin = Self.origin(server.address, isSecure: true)
                connector.connect(to: origin, isTunnel: false) { outcome in
                    guard case .failure(let failure) = outcome.result else { return }
                    scenario.finish(failure.code)
                }
            }
            #expect(found == code)
        }
    }

    // MARK: Probes

    @Test("a probe calls back when the server speaks, and returns the connection with its input")
    func probe() async throws {
        let events = try await Scenario<[String]>.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            _ = try Listener(bound, on: loop) { connection in
                loop.after(30) { connection.write("220 ready".utf8.span) }
                loop.after(90) { connection.close() }
            }
            let connector = try Self.connector(loop)
            connector.connect(to: Self.origin(bound.address), isTunnel: true) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                let probe = ServerProbe(leg)
                probe.listen {
                    guard let given = probe.give() else { return }
                    let log = ServerLog { scenario.finish($0.events) }
                    given.begin(log, RequestKind(isConnect: true))
                    given.becomeTunnel()
                }
            }
        }
        #expect(events == ["tunnel 220 ready", "tunnel ended"])
    }

    @Test("a probe returns no connection if the server has disconnected")
    func goneProbe() async throws {
        let isNone = try await Scenario<Bool>.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            _ = try Listener(bound, on: loop) { connection in
                loop.after(30) { connection.close() }
            }
            let connector = try Self.connector(loop)
            connector.connect(to: Self.origin(bound.address), isTunnel: true) { outcome in
                guard case .success(let leg) = outcome.result else { return }
                let probe = ServerProbe(leg)
                probe.listen { scenario.finish(probe.give() == nil) }
            }
        }
        #expect(isNone)
    }
}
