// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplineOperations
internal import TaplinePlugin

/// The clients of a worker: admits them, and wakes those that wait.
///
/// Only the connection count is shared with other workers.
///
/// **Isolation**: the worker's thread.
final class ProxyClients {
    /// How long a client waits for its exchanges to be sealed before the next check.
    private static let wakeDelay = Microseconds(10_000)

    let access: ProxyAccess
    let intake: any Intake
    private let count: ConnectionCount<ClientCaptureBudget>
    let peers: AllowedUsersCheck?
    private var clients: [ObjectIdentifier: ProxyClient] = [:]
    private var waiting: [ProxyClient] = []
    private var wakeTimer: LoopTimer?
    private var sweepTimer: LoopTimer?

    init(
        on loop: EventLoop,
        _ settings: ProxySettings,
        _ intake: any Intake,
        _ count: ConnectionCount<ClientCaptureBudget>,
        _ peers: AllowedUsersCheck?
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

    /// Admits a client if it is allowed and there is room for it.
    func accept(_ socket: TCPConnection, for worker: ProxyWorker) {
        // A client that disconnected before it was accepted has no address.
        guard let peer = socket.peerAddress else { return socket.abandon() }
        guard access.allows(client: peer) else {
            return turnAway(socket, 403, "'allow_clients' does not list your address")
        }
        if let refusal = peers?.refusal(of: socket) { return turnAway(socket, 403, refusal) }
        switch enter(peer.ip) {
        case .failure(let refusal): turnAway(socket, 503, refusal.description)
        case .success(let share):
            let memory = ClientMemory(share, worker.lane, intake.log, client: socket.peerText)
            add(ProxyClient(socket, of: peer.ip, worker, memory))
        }
    }

    /// Admits a client within this process if there is room for it; it needs no permission.
    ///
    /// - Parameters:
    ///   - socket: Its connection.
    ///   - worker: The worker of the connection.
    ///   - sent: The request that it sends.
    ///   - server: The server of its request; `nil` for that of a reverse proxy.
    /// - Returns: The client, or why it is not admitted.
    func admit(
        _ socket: TCPConnection,
        for worker: ProxyWorker,
        sending sent: SentRequest,
        to server: Origin?
    ) -> Result<ProxyClient, ControlError> {
        let ip = IPAddress.loopbackV4
        switch enter(ip) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let share):
            let memory = ClientMemory(share, worker.lane, intake.log, client: "this process")
            let client = ProxyClient(socket, of: ip, worker, memory, sending: sent)
            add(client)
            if let server { client.link.leg?.tunnelOpened(to: server, with: Span()) }
            return .success(client)
        }
    }

    /// Counts a client.
    func enter(_ ip: IPAddress) -> Result<ClientCaptureBudget, ControlError> {
        switch count.enter(ip) {
        case .full: .failure(ControlError("the proxy has reached its maximum number of clients"))
        case .clientFull:
            .failure(ControlError("your address has reached its maximum number of connections"))
        case .admitted(let share): .success(share)
        }
    }

    /// Stops counting a client that `enter` has counted.
    func leave(_ ip: IPAddress) { count.leave(ip) }

    /// Keeps a client until it is forgotten.
    func add(_ client: ProxyClient) {
        clients[ObjectIdentifier(client)] = client
        // It connected just before the proxy stopped listening.
        if let draining = client.worker.draining { client.drain(draining) }
    }

    /// Sends an error response to a client that is not admitted.
    private func turnAway(_ socket: TCPConnection, _ status: Int, _ message: String) {
        countRefused()
        var output: [UInt8] = []
        try? Response.page(status, "\(message)\n").appendLast(to: &output)
        socket.write(output.span)
        socket.close()
    }

    /// Counts a client that is not admitted, or that sent an unknown SOCKS request.
    func countRefused() { intake.rejected(1) }

    /// Forgets a client whose connection is closed.
    func forget(_ client: ProxyClient) {
        if clients.removeValue(forKey: ObjectIdentifier(client)) != nil { count.leave(client.ip) }
        waiting.removeAll { $0 === client }
        if let group = client.redirected?.origin.group, group != 0 {
            client.worker.closeServers(ofGroup: group)
        }
    }

    /// Resumes a client when `wake` is called, or a little later if it waits for its own exchanges.
    func wakeLater(_ client: ProxyClient, isPaused: Bool) {
        waiting.append(client)
        if !isPaused { wakeTimer?.arm(after: Self.wakeDelay) }
    }

    /// Resumes reading for the clients that wait.
    func wake() {
        let clients = waiting
        waiting = []
        for client in clients { client.goOn() }
    }

    /// Lets the connections finish.
    func drain(_ draining: ProxyDraining) {
        for client in clients.values { client.drain(draining) }
    }

    /// Ends the exchanges that are still in progress, since the loop is about to close everything.
    func stop() {
        for client in clients.values { client.stop() }
    }

    /// Releases the timer, since the loop has ended.
    func end() {
        wakeTimer = nil
        sweepTimer = nil
    }
}
