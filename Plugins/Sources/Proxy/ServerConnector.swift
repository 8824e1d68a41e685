// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet

/// What opening a connection to a server has come to.
struct ServerOutcome {
    let result: Result<ServerConnection, ExchangeFailure>
    /// How long looking up the name took; nothing for an address.
    let lookup: Microseconds?
    /// How long the TCP connection took.
    let connect: Microseconds?
    /// How long the TLS handshake took, also where it failed.
    var tls: Microseconds?
}

/// Opens connections to servers, in TLS where their origin asks for it.
///
/// **Isolation**: the worker's thread. The TLS context is that of all workers, so that a session
/// which one of them has made can be resumed by any.
final class ServerConnector {
    private let connector: Connector
    private let context: TLSContext
    private let upstream: Origin?
    private let parent: ParentProxy?
    private let limits: HTTPLimits
    /// How long asking a parent and a TLS handshake may each take.
    private let timeLimit: Microseconds
    private let judge: Connector.Judge

    /// A connector; `judge` is asked for addresses to which the configuration leads, the upstream's
    /// and the parent's, instead of the one that the sockets are made with.
    init(
        _ connector: Connector,
        _ context: TLSContext,
        _ settings: ProxySettings,
        judge: @escaping Connector.Judge
    ) {
        self.connector = connector
        self.context = context
        upstream = settings.upstream
        var parent = settings.parent
        parent?.credentialsAdvice = ": see 'parent.user' and 'parent.password_env'"
        self.parent = parent
        limits = settings.limits
        timeLimit = settings.timeouts.connect
        self.judge = judge
    }

    /// Opens a connection, for a tunnel or for requests; calls back once.
    func connect(
        to origin: Origin,
        isTunnel: Bool,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let parent = parent.flatMap { $0.covers(origin) ? $0 : nil }
        let peer = parent?.origin ?? origin
        let isConfigured = parent != nil || origin === upstream
        connector.connect(
            to: "\(peer.host)",
            port: peer.port,
            judge: isConfigured ? judge : nil
        ) { [self] opened in
            switch opened.result {
            case .failure(let error):
                let failure = ExchangeFailure(error)
                done(ServerOutcome(opened, .failure(parent == nil ? failure : failure.ofParent)))
            case .success(let socket):
                guard let parent else { return secure(socket, origin, opened, done) }
                guard origin.isSecure || isTunnel else {
                    let connection = ServerConnection(socket, origin, limits: limits)
                    connection.parent = parent
                    return done(ServerOutcome(opened, .success(connection)))
                }
                openTunnel(socket, origin, parent, opened, done)
            }
        }
    }

    private func openTunnel(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ parent: ParentProxy,
        _ opened: ConnectOutcome,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let tunnel = ParentTunnel(socket, limits: limits) { [self] result in
            switch result {
            case .failure(let failure): done(ServerOutcome(opened, .failure(failure)))
            case .success(let early): secure(socket, origin, opened, early: early, done)
            }
        }
        tunnel.begin(to: origin, through: parent, limit: timeLimit)
    }

    /// Goes on with a connection that leads to the server: in TLS where its origin asks for it.
    private func secure(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ opened: ConnectOutcome,
        early: [UInt8] = [],
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        guard origin.isSecure else {
            let connection = ServerConnection(socket, origin, limits: limits)
            connection.early = early
            return done(ServerOutcome(opened, .success(connection)))
        }
        // In TLS it is the client that speaks first.
        guard early.isEmpty else {
            socket.abandon()
            return done(ServerOutcome(opened, .failure(.closedEarly)))
        }
        shakeHands(socket, origin, opened, done)
    }

    private func shakeHands(
        _ socket: TCPConnection,
        _ origin: Origin,
        _ opened: ConnectOutcome,
        _ done: @escaping (ServerOutcome) -> Void
    ) {
        let session: TLSSession
        do throws(TLSError) {
            session = try TLSSession(
                connecting: context,
                to: ServerName("\(origin.serverName ?? origin.host)"),
                port: Int(origin.port)
            )
        } catch {
            socket.abandon()
            return done(ServerOutcome(opened, .failure(ExchangeFailure(NetError(error)))))
        }
        let begun = socket.loop.now
        let handshake = ServerHandshake(socket, session) { [self] result in
            var outcome = ServerOutcome(
                opened,
                result.map { ServerConnection(socket, origin, $0, limits: limits) }
                    .mapError { ExchangeFailure($0) }
            )
            outcome.tls = Microseconds(socket.loop.now - begun)
            done(outcome)
        }
        handshake.begin(limit: timeLimit)
    }
}

extension ServerOutcome {
    fileprivate init(_ opened: ConnectOutcome, _ result: Result<ServerConnection, ExchangeFailure>)
    {
        self.result = result
        lookup = opened.lookup
        connect = opened.connect
    }
}

/// A connection to a server while TLS is agreed on.
///
/// **Shape**: the connection holds it as its delegate until it is established or closed.
private final class ServerHandshake: ConnectionDelegate {
    private let socket: TCPConnection
    private let layer: TLSLayer
    private var done: ((Result<TLSInfo, NetError>) -> Void)?
    private var timer: LoopTimer?

    init(
        _ socket: TCPConnection,
        _ session: TLSSession,
        _ done: @escaping (Result<TLSInfo, NetError>) -> Void
    ) {
        self.socket = socket
        self.done = done
        let told = Told()
        layer = TLSLayer(session) { told.handshake?.end(.success($0)) }
        told.handshake = self
    }

    /// The way from the layer back to its owner.
    private final class Told { weak var handshake: ServerHandshake? }

    func begin(limit: Microseconds) {
        socket.delegate = self
        let timer = LoopTimer(on: socket.loop) { [weak self] in
            let message = "the server did not finish its TLS handshake"
            self?.end(.failure(NetError(.connectTimeout, message)))
        }
        timer.arm(after: limit)
        self.timer = timer
        socket.install(layer)
        socket.startReading()
        layer.start(on: socket)
    }

    private func end(_ result: Result<TLSInfo, NetError>) {
        timer = nil
        guard let done = done.take() else { return }
        if case .failure = result { socket.abandon() }
        done(result)
    }

    // Nothing comes before the handshake is over, and then somebody else is the delegate.
    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {}
    func connectionDrained(_ connection: TCPConnection) {}

    func connectionEndedInput(_ connection: TCPConnection) { end(.failure(Self.cut)) }

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        end(.failure(error ?? Self.cut))
    }

    private static var cut: NetError {
        NetError(.reset, "the server closed the connection within the TLS handshake")
    }
}
