// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
import Testing

/// Runs with the interception of some hosts and an authority in a temporary folder.
private func withInterception<Value>(
    of hosts: String,
    passing passthrough: String = "*.bank.test",
    _ body: (Interception, TLSClientOptions) async throws -> Value
) async throws -> Value {
    let folder = try FileSystem.makeTemporaryFolder(prefix: "connections")
    defer { try? FileSystem.removeFolder(folder) }
    let store = AuthorityStore(folder: "\(folder)/ca")
    let rules = InterceptionRules(hosts: [Glob(hosts)], passthrough: [Glob(passthrough)])
    let interception = try Interception(rules, store)
    var options = TLSClientOptions()
    options.trustsSystem = false
    options.authorityFiles = ["\(folder)/ca/root.pem"]
    return try await body(interception, options)
}

/// Returns the first TLS record of a client.
private func clientHello(_ host: String, _ protocols: [String] = ["http/1.1"]) throws -> [UInt8] {
    var options = TLSClientOptions()
    options.applicationProtocols = protocols
    let context = try TLSContext(client: options)
    let session = try TLSSession(connecting: context, to: ServerName(host), port: 443)
    var hello: [UInt8] = []
    var position = 0
    _ = try session.handshake(Span<UInt8>(), from: &position, replies: &hello)
    return hello
}

@Suite("The first bytes of a client in a tunnel")
struct TunnelOpeningTests {
    private static func text(_ opening: TunnelOpening) -> String {
        switch opening {
        case .incomplete: "incomplete"
        case .tls: "tls"
        case .http: "http"
        case .other(let passed):
            "other \(passed.hint ?? "-")" + (passed.namesOtherHost ? " other host" : "")
        }
    }

    @Test(
        "are HTTP if they begin with a standard method",
        arguments: [
            ("GET / HTTP/1.1\r\n", "http"), ("GET ", "http"), ("GE", "incomplete"),
            ("P", "incomplete"),
            ("PATCH ", "http"), ("CONNECT a:1", "other -"), ("get / ", "other -"),
            ("SSH-2.0", "other -"), ("\u{0}", "other -"),
        ]
    )
    func plain(bytes: String, expected: String) async throws {
        try await withInterception(of: "*") { interception, _ in
            let opening = TunnelOpening(bytes.utf8.span, to: "a.test", interception)
            #expect(Self.text(opening) == expected)
        }
    }

    @Test(
        "are TLS that is read, or pass with a hint",
        arguments: [
            ("a.test", "a.test", ["http/1.1"], "tls"), ("a.test", "a.test", [], "tls"),
            ("127.0.0.1", "a.test", ["http/1.1"], "tls"),
            ("a.test", "b.other", ["http/1.1"], "tls"),
            ("a.test", "a.test", ["h2"], "other other_protocol"),
            ("a.test", "a.test", ["x"], "other other_protocol"),
            ("a.test", "my.bank.test", ["http/1.1"], "other - other host"),
            ("a.other", "a.other", ["http/1.1"], "other -"),
        ]
    )
    func secure(host: ByteString, named: String, protocols: [String], expected: String) async throws
    {
        let hello = try clientHello(named, protocols)
        try await withInterception(of: "*.test") { interception, _ in
            let opening = TunnelOpening(hello.span, to: host, interception)
            #expect(Self.text(opening) == expected)
            for count in [1, 5, hello.count - 1] {
                let part = TunnelOpening(hello.span.extracting(0..<count), to: host, interception)
                #expect(Self.text(part) == "incomplete", "\(count) bytes")
            }
        }
    }

    @Test("are inspected for intercepted hosts and for addresses, except those that pass through")
    func rules() async throws {
        try await withInterception(of: "*.test") { interception, _ in
            let hosts: [ByteString] = ["a.test", "127.0.0.1", "a.other", "my.bank.test", "::1"]
            let looks = hosts.map { interception.looksInto($0) }
            #expect(looks == [true, true, false, false, true])
        }
    }
}

@Suite("Inspected tunnels")
struct ClientTunnelTests {
    private static let shop = Origin(isSecure: false, host: "a.test", port: 443)

    private static func settings(
        _ interception: Interception,
        silence: Microseconds = Microseconds(20_000_000),
        head: Microseconds = Microseconds(20_000_000)
    ) -> ClientSettings {
        var settings = ClientSettings()
        settings.interception = interception
        settings.timeouts.silence = silence
        settings.timeouts.opening = silence
        settings.timeouts.head = head
        settings.timeouts.distrust = Microseconds(20_000_000)
        return settings
    }

    /// Returns the owner's events for a client that sends pieces in a tunnel, and the client's
    /// input.
    private static func talk(
        _ interception: Interception,
        _ sent: [String],
        endsInput: Bool = true,
        silence: Microseconds = Microseconds(20_000_000),
        head: Microseconds = Microseconds(20_000_000),
        _ prepare: @escaping @Sendable (ClientLog) -> Void = { _ in }
    ) async throws -> (events: [String], received: String) {
        let settings = settings(interception, silence: silence, head: head)
        return try await Scenario.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            let ends = Ends()
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket, settings)
                log.onClose = { ends.events = $0.events }
                log.onEvent = { event, log in
                    guard case .tunnelPasses = event else { return false }
                    log.leg?.becomeTunnel()
                    return true
                }
                prepare(log)
                log.leg?.beginOpening(shop)
            }
            _ = ScriptedClient(on: loop, to: bound.address, sending: sent, endsInput: endsInput) {
                ends.received = $0
            }
            ends.whenBoth = { scenario.finish(($0, $1)) }
        }
    }

    @Test("are read if the client speaks HTTP in them")
    func plain() async throws {
        let (events, received) = try await withInterception(of: "*") { interception, _ in
            try await Self.talk(interception, ["GE", "T /a HTTP/1.1\r\nHost: a.test\r\n\r\n"])
        }
        #expect(events == ["read", "opened", "GET /a", "answer", "closed -"])
        #expect(received.hasSuffix("ok"))
    }

    @Test("pass with the client's bytes if these are not HTTP")
    func other() async throws {
        let (events, _) = try await withInterception(of: "*") { interception, _ in
            try await Self.talk(interception, ["SSH-2.0"])
        }
        #expect(
            events == ["passes a.test:443 -", "tunnel SSH-2.0", "tunnel ended", "closed -"]
        )
    }

    @Test("listen to the server if the client is silent, and pass in the end")
    func silence() async throws {
        let (events, _) = try await withInterception(of: "*") { interception, _ in
            try await Self.talk(
                interception,
                [],
                endsInput: false,
                silence: Microseconds(50_000)
            ) { log in
                log.onEvent = { event, log in
                    guard case .tunnelPasses = event else { return false }
                    log.leg?.close()
                    return true
                }
            }
        }
        #expect(events == ["silence a.test:443", "passes a.test:443 -", "closed -"])
    }

    @Test("pass as soon as the server has spoken, unless the client has", arguments: [true, false])
    func serverSpeaks(isClientSilent: Bool) async throws {
        let (events, _) = try await withInterception(of: "*") { interception, _ in
            try await Self.talk(
                interception,
                isClientSilent ? [] : ["GE"],
                endsInput: !isClientSilent,
                silence: Microseconds(isClientSilent ? 50_000 : 20_000_000)
            ) { log in
                let former = log.onEvent
                log.onEvent = { event, log in
                    switch event {
                    case .silence: log.leg?.serverSpoke()
                    case .tunnelPasses where isClientSilent: log.leg?.close()
                    default: return former(event, log)
                    }
                    return true
                }
                if !isClientSilent {
                    Self.whenSpoken(log) { log.leg?.serverSpoke() }
                }
            }
        }
        let expected =
            isClientSilent
            ? ["silence a.test:443", "passes a.test:443 -", "closed -"] : ["gone", "closed -"]
        #expect(events == expected)
    }

    @Test("end if a client begins TLS and does not continue")
    func slow() async throws {
        let (events, _) = try await withInterception(of: "*") { interception, _ in
            try await Self.talk(
                interception,
                ["\u{16}\u{3}"],
                endsInput: false,
                head: Microseconds(100_000)
            )
        }
        #expect(events == ["failed timeout", "closed -"])
    }

    /// Calls back once the client has sent something.
    private static func whenSpoken(_ log: ClientLog, _ action: @escaping () -> Void) {
        log.leg?.socket.loop.after(10) {
            log.leg?.isSilent == true ? whenSpoken(log, action) : action()
        }
    }

    /// Runs a handshake between a leg to a server and a leg to a client whose tunnel is read.
    private static func performHandshake(
        _ interception: Interception,
        _ options: TLSClientOptions,
        host: ByteString,
        asking path: String?
    ) async throws -> (events: [String], code: String?) {
        let settings = settings(interception)
        return try await Scenario.run { scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            let server = LastCode()
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket, settings)
                log.onClose = { scenario.finish(($0.events, server.code)) }
                log.leg?.beginOpening(shop)
            }
            let context = try TLSContext(client: options)
            let connector = ServerConnector(Connector(on: loop), context, ServerSettings())
            let origin = Origin(
                isSecure: true,
                host: "127.0.0.1",
                port: bound.address.port,
                serverName: host
            )
            connector.connect(to: origin, isTunnel: false) { outcome in
                switch outcome.result {
                case .failure(let failure): server.code = failure.code
                case .success(let leg):
                    guard let path else { return leg.close() }
                    leg.begin(ServerLog { _ in leg.close() }, RequestKind())
                    leg.socket.write("GET \(path) HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8.span)
                }
            }
        }
    }

    @Test("are read if the client speaks TLS in them and accepts the certificate")
    func secure() async throws {
        let (events, code) = try await withInterception(of: "*") { interception, options in
            try await Self.performHandshake(interception, options, host: "a.test", asking: "/a")
        }
        #expect(events == ["read", "opened", "GET /a", "answer", "closed -"])
        #expect(code == nil)
    }

    @Test("report that the client rejects the certificate, before or after the handshake")
    func untrusted() async throws {
        let (alert, _) = try await withInterception(of: "*") { interception, _ in
            var options = TLSClientOptions()
            options.trustsSystem = false
            return try await Self.performHandshake(
                interception,
                options,
                host: "a.test",
                asking: "/a"
            )
        }
        #expect(alert.first == "read")
        #expect(alert.contains { $0.hasSuffix("client_untrusted") })
        let (gone, _) = try await withInterception(of: "*") { interception, options in
            try await Self.performHandshake(interception, options, host: "a.test", asking: nil)
        }
        #expect(gone == ["read", "opened", "unused client_untrusted", "closed -"])
    }
}

private final class LastCode {
    var code: String?
}
