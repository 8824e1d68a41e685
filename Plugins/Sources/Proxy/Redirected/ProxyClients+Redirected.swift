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
    /// The value of the tag `tapline.dns`: the names that were looked up for the address, which any
    /// program can choose; `nil` if there is none.
    let tag: String?

    static let dnsTag = "tapline.dns"

    /// Takes the name if it is the only one: with several, nobody knows which is meant.
    init(_ address: SocketAddress, named names: [String] = [], group: Int = 0) {
        let name = names.count == 1 ? names.first : nil
        tag = names.isEmpty ? nil : names.joined(separator: ", ")
        let ip = address.ip.unmapped
        origin = Origin(
            isSecure: false,
            host: ByteString("\(ip)"),
            port: address.port,
            serverName: name.map { ByteString($0) },
            group: group
        )
        authority = name.map { ByteString("\($0):\(address.port)") } ?? origin.hostPort
    }
}

/// Clients that do not know of the proxy: a tunnel to their server begins at once.
extension ProxyClients {
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
        if let inside, target.port == Self.dnsPort {
            return inside.serveDNS(socket) { [unowned self] in leave(peer.ip) }
        }
        let memory = ClientMemory(share, worker.lane, intake.log, client: socket.peerText)
        let client = ProxyClient(socket, of: peer.ip, worker, memory)
        add(client)
        let names = inside?.names.names(of: target.ip.unmapped) ?? []
        // At a loopback address, a listener inside may take the place of one outside at any time,
        // so only one client uses a connection.
        let isShared = inside == nil || !(target.ip.isLoopback || target.ip.isAny)
        let group = isShared ? 0 : worker.nextGroup()
        client.beginRedirected(
            RedirectedTarget(target, named: names, group: group),
            from: inside == nil ? peer.ip : nil
        )
    }
}
