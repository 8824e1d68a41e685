// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineTLS

/// How the connections of clients end when the run does.
struct ProxyDraining {
    /// How long a client that has sent no request may take for its first one.
    let grace: Microseconds
    /// Whether idle connections close: now, or after that time if they have carried no request.
    ///
    /// Otherwise they close after one more exchange; clients of HTTP/2 still get GOAWAY at once, which
    /// loses no request.
    let closesIdle: Bool
}

/// One thread of the proxy: an event loop, a lane, and the connections that it handles.
///
/// **Isolation**: the loop's thread.
final class ProxyWorker {
    let loop: EventLoop
    let settings: ProxySettings
    let clientSettings: ClientSettings
    let lane: any Lane
    let captureMaxBytes: Int
    /// The hooks that may want whole bodies.
    var bufferedHooks: Hooks { lane.bufferedHooks }
    let clients: ProxyClients
    let servers: ServerPool
    /// The connections to servers that use HTTP/2; `nil` if it is not used.
    let streams: HTTP2ServerPool?
    let exchanges: ExchangeMaker
    let records: RecordQueue
    /// The recordings that answer in place of servers; `nil` for a proxy.
    let answers: WorkerAnswers?
    /// The name in Via; `nil` if Via is not written.
    let via: ByteString?
    /// The authority of a reverse proxy's upstream, for Host.
    let upstreamAuthority: ByteString
    private var groupCount = 0
    /// Whether its clients run in a namespace.
    let isInNamespace: Bool
    /// How connections end; `nil` while the run goes on.
    private(set) var draining: ProxyDraining?
    /// Whether the run is ending.
    var isDraining: Bool { draining != nil }
    private var spare: [UInt8] = []

    init(
        _ loop: EventLoop,
        _ settings: ProxySettings,
        _ intake: any Intake,
        via: ByteString?,
        own: OwnListeners,
        servers context: TLSContext,
        interception: Interception?,
        count: ConnectionCount<ClientCaptureBudget>,
        peers: AllowedUsersCheck?,
        answers: AnswerSource?,
        namespace: NamespaceSockets?,
        distrust: RejectedCertificateCache?,
        closed: @escaping @Sendable () -> Void
    ) throws {
        self.loop = loop
        self.settings = settings
        self.via = via
        clientSettings = settings.clientLegs(interception, distrust)
        isInNamespace = namespace != nil
        captureMaxBytes = intake.captureMaxBytes
        lane = try intake.makeLane()
        clients = ProxyClients(on: loop, settings, intake, count, peers)
        exchanges = ExchangeMaker(source: intake.id)
        self.answers = answers.map { WorkerAnswers($0, on: loop) }
        records = RecordQueue(loop, lane, closed: closed)
        let connector = Self.connector(loop, settings, own, context, namespace)
        streams =
            settings.http2.isOn || settings.http2.priorKnowledge != nil
            ? HTTP2ServerPool(
                connector,
                settings.http2,
                HTTP2ServerTimeouts(
                    keepAlive: settings.timeouts.serverKeepAlive,
                    connect: settings.timeouts.connect,
                    idle: settings.timeouts.idle
                ),
                on: loop
            ) : nil
        servers = ServerPool(
            connector,
            limit: settings.maxIdleServers,
            maxAge: settings.timeouts.serverKeepAlive,
            on: loop
        )
        upstreamAuthority = settings.upstream?.authority ?? ByteString()
        var spare: [UInt8] = []
        spare.reserveCapacity(16 << 10)
        self.spare = spare
        records.whenResumed { [unowned clients] in clients.wake() }
    }

    private static func connector(
        _ loop: EventLoop,
        _ settings: ProxySettings,
        _ own: OwnListeners,
        _ context: TLSContext,
        _ namespace: NamespaceSockets?
    ) -> ServerConnector {
        var options = ConnectorOptions()
        options.connectTimeout = settings.timeouts.connect
        let access = settings.access
        let sockets = Connector(on: loop, options) { address in
            own.denial(of: address) ?? access.denial(of: address)
        }
        sockets.sockets = namespace
        return ServerConnector(
            sockets,
            context,
            settings.serverLegs,
            checkingConfigured: { own.denial(ofConfigured: $0) ?? access.denial(of: $0) }
        )
    }

    /// Returns a group for a client that shares no connections with others.
    func nextGroup() -> Int {
        groupCount &+= 1
        return groupCount
    }

    /// Closes the connections to servers that only one client could use, which is gone.
    func closeServers(ofGroup group: Int) {
        servers.closeAll(ofGroup: group)
        streams?.closeAll(ofGroup: group)
    }

    /// Returns an empty buffer to write a head into.
    ///
    /// Return it with `giveBack`.
    func takeBuffer() -> [UInt8] { exchange(&spare, with: []) }

    /// Takes a buffer back.
    ///
    /// The caller has to `consume` it; otherwise it is allocated again.
    func giveBack(_ buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        spare = buffer
    }

    /// Ends the exchanges that are still in progress, since the loop is about to close everything.
    func stop() { clients.stop() }

    /// Lets the connections finish.
    func drain(_ draining: ProxyDraining) {
        self.draining = draining
        clients.drain(draining)
        servers.closeAll()
        streams?.closeAll()
    }

    /// Ends the lane after the loop has ended.
    func end() {
        clients.end()
        servers.end()
        streams?.end()
        records.end()
        lane.close()
    }
}
