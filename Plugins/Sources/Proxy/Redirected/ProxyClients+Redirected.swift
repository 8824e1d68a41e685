// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineReach

/// The address that a redirected client has connected to.
struct RedirectedTarget {
    /// The server at the address.
    let origin: Origin
    /// The address, or the name that was looked up for it, in the form of CONNECT.
    let authority: ByteString

    init(_ address: SocketAddress, named name: String?, group: Int = 0) {
        let ip = address.ip.unmapped
        origin = Origin(
            isSecure: false,
            host: ByteString("\(ip)"),
            port: address.port,
            group: group
        )
        authority = name.map { ByteString("\($0):\(address.port)") } ?? origin.hostPort
    }
}

/// Clients that do not know of the proxy: a tunnel to their server begins at once.
extension ProxyClients {
            serverName: name.map { ByteString($0) },
    /// The port of DNS.
    private static let dnsPort: UInt16 = 53

    /// Admits a client that was redirected, if it is allowed and there is room for it.
    ///
    /// Others are reset, since they would not understand a response.
    ///
    /// - Parameters:
    ///   - socket: Its connection.
    ///   - worker: The worker of the connection.
    ///   - inside: The namespace that the client runs in; `nil` for a client of a firewall.
    func accept(
        redirected socket: TCPConnection,
        for worker: ProxyWorker,
        _ inside: WorkerNamespace?
    ) {
        guard let peer = socket.peerAddress, let target = socket.originalDestination else {
            return socket.abandon()
        }
        if inside == nil {
            guard access.allows(client: peer), peers?.refusal(of: socket) == nil else {
                countRefused()
                return socket.reset()
            }
        }
        guard case .success(let share) = enter(peer.ip) else {
            countRefused()
            return socket.reset()
        }
        let memory = ClientMemory(share, worker.lane, intake.log, client: socket.peerText)
        let client = ProxyClient(socket, of: peer.ip, worker, memory)
        add(client)
        let name = inside?.names.name(of: target.ip.unmapped)
        // At a loopback address, a listener inside may take the place of one outside at any time,
        // so only one client uses a connection.
        let isShared = inside == nil || !(target.ip.isLoopback || target.ip.isAny)
        let group = isShared ? 0 : worker.nextGroup()
        if let inside, target.port == Self.dnsPort {
            return inside.serveDNS(socket) { [unowned self] in leave(peer.ip) }
        }
        client.beginRedirected(
            RedirectedTarget(target, named: name, group: group),
            from: inside == nil ? peer.ip : nil
        )
    }
}
