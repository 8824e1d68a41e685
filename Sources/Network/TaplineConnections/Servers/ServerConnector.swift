// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel
package import TaplineNet
package import TaplineTLS

/// The result of opening a connection to a server.
package struct ServerOutcome {
    package let result: Result<ServerLeg, ExchangeFailure>
    /// How long the lookup of the name took, which an address has none of, the TCP connection, and
    /// the TLS handshake, even if it failed.
    package var timing = Timing()
    /// Whether the server requests a certificate, and none is configured for it; with TLS 1.3, it
    /// may reject the connection after the handshake.
    package var asksForCertificate = false
}

/// The settings for connections to servers.
package struct ServerSettings: Sendable {
    /// The limits for heads and chunks.
    package var limits = HTTPLimits()
    /// Whether a body that ends with the connection fails without TLS's closing alert.
    package var needsClosingAlert = false
    /// The time limit for the parent's response and for the TLS handshake, each.
    package var timeLimit = Microseconds(10_000_000)
    /// The proxy that servers are reached through; `nil` if they are reached directly.
    package var parent: ParentProxy?
    /// The server that the configuration names; clients name other servers.
    package var configured: Origin?

    /// The defaults.
    package init() {}
}

/// Opens connections to servers, in TLS if their origin uses it.
///
/// **Isolation**: one loop's thread. Several loops may share the TLS context, so that any of them
/// can resume a session that another one has made.
package final class ServerConnector {
    private let connector: Connector
    private let context: TLSContext
    private let settings: ServerSettings
    private let check: Connector.AddressCheck
    /// What is offered to servers that may use HTTP/2.
    private let http2Protocols = try? TLSProtocolList(["h2", "http/1.1"])

    /// Makes a connector.
    ///
    /// For the addresses of the parent and of the configured server, `check` is called instead of
    /// the check of `connector`.
    package init(
        _ connector: Connector,
        _ context: TLSContext,
        _ settings: ServerSettings,
        checkingConfigured check: @escaping Connector.AddressCheck = { _ in nil }
    ) {
        self.connector = connector
        self.context = context
        self.settings = settings
        self.check = check
    }

    /// Opens a connection, for a tunnel or for requests.
    ///
    /// Calls back once.
    ///
    /// - Parameters:
    ///   - origin: The server.
    ///   - isTunnel: Whether it is for a tunnel.
    ///   - offersHTTP2: Whether the server may choose HTTP/2; then look at `usesHTTP2` of the leg.
    ///   - done: Gets the result.
    package func connect(
        to origin: Origin,
        isTunnel: Bool,
        offersHTTP2: Bool = false,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let protocols = offersHTTP2 && origin.isSecure ? http2Protocols : nil
        let parent = settings.parent.flatMap { $0.covers(origin) ? $0 : nil }
        let peer = parent?.origin ?? origin
        let isConfigured = parent != nil || origin === settings.configured
        connector.connect(
            to: "\(peer.host)",
            port: peer.port,
            check: isConfigured ? check : nil
        ) { [self] opened in
            switch opened.result {
            case .failure(let error):
                let failure = ExchangeFailure(error)
                done(ServerOutcome(opened, .failure(parent == nil ? failure : failure.ofParent)))
            case .success(let socket):
                guard let parent else {
                    return secure(socket, origin, opened, protocols, speaksHTTP2: offersHTTP2, done)
                }
                guard origin.isSecure || isTunnel || offersHTTP2 else {
                    let route = ServerRoute(origin, parent: parent)
                    return done(ServerOutcome(opened, .success(leg(socket, route))))
                }
                openTunnel(
                    socket,
                    origin,
                    parent,
                    opened,
                    protocols,
                    speaksHTTP2: offersHTTP2,
                    done
                )
            }
        }
    }

    private func leg(_ socket: TCPConnection, _ route: ServerRoute) -> ServerLeg {
        ServerLeg(socket, route, settings)
    }

    private func openTunnel(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ parent: ParentProxy,
        _ opened: ConnectOutcome,
        _ protocols: TLSProtocolList?,
        speaksHTTP2: Bool,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let tunnel = ParentTunnel(socket, limits: settings.limits) { [self] result in
            switch result {
            case .failure(let failure): done(ServerOutcome(opened, .failure(failure)))
            case .success(let early):
                secure(
                    socket,
                    origin,
                    opened,
                    protocols,
                    speaksHTTP2: speaksHTTP2,
                    early: early,
                    done
                )
            }
        }
        tunnel.begin(to: origin, through: parent, limit: settings.timeLimit)
    }

    /// Continues with a connection that leads to the server: starts TLS if its origin uses it.
    private func secure(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ opened: ConnectOutcome,
        _ protocols: TLSProtocolList?,
        speaksHTTP2: Bool = false,
        early: [UInt8] = [],
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        guard origin.isSecure else {
            let leg = leg(socket, ServerRoute(origin))
            leg.keep(early: early.span)
            leg.usesHTTP2 = speaksHTTP2
            return done(ServerOutcome(opened, .success(leg)))
        }
        // In TLS the client speaks first.
        guard early.isEmpty else {
            socket.abandon()
            return done(ServerOutcome(opened, .failure(.closedEarly)))
        }
        performHandshake(socket, origin, opened, protocols, done)
    }

    private func performHandshake(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ opened: ConnectOutcome,
        _ protocols: TLSProtocolList?,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(
                connecting: context,
                to: ServerName("\(origin.serverName ?? origin.host)"),
                port: Int(origin.port),
                offering: protocols
            )
        } catch {
            socket.abandon()
            return done(ServerOutcome(opened, .failure(ExchangeFailure(NetError(error)))))
        }
        let begun = socket.loop.now
        let handshake = ServerHandshake(socket, session) { [self] result in
            var outcome = ServerOutcome(
                opened,
                result.map { leg(socket, ServerRoute(origin, tls: $0)) }
                    .mapError { ExchangeFailure($0) }
            )
            outcome.timing.tls = Microseconds(socket.loop.now - begun)
            outcome.asksForCertificate = session.isCertificateRequested
            done(outcome)
        }
        handshake.begin(limit: settings.timeLimit)
    }
}

extension ServerOutcome {
    fileprivate init(_ opened: ConnectOutcome, _ result: Result<ServerLeg, ExchangeFailure>) {
        self.result = result
        timing.dns = opened.lookup
        timing.connect = opened.connect
    }
}
