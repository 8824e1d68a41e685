// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineTLS

/// CONNECT whose tunnel is inspected: the client gets its response before there is a server, and
/// its first bytes decide what happens to the tunnel.
///
/// ```
/// answered ──▶ TLS or HTTP, read here: not recorded once a request has arrived
///    │   ├───▶ TLS of a redirected client whose server can only be used by itself: a tunnel
///    │   └───▶ anything else: a tunnel, recorded with its sizes
///    ├───────▶ silence until the server speaks or time is up: a tunnel
///    └───────▶ no handshake: failed
/// ```
extension ProxyExchange {
    /// Sends the client its response; the client speaks next.
    func beginInterception(_ origin: Origin) {
        perform(machine.intercepted())
        guard answerTunnel(), case .listen = machine.responseSent() else { return }
        client.link.leg?.beginOpening(origin, isRedirected: head.isRedirected)
    }

    /// Connects the tunnel to the server, since the proxy does not read what the client sent.
    func passThrough(_ origin: Origin, _ passed: TunnelOpening.Passthrough) {
        if worker.answers?.reachesServers == false { return fail(.unansweredTunnel) }
        var mismatch: HostMismatch = head.namesOtherHost ? .host : []
        if passed.namesOtherHost { mismatch.insert(.serverName) }
        mismatch.note(in: &held.exchange.tags)
        nameServer(passed.serverName, origin)
        open()
        held.exchange.tags["hint"] = passed.hint
        guard case .connect = machine.passedThrough() else { return }
        if let server = probe.take()?.give() {
            connected(.http1(server), mayRepeat: false)
        } else {
            connect(passed.serverName.map { origin.named(ByteString($0)) } ?? origin)
        }
    }

    /// Listens to the server of a silent client, since the server may be the one that speaks first
    /// (SMTP, MySQL).
    func listenToServer(_ origin: Origin) {
        if worker.answers?.reachesServers == false { return }
        worker.servers.connect(to: origin, isTunnel: true) { [weak self] outcome in
            // A failure repeats when the tunnel connects.
            guard case .success(let server) = outcome.result else { return }
            guard let self, client.link.leg?.isSilent == true else { return server.abandon() }
            held.exchange.timing.take(connection: outcome.timing)
            let probe = ServerProbe(server)
            self.probe = probe
            probe.listen { [unowned self] in client.link.leg?.serverSpoke() }
        }
    }

    /// Ends the probe, since the client has spoken and is served here; it may have named a host in
    /// TLS.
    func beginReading(_ origin: Origin, named name: String?) {
        probe.take()?.end()
        nameServer(name, origin)
    }

    /// Handles a handshake that the client did not complete.
    func handshakeFailed(_ error: NetError) {
        switch error.code {
        // These are errors of the socket, not of TLS: the client has disconnected.
        case .reset, .closed, .system: clientGone()
        case NetError.Code(.clientUntrusted):
            held.exchange.tags["hint"] = "trust_ca"
            let path = worker.clientSettings.interception?.authority.store?.certificatePath ?? ""
            var message = "\(error); it has to trust '\(path)'"
            if let host = redirectedHost {
                message += ", or 'passthrough' has to contain '\(host)'"
            }
            fail(ExchangeFailure(code: error.code.name, message: message))
        default: fail(ExchangeFailure(error))
        }
    }

    /// Drops this exchange, since a request arrived in the tunnel and is recorded instead.
    func giveWay() { perform(machine.superseded()) }

    /// Ends an exchange whose client closed the tunnel without a request in it.
    func endedUnused() { perform(machine.unused()) }
}
