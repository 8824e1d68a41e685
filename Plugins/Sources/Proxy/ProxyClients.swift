// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// The clients of a worker: lets them in, and wakes those that wait.
///
/// Nothing of it is shared but the count of connections.
///
/// **Isolation**: the worker's thread.
final class ProxyClients {
    /// How long a client waits whose exchanges are still to be sealed, before that is looked at again.
    private static let wakeDelay = Microseconds(10_000)

    private let access: ProxyAccess
    private let intake: any Intake
    private let count: ConnectionCount<ClientShare>
    private let peers: PeerCheck?
    private var clients: [ObjectIdentifier: ProxyClient] = [:]
    private var waiting: [ProxyClient] = []
    private var wakeTimer: LoopTimer?
    private var sweepTimer: LoopTimer?

    init(
        on loop: EventLoop,
        _ settings: ProxySettings,
        _ intake: any Intake,
        _ count: ConnectionCount<ClientShare>,
        _ peers: PeerCheck?
    ) {
        access = settings.access
        self.intake = intake
        self.count = count
        self.peers = peers
        wakeTimer = LoopTimer(on: loop) { [unowned self] in wake() }
        let interval = settings.timeouts.serverKeepAlive
        sweepTimer = LoopTimer(on: loop) { [unowned self] in
            count.sweep()
            sweepTimer?.arm(after: interval)
        }
        sweepTimer?.arm(after: interval)
    }

    /// Takes on a client, if it may come in and there is room for it.
    func accept(_ socket: TCPConnection, for worker: ProxyWorker) {
        // A client that has broken off before it came in has no address any more.
        guard let peer = socket.peerAddress else { return socket.abandon() }
        guard access.allows(client: peer) else {
            return turnAway(socket, 403, "'allow_clients' does not name your address")
        }
        if let refusal = peers?.refusal(of: socket) { return turnAway(socket, 403, refusal) }
        switch count.enter(peer.ip) {
        case .full: turnAway(socket, 503, "the proxy has as many clients as it may")
        case .clientFull:
            turnAway(socket, 503, "the proxy has as many connections of yours as it may")
        case .admitted(let share):
            let address = socket.peerText
            let memory = ClientMemory(share, worker.lane, intake.log, client: address)
            let client = ProxyClient(socket, worker, memory)
            clients[ObjectIdentifier(client)] = client
        }
    }

    /// Answers a client that cannot come in.
    private func turnAway(_ socket: TCPConnection, _ status: Int, _ message: String) {
        countRefused()
        var output: [UInt8] = []
        try? Response.page(status, "\(message)\n").appendLast(to: &output)
        socket.write(output.span)
        socket.close()
    }

    /// A client came that is not served, or asked in SOCKS for what is not known.
    func countRefused() { intake.rejected(1) }

    /// A client's connection is closed.
    func forget(_ client: ProxyClient) {
        if clients.removeValue(forKey: ObjectIdentifier(client)) != nil,
            let peer = client.socket.peerAddress
        {
            count.leave(peer.ip)
        }
        waiting.removeAll { $0 === client }
    }

    /// Has a client go on when `wake` is called, or a little later if it waits for its own exchanges.
    func wakeLater(_ client: ProxyClient, isPaused: Bool) {
        waiting.append(client)
        if !isPaused { wakeTimer?.arm(after: Self.wakeDelay) }
    }

    /// Reads on for the clients that wait.
    func wake() {
        let clients = waiting
        waiting = []
        for client in clients { client.leg.goOn() }
    }

    /// Closes what is idle and lets the rest come to its end.
    func drain() {
        for client in clients.values { client.drain() }
    }

    /// Ends what is still on its way, since the loop is about to close everything.
    func stop() {
        for client in clients.values { client.stop() }
    }

    /// The loop has ended.
    func end() {
        wakeTimer = nil
        sweepTimer = nil
    }
}
