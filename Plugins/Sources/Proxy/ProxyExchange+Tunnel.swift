// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// What has passed through a tunnel, and which sides have ended.
struct Tunnel {
    /// Bytes from the client.
    var bytesUp = 0
    /// Bytes from the server.
    var bytesDown = 0
    /// Whether the client sends no more.
    var isUpEnded = false
    /// Whether the server sends no more.
    var isDownEnded = false
    /// What ended it first.
    var end: ExchangeFailure?
}

/// The response by which a server has agreed to another protocol, as it came.
///
/// A class, since hardly any exchange has one, and each would be larger by it.
final class Agreement {
    let response: Response

    init(_ response: Response) { self.response = response }
}

/// CONNECT (RFC 9110 §9.3.6) and other protocols (§7.8): bytes pass as they are.
extension ProxyExchange {
    /// CONNECT came: the hooks may refuse it.
    func beginTunnel() {
        isRequestEnded = true
        if let failure = tunnelRefusal {
            // What follows is meant for a tunnel, and is no request.
            keepsClient = false
            return fail(failure)
        }
        if head.namesOtherHost { HostMismatch.host.note(in: &held.exchange.tags) }
        runRequestHooks()
    }

    func openTunnel() {
        let authority = held.exchange.request.authority
        guard let origin = Origin(authority: authority.span, isSecure: false)
        else { return fail(.noTarget) }
        if worker.interception?.looksInto(origin.host) == true { return beginInterception(origin) }
        lane.opened(held.exchange, &held.context)
        connect(origin)
    }

    /// The server is there: the client learns that, and from now on bytes pass.
    func tunnelOpened(_ server: ServerConnection) {
        self.server = server
        held.exchange.connection.server = server.socket.peerText
        server.begin(self, head.kind)
        requestSent = worker.loop.now
        if hasResponseBegun { return passBytes(server) }
        held.exchange.response = Response(status: 200, reason: "Connection Established")
        pass(server)
    }

    /// Answers in SOCKS what would be a head in HTTP.
    func answerSocks(_ status: Int) {
        hasResponseBegun = true
        let isOpen = 200..<300 ~= status
        let reply = SocksNegotiation.reply(
            isOpen ? 0 : SocksNegotiation.code(of: held.exchange.error?.code ?? "aborted")
        )
        bytes.down.headers &+= reply.count
        client.socket.write(reply.span)
    }

    /// The server has agreed to another protocol, which hooks may still refuse.
    func switchProtocols() {
        // The rest of the request would be taken for the other protocol.
        guard isRequestEnded else { return fail(.earlySwitch) }
        agreed = held.exchange.response.map { Agreement($0) }
        runResponseHooks()
    }

    /// The hooks have left it at the other protocol.
    func enterProtocol() {
        guard let server, let agreed else { return }
        beginWebSocket(agreed.response)
        pass(server)
        goAwayIfDraining()
        guard !heldResponse.isEmpty, !isOver else { return }
        let waiting = heldResponse.taken()
        received(tunnel: waiting.span)
    }

    private func pass(_ server: ServerConnection) {
        guard let response = held.exchange.response else { return }
        let writing = ResponseWriting(
            becomesTunnel: true,
            connection: response.status == 101 ? .upgrade : .persist
        )
        guard writeHead(response, writing) else { return }
        passBytes(server)
    }

    private func passBytes(_ server: ServerConnection) {
        tunnel = Tunnel()
        server.becomeTunnel()
        client.becomeTunnel()
    }

    /// Whether a client of SOCKS begins with a request, so that its connection is read as HTTP from
    /// here on: plain HTTP comes that way which a proxy would otherwise be asked for.
    func turnsToHTTP(_ bytes: Span<UInt8>) -> Bool {
        guard isSocks, let tunnel, tunnel.bytesUp == 0, tunnel.bytesDown == 0,
            case .http = TunnelOpening.method(bytes), let server = server.take()
        else { return false }
        self.tunnel = nil
        server.end()
        worker.pool.give(server, now: worker.loop.now)
        client.tunnelOpened(to: server.origin, nil)
        return true
    }

    /// Bytes came from the client.
    func sent(tunnel bytes: Span<UInt8>) {
        guard !isOver, let server else { return }
        lastActive = worker.loop.now
        tunnel?.bytesUp &+= bytes.count
        if let webSocket { return pass(bytes, .up, through: webSocket) }
        server.socket.write(bytes)
    }

    /// Bytes came from the server.
    func received(tunnel bytes: Span<UInt8>) {
        guard !isOver, let server else { return }
        receivedFirstByte()
        // The server need not wait, as hooks may have to.
        guard tunnel != nil else { return hold(bytes) }
        if let webSocket { pass(bytes, .down, through: webSocket) } else { write(bytes, .down) }
        if !client.socket.isWritable { server.socket.pauseReading() }
    }

    /// The time that messages of a WebSocket get.
    var sinceBegun: Microseconds { Microseconds(worker.loop.now &- begun) }

    /// The client sends no more; the server may still.
    func tunnelEndedByClient() {
        tunnel?.isUpEnded = true
        server?.socket.shutdownOutput()
        noteEnd(.clientGone)
        if tunnel?.isDownEnded == true { tunnelEnded(.clientGone) }
    }

    /// The server sends no more; the client may still.
    func tunnelEndedByServer() {
        guard tunnel != nil else { return serverFailed(.closedEarly) }
        tunnel?.isDownEnded = true
        client.socket.shutdownOutput()
        noteEnd(.brokenOff)
        if tunnel?.isUpEnded == true { tunnelEnded(.brokenOff) }
    }

    private func noteEnd(_ cause: ExchangeFailure) {
        if tunnel?.end == nil { tunnel?.end = cause }
    }

    /// One of the connections is gone, or both directions have ended.
    func tunnelEnded(_ cause: ExchangeFailure) {
        let cause = worker.loop.isStopped ? .stopped : cause
        noteEnd(cause)
        if let webSocket { return endTunnel(webSocket.isOpen ? tunnel?.end : nil) }
        // Only a WebSocket says that it is at its end; of other tunnels nobody knows, but that they
        // were not where it is us who end them.
        let isCut = [ExchangeFailure.stopped, .idleTunnel].contains { $0.code == cause.code }
        endTunnel(isCut ? cause : nil)
    }

    /// Closes both connections, once they have taken what was written.
    func endTunnel(_ cause: ExchangeFailure?) {
        guard !isOver else { return }
        isResponseEnded = true
        server.take()?.close()
        held.exchange.error = cause?.error
        let state: ExchangeState =
            switch cause?.code {
            case nil: .completed
            case ExchangeFailure.clientGone.code, ExchangeFailure.stopped.code: .cancelled
            default: .failed
            }
        finish(state, keepsClient: false, keepsServer: false)
    }
}
