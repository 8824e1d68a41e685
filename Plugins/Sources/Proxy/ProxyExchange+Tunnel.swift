// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin

/// What passes through a tunnel, or will once hooks have let it open.
///
/// A class, since hardly any exchange has one, and each would be larger by it.
final class Tunnel {
    /// Whether bytes pass.
    var isOpen = false
    /// Bytes from the client.
    var bytesUp = 0
    /// Bytes from the server.
    var bytesDown = 0
    /// The response by which the server has agreed to another protocol, as it came.
    let agreed: Response?
    /// What its bytes pass through, if it is a WebSocket that is recorded.
    var webSocket: (any WebSocketTraffic)?

    init(agreed: Response? = nil) { self.agreed = agreed }
}

/// CONNECT (RFC 9110 §9.3.6) and other protocols (§7.8): bytes pass as they are.
extension ProxyExchange {
    /// CONNECT came: the hooks may refuse it.
    func beginTunnel() {
        if let failure = tunnelRefusal {
            // What follows is meant for a tunnel, and is no request.
            response.keepsClient = false
            return fail(failure)
        }
        if head.namesOtherHost { HostMismatch.host.note(in: &held.exchange.tags) }
        perform(machine.requestHead(wantedBody: 0, expectsContinue: false))
    }

    func openTunnel() {
        let authority = held.exchange.request.authority
        guard let origin = Origin(authority: authority.span, isSecure: false)
        else { return fail(.noTarget) }
        if worker.clientSettings.interception?.looksInto(origin.host) == true {
            return beginInterception(origin)
        }
        open()
        connect(origin)
    }

    /// Has a server take on the tunnel.
    func join(_ server: ServerLeg) {
        self.server = server
        held.exchange.connection.server = server.socket.peerText
        server.begin(self, head.kind)
        clock.requestSent = worker.loop.now
    }

    /// Answers in SOCKS what would be a head in HTTP.
    func answerSocks(_ status: Int) {
        let isOpen = 200..<300 ~= status
        let reply = SocksNegotiation.reply(
            isOpen ? 0 : SocksNegotiation.code(of: held.exchange.error?.code ?? "aborted")
        )
        bytes.down.headers &+= reply.count
        client.socket.write(reply.span)
    }

    /// The hooks have left it at the other protocol.
    func switchProtocol() {
        if let agreed = tunnel?.agreed { beginWebSocket(agreed) }
        guard writeHead(.upgrade) else { return }
        perform(machine.responseSent())
        goAwayIfDraining()
        var early: [UInt8] = []
        swap(&early, &waiting)
        if !early.isEmpty { received(tunnel: early.span) }
    }

    /// Bytes pass from here on.
    func passBytes() {
        let tunnel = tunnel ?? Tunnel()
        tunnel.isOpen = true
        self.tunnel = tunnel
        server?.becomeTunnel()
        client.leg.becomeTunnel()
    }

    /// Whether a client of SOCKS begins with a request, so that its connection is read as HTTP from
    /// here on: plain HTTP comes that way which a proxy would otherwise be asked for.
    func turnsToHTTP(_ bytes: Span<UInt8>) -> Bool {
        guard head.isSocks, let tunnel, tunnel.bytesUp == 0, tunnel.bytesDown == 0,
            case .http = TunnelOpening.method(bytes), let server = server.take()
        else { return false }
        perform(machine.intercepted())
        self.tunnel = nil
        worker.servers.give(server)
        client.leg.tunnelOpened(to: server.route.origin)
        return true
    }

    /// Bytes came from the client.
    func sent(tunnel bytes: Span<UInt8>) {
        guard case .pass = machine.requestBody(bytes.count), let tunnel else { return }
        clock.lastActive = worker.loop.now
        tunnel.bytesUp &+= bytes.count
        if let webSocket = tunnel.webSocket { return pass(bytes, .up, through: webSocket) }
        server?.socket.write(bytes)
    }

    /// Bytes came from the server.
    func received(tunnel bytes: Span<UInt8>) {
        clock.responseCame(worker.loop.now)
        switch machine.responseBody(bytes.count) {
        // The server need not wait, as hooks may have to.
        case .hold: hold(bytes)
        case .pass:
            if let webSocket = tunnel?.webSocket {
                pass(bytes, .down, through: webSocket)
            } else {
                write(bytes, .down)
            }
            if !client.socket.isWritable { server?.socket.pauseReading() }
        case let action: perform(action)
        }
    }

    /// The time that messages of a WebSocket get.
    var sinceBegun: Microseconds { Microseconds(worker.loop.now &- clock.begun) }

    /// The client sends no more; the server may still.
    func tunnelEndedByClient() {
        let action = machine.clientEnded()
        guard case .shutdown(.server) = action else { return perform(action, because: .clientGone) }
        server?.socket.shutdownOutput()
    }

    /// The server sends no more; the client may still.
    func tunnelEndedByServer() {
        let cause: ExchangeFailure = machine.isTunnel ? .brokenOff : .closedEarly
        let action = machine.serverEnded()
        guard case .shutdown(.client) = action else { return perform(action, because: cause) }
        client.socket.shutdownOutput()
    }

    /// One of the connections is gone, or both directions have ended.
    ///
    /// - Parameters:
    ///   - cause: What has happened last.
    ///   - first: The side that had ended its direction before.
    func endTunnel(_ cause: ExchangeFailure, _ first: HTTPExchangeAction.Side?) {
        let cause = worker.loop.isStopped ? .stopped : cause
        if let webSocket = tunnel?.webSocket {
            return closeTunnel(webSocket.isOpen ? first?.failure ?? cause : nil)
        }
        // Only a WebSocket says that it is at its end; of other tunnels nobody knows, but that they
        // were not where it is us who end them.
        let isCut = [ExchangeFailure.stopped, .idleTunnel].contains { $0.code == cause.code }
        closeTunnel(isCut ? cause : nil)
    }

    /// Closes both connections, once they have taken what was written.
    func closeTunnel(_ cause: ExchangeFailure?) {
        server.take()?.close()
        held.exchange.error = cause?.error
        let outcome: HTTPExchangeAction.Outcome =
            switch cause?.code {
            case nil: .completed
            case ExchangeFailure.clientGone.code, ExchangeFailure.stopped.code: .cancelled
            default: .failed
            }
        finish(HTTPExchangeAction.Ending(outcome, .close, .whole))
    }
}

extension HTTPExchangeAction.Side {
    /// What it means that this side has ended its direction of a tunnel.
    fileprivate var failure: ExchangeFailure { self == .client ? .clientGone : .brokenOff }
}
