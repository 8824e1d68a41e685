// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineCrypto
internal import TaplineFiles
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// One thread of the proxy: an event loop, a lane, and the connections that it handles.
///
/// Nothing of it is shared but the count of connections, so nothing else is locked.
///
/// **Isolation**: the loop's thread.
final class ProxyWorker {
    /// How many records are handed on together at most.
    private static let batch = 64
    /// How long a record waits for others.
    private static let batchDelay = Microseconds(10_000)
    /// The most bytes kept of an exchange that is sealed in no time, so that it need not be measured.
    private static let quickBytes = 1024
    /// How long a client waits whose exchanges are still to be sealed, before that is looked at again.
    private static let wakeDelay = Microseconds(10_000)

    let loop: EventLoop
    let settings: ProxySettings
    let lane: any Lane
    let log: Log
    let captureMaxBytes: Int
    /// The hooks that may want whole bodies.
    let bufferedHooks: Hooks
    let pool: ServerPool
    /// The name in Via, where that is written.
    let via: ByteString?
    /// What Host says to the upstream of a reverse proxy.
    let upstreamAuthority: ByteString
    private var spare: [UInt8] = []
    /// Whether the sinks have no room, so that no exchange is begun.
    private(set) var isPaused = false
    private(set) var isDraining = false

    let clientSettings: ClientSettings
    private let count: ConnectionCount
    private let peers: PeerCheck?
    private let connector: ServerConnector
    private let intake: any Intake
    private let random: SecureRandom
    private var clients: [ObjectIdentifier: ProxyClient] = [:]
    private var waiting: [ProxyClient] = []
    private var pending = 0
    private var backlog = SealBacklog(limit: Microseconds(5000))
    private var batchTimer: LoopTimer?
    private var sweepTimer: LoopTimer?
    private var wakeTimer: LoopTimer?
    private let closed: @Sendable () -> Void

    init(
        _ loop: EventLoop,
        _ settings: ProxySettings,
        _ intake: any Intake,
        via: ByteString?,
        own: OwnListeners,
        servers: TLSContext,
        interception: Interception?,
        count: ConnectionCount,
        peers: PeerCheck?,
        closed: @escaping @Sendable () -> Void
    ) throws {
        self.loop = loop
        self.settings = settings
        self.intake = intake
        self.via = via
        self.count = count
        self.peers = peers
        self.closed = closed
        clientSettings = settings.clientLegs(interception)
        let none = ByteString()
        blank = Exchange(
            id: ExchangeID(high: 0, low: 0),
            source: intake.id,
            request: Request(method: none, target: none, scheme: none, version: none)
        )
        log = intake.log
        captureMaxBytes = intake.captureMaxBytes
        lane = try intake.makeLane()
        bufferedHooks = lane.bufferedHooks
        random = SecureRandom()
        var options = ConnectorOptions()
        options.connectTimeout = settings.timeouts.connect
        let access = settings.access
        let sockets = Connector(on: loop, options) { address in
            own.denial(of: address) ?? access.denial(of: address)
        }
        connector = ServerConnector(
            sockets,
            servers,
            settings.serverLegs,
            checkingConfigured: { own.denial(ofConfigured: $0) ?? access.denial(of: $0) }
        )
        pool = ServerPool(
            limit: settings.maxIdleServers,
            maxAge: settings.timeouts.serverKeepAlive
        )
        upstreamAuthority = settings.upstream?.authority ?? ByteString()
        var spare: [UInt8] = []
        spare.reserveCapacity(16 << 10)
        self.spare = spare
        batchTimer = LoopTimer(on: loop) { [unowned self] in submit() }
        sweepTimer = LoopTimer(on: loop) { [unowned self] in sweep() }
        sweepTimer?.arm(after: settings.timeouts.serverKeepAlive)
        wakeTimer = LoopTimer(on: loop) { [unowned self] in wake() }
    }

    /// An empty buffer to write a head into; give it back.
    func takeBuffer() -> [UInt8] {
        let buffer = spare
        spare = []
        return buffer
    }

    /// Takes a buffer back, which the caller has to `consume`, or it is allocated anew.
    func giveBack(_ buffer: consuming [UInt8]) {
        buffer.removeAll(keepingCapacity: true)
        spare = buffer
    }

    /// A mask for a frame to a server, which nobody can foretell (RFC 6455 §10.3).
    func makeMask() -> WebSocketMask {
        WebSocketMask(key: UInt32(truncatingIfNeeded: random.next()))
    }

    // MARK: Connections

    /// Takes on a client, where it may come in and there is room for it.
    func accept(_ socket: TCPConnection) {
        // A client that has broken off before it came in has no address any more.
        guard let peer = socket.peerAddress else { return socket.abandon() }
        guard settings.access.allows(client: peer) else {
            return turnAway(socket, 403, "'allow_clients' does not name your address")
        }
        if let refusal = peers?.refusal(of: socket) { return turnAway(socket, 403, refusal) }
        switch count.enter(peer.ip) {
        case .full: turnAway(socket, 503, "the proxy has as many clients as it may")
        case .clientFull:
            turnAway(socket, 503, "the proxy has as many connections of yours as it may")
        case .admitted(let share):
            let client = ProxyClient(socket, self, share)
            clients[ObjectIdentifier(client)] = client
        }
    }

    /// Tells a client that it cannot come in.
    private func turnAway(_ socket: TCPConnection, _ status: Int, _ message: String) {
        countRefused()
        var output: [UInt8] = []
        try? Response.page(status, "\(message)\n").appendLast(to: &output)
        socket.write(output.span)
        socket.close()
    }

    /// A client's connection is closed.
    func forget(_ client: ProxyClient) {
        if clients.removeValue(forKey: ObjectIdentifier(client)) != nil,
            let peer = client.socket.peerAddress
        {
            count.leave(peer.ip)
        }
        waiting.removeAll { $0 === client }
    }

    /// Opens a connection to a server; calls back once.
    func connect(
        to origin: Origin,
        isTunnel: Bool,
        _ done: @escaping (ServerOutcome) -> Void
    ) { connector.connect(to: origin, isTunnel: isTunnel, done) }

    /// Ends what is still on its way, since the loop is about to close everything.
    func stop() {
        for client in clients.values { client.stop() }
    }

    /// Closes what is idle and lets the rest come to its end.
    func drain() {
        isDraining = true
        for client in clients.values { client.drain() }
        pool.closeAll()
    }

    /// Ends the lane, when the loop has ended.
    func end() {
        batchTimer = nil
        sweepTimer = nil
        wakeTimer = nil
        // The loop has ended: nobody waits for it any more.
        while let ended = backlog.popFirst() { seal(ended) }
        lane.close()
    }

    private func sweep() {
        pool.closeStale(now: loop.now)
        count.sweep()
        sweepTimer?.arm(after: settings.timeouts.serverKeepAlive)
    }

    // MARK: Records

    /// What an exchange begins with: copied, since making one anew takes longer.
    private let blank: Exchange

    /// An exchange that begins now, or has begun by the loop's clock; its request is still to come.
    func makeExchange(begun: Int64? = nil) -> Exchange {
        var exchange = blank
        let passed = begun.map { loop.now - $0 } ?? 0
        exchange.started = Timestamp(microseconds: WallClock.microseconds - passed)
        exchange.id = ExchangeID(
            started: exchange.started,
            random: random.next(),
            random.next()
        )
        return exchange
    }

    /// Hands an exchange that has ended to the record stages, now or in a later turn of the loop.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: The context of that.
    ///   - kept: The bytes that are kept of it, which are released then.
    ///   - memory: What has counted them.
    func finished(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext,
        _ kept: Int,
        _ memory: ClientMemory
    ) {
        guard kept > Self.quickBytes else {
            seal(exchange, context)
            return memory.release(kept)
        }
        let ended = SealBacklog.Ended(exchange, context, kept, memory)
        if backlog.isEmpty, backlog.hasTime(in: loop.now) { return seal(ended) }
        if backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
        backlog.append(ended)
    }

    /// Seals what a turn of the loop has time for, and the rest in later ones.
    private func sealOn() {
        while backlog.hasTime(in: loop.now), let ended = backlog.popFirst() { seal(ended) }
        if !backlog.isEmpty { loop.afterThisEvent { [unowned self] in sealOn() } }
    }

    private func seal(_ ended: SealBacklog.Ended) {
        let begun = EventLoop.clockNow()
        seal(ended.exchange, ended.context)
        ended.memory.release(ended.kept)
        backlog.spend(Microseconds(EventLoop.clockNow() &- begun))
    }

    private func seal(_ exchange: consuming Exchange, _ context: consuming ExchangeContext) {
        guard lane.finish(exchange, context) else { return }
        pending += 1
        if pending >= Self.batch {
            submit()
        } else if pending == 1 {
            batchTimer?.arm(after: Self.batchDelay)
        }
    }

    /// A client came that is not served, or asked in SOCKS for what is not known.
    func countRefused() { intake.rejected(1) }

    /// Hands finished records to the sinks, or keeps them until there is room.
    private func submit() {
        guard !isPaused else { return }
        pending = 0
        batchTimer?.cancel()
        let loop = loop
        let resume = Resume(worker: self)
        let admission = lane.submit(ticket: nil) {
            loop.execute { resume.worker.open() }
        }
        switch admission {
        case .open: break
        case .paused: isPaused = true
        case .closed: closed()
        }
    }

    /// Whether a client's next request has to wait for records: there is no room for them, or too
    /// many are still to be sealed, in all or of its own.
    func holdsBack(_ client: ProxyClient) -> Bool {
        isPaused || backlog.bytes > settings.maxCapturedPerClient
            || client.memory.share.isBehind
    }

    /// Reads on for a client as soon as `holdsBack` may be over.
    func wakeLater(_ client: ProxyClient) {
        waiting.append(client)
        if !isPaused { wakeTimer?.arm(after: Self.wakeDelay) }
    }

    private func open() {
        isPaused = false
        if pending > 0 { submit() }
        wake()
    }

    private func wake() {
        let clients = waiting
        waiting = []
        for client in clients { client.leg.goOn() }
    }
}

/// A worker as a callback from another thread holds it: looked at on the loop's thread alone, and
/// not after the loop's end, until which the worker lives.
///
/// Not weak: whoever is referred to weakly is counted by a detour, at every step of an exchange.
private struct Resume: @unchecked Sendable { unowned let worker: ProxyWorker }
