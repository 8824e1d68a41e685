// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// CONNECT whose tunnel is looked into: the client is answered before there is a server, and what
/// it says first decides what becomes of the tunnel.
///
/// ```
/// answered ──▶ TLS or HTTP, read here: not recorded once a request has come
///    │   └───▶ anything else: a tunnel, recorded with its sizes
///    ├───────▶ nothing, and the server speaks, or nobody does: a tunnel
///    └───────▶ no handshake: failed
/// ```
extension ProxyExchange {
    /// Answers the client, which speaks next.
    func beginInterception(_ origin: Origin) {
        perform(machine.intercepted())
        guard answerTunnel(), case .listen = machine.responseSent() else { return }
        client.leg.beginOpening(origin)
    }

    /// What the client said is not for us: the tunnel goes to the server after all.
    func passThrough(_ origin: Origin, _ passed: TunnelOpening.Passed) {
        var mismatch: HostMismatch = head.namesOtherHost ? .host : []
        if passed.namesOtherHost { mismatch.insert(.serverName) }
        mismatch.note(in: &held.exchange.tags)
        open()
        held.exchange.tags["hint"] = passed.hint
        guard case .connect = machine.passedThrough() else { return }
        if let server = probe.take()?.give() {
            connected(server, mayRepeat: false)
        } else {
            connect(origin)
        }
    }

    /// The client says nothing: the server may be the one that speaks first (SMTP, MySQL).
    func listenToServer(_ origin: Origin) {
        worker.servers.connect(to: origin, isTunnel: true) { [weak self] outcome in
            // What fails does so once more when the tunnel goes there.
            guard case .success(let server) = outcome.result else { return }
            guard let self, client.leg.isSilent else { return server.abandon() }
            held.exchange.timing.dns = outcome.lookup
            held.exchange.timing.connect = outcome.connect
            let probe = ServerProbe(server)
            self.probe = probe
            probe.listen { [unowned self] in client.leg.serverSpoke() }
        }
    }

    /// The client has spoken, and is answered here.
    func endProbe() { probe.take()?.end() }

    /// The client did not go through with the handshake.
    func handshakeFailed(_ error: NetError) {
        switch error.code {
        // Of the socket, not of TLS: the client has gone.
        case .reset, .closed, .system: clientGone()
        case NetError.Code(.clientUntrusted):
            held.exchange.tags["hint"] = "trust_ca"
            let path = worker.clientSettings.interception?.authority.store?.certificatePath ?? ""
            fail(
                ExchangeFailure(
                    code: error.code.name,
                    message: "\(error); it has to trust '\(path)'"
                )
            )
        default: fail(ExchangeFailure(error))
        }
    }

    /// A request came in the tunnel: that one is recorded in the place of this.
    func giveWay() { perform(machine.superseded()) }

    /// The client closed its connection without a request in it.
    func endedUnused() { perform(machine.unused()) }
}
