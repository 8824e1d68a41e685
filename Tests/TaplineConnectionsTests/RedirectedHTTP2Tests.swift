// SPDX-License-Identifier: MIT

import TaplineConnections
import TaplineHTTP2
import TaplineModel
import TaplineNet
import TaplineSystem
import TaplineTLS
import Testing

/// Redirected clients that use HTTP/2, without TLS or in it.
@Suite struct RedirectedHTTP2Tests {
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    /// How a client ends its connection, after the preface of HTTP/2.
    enum Ending: Sendable {
        /// It disconnects.
        case silence
        /// It sends an alert of TLS.
        case alert
        /// It disconnects after a request.
        case request
    }

    /// Returns whether each connection of one program was read.
    private static func areRead(_ endings: [Ending]) async throws -> [Bool] {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "redirected")
        defer { try? FileSystem.removeFolder(folder) }
        let rules = InterceptionRules(hosts: [Glob("*")], http2Hosts: [Glob("*")])
        var settings = ClientSettings()
        settings.interception = try Interception(rules, AuthorityStore(folder: "\(folder)/ca"))
        settings.http2.hosts = [Glob("*")]
        settings.distrust = RejectedCertificateCache()
        settings.timeouts.distrust = Microseconds(20_000_000)
        var options = TLSClientOptions()
        options.trustsSystem = false
        options.authorityFiles = ["\(folder)/ca/root.pem"]
        return try await Scenario.run { [settings, options] scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            let client = HTTP2Opener(on: loop, options, port: bound.address.port)
            var found: [Bool] = []
            func next(isRead: Bool) {
                found.append(isRead)
                if found.count == endings.count { scenario.finish(found) } else { client.open() }
            }
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket, settings)
                log.onEvent = { event, log in
                    guard let leg = log.leg else { return true }
                    switch event {
                    case .tunnelPasses:
                        leg.close()
                        next(isRead: false)
                    case .http2:
                        _ = leg.handOver()
                        end(leg, endings[found.count])
                        leg.socket.close()
                        next(isRead: true)
                    default: return false
                    }
                    return true
                }
                log.leg?.beginOpening(
                    Origin(isSecure: false, host: "a.test", port: 443),
                    isRedirected: true
                )
            }
            client.open()
        }
    }

    /// Does what the owner of the connection does at its end.
    private static func end(_ leg: ClientLeg, _ ending: Ending) {
        let alert = NetError(NetError.Code(.clientUntrusted), "alert")
        switch ending {
        case .silence: #expect(leg.distrust(nil)?.code == alert.code)
        case .alert: #expect(leg.distrust(alert) == alert)
        case .request:
            leg.requestArrived()
            #expect(leg.distrust(nil) == nil)
        }
    }

    @Test(
        arguments: [
            ([.silence, .silence, .silence], [true, true, false]),
            ([.alert, .alert], [true, false]),
            ([.request, .silence, .silence, .silence], [true, true, true, true]),
            ([.silence, .request, .silence, .alert, .alert], [true, true, true, true, true]),
        ] as [([Ending], [Bool])]
    )
    func onlyARequestProvesTrust(endings: [Ending], expected: [Bool]) async throws {
        #expect(try await Self.areRead(endings) == expected)
    }

    /// Returns what is known about the servers of clients that send these bytes to one address.
    private static func servers(
        of clients: [String],
        named name: ByteString? = nil,
        http2Hosts: [Glob] = [Glob("*")]
    ) async throws -> [Origin?] {
        var settings = ClientSettings()
        settings.http2.hosts = http2Hosts
        return try await Scenario.run { [settings] scenario, loop in
            let bound = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
            var found: [Origin?] = []
            func connect() {
                _ = ScriptedClient(
                    on: loop,
                    to: bound.address,
                    sending: [clients[found.count]]
                ) { _ in }
            }
            _ = try Listener(bound, on: loop) { socket in
                let log = ClientLog(socket, settings)
                log.onEvent = { event, log in
                    switch event {
                    case .tunnelOpened: found.append(log.leg?.tunnel?.server)
                    case .tunnelPasses: found.append(nil)
                    default: return event.isOfHTTP2
                    }
                    log.leg?.socket.loop.afterThisEvent { [weak log] in log?.leg?.close() }
                    if found.count == clients.count { scenario.finish(found) } else { connect() }
                    return true
                }
                log.leg?.beginOpening(
                    Origin(isSecure: false, host: "192.0.2.1", port: 80, serverName: name),
                    isRedirected: true
                )
            }
            connect()
        }
    }

    @Test func eachClientDecidesWhetherItsServerSpeaksHTTP2WithoutTLS() async throws {
        let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let found = try await Self.servers(of: [get, Self.preface, get, Self.preface])
        #expect(found.map { $0?.hasPriorKnowledge } == [false, true, false, true])
        // They share no connection, though their address is the same.
        #expect(found[0] == found[2] && found[1] == found[3])
        #expect(found[0] != found[1])
    }

    @Test func http2WithoutTLSIsReadIfItsNameUsesIt() async throws {
        for (name, isRead) in [("a.shop.test", true), ("b.test", false)] {
            let found = try await Self.servers(
                of: [Self.preface],
                named: ByteString(name),
                http2Hosts: [Glob("*.shop.test")]
            )
            #expect(found.map { $0?.hasPriorKnowledge } == [isRead ? true : nil])
        }
    }
}

extension ClientLeg.Event {
    /// Whether it hands the connection over.
    fileprivate var isOfHTTP2: Bool { if case .http2 = self { true } else { false } }
}

/// A client that opens connections with the preface of HTTP/2 in TLS.
private final class HTTP2Opener {
    private let loop: EventLoop
    private let options: TLSClientOptions
    private let origin: Origin
    private var legs: [ServerLeg] = []

    init(on loop: EventLoop, _ options: TLSClientOptions, port: UInt16) {
        self.loop = loop
        self.options = options
        origin = Origin(isSecure: true, host: "127.0.0.1", port: port, serverName: "a.test")
    }

    /// Opens a connection, which resumes no session of another one.
    func open() {
        guard let context = try? TLSContext(client: options) else { return }
        let connector = ServerConnector(Connector(on: loop), context, ServerSettings())
        connector.connect(to: origin, isTunnel: false, offersHTTP2: true) { [self] outcome in
            guard case .success(let leg) = outcome.result else { return }
            legs.append(leg)
            leg.socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.span)
        }
    }
}
