// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineHTTP
internal import TaplineModel
internal import TaplineNet
internal import TaplinePlugin
internal import TaplineUpstream

/// The state of a tunnel, from the moment before the hooks let it open.
///
/// A class, since few exchanges have one and it would enlarge every exchange.
final class Tunnel {
    /// Whether bytes pass.
    var isOpen = false
    /// Bytes from the client.
    var bytesUp = 0
    /// Bytes from the server.
    var bytesDown = 0
    /// The server's unmodified response that switches to another protocol.
    let agreed: Response?
    /// Carries the bytes, if the tunnel is a recorded WebSocket.
    var webSocket: (any WebSocketTraffic)?

    init(agreed: Response? = nil) { self.agreed = agreed }
}

/// CONNECT (RFC 9110 §9.3.6) and other protocols (§7.8), whose bytes are forwarded unchanged.
extension ProxyExchange {
    /// Handles CONNECT, which the hooks may refuse.
    func beginTunnel() {
        if let failure = client.link.stream == nil ? tunnelRefusal : .noTunnelStreams {
            // The bytes that follow are meant for a tunnel, and are not a request.
            response.keepsClient = false
            return fail(failure)
        }
        if head.namesOtherHost { HostMismatch.host.note(in: &held.exchange.tags) }
        perform(machine.requestHead(wantedBody: 0, expectsContinue: false))
    }

    func openTunnel() {
        if head.isRedirected { return openRedirected() }
        let authority = held.exchange.request.authority
        guard let origin = Origin(authority: authority.span, isSecure: false)
        else { return fail(.noTarget) }
        if worker.clientSettings.interception?.looksInto(origin.host) == true {
            return beginInterception(origin)
        }
        if worker.answers?.reachesServers == false { return fail(.unansweredTunnel) }
        open()
        connect(origin)
    }

    /// Gives the tunnel to a server.
    func join(_ server: ServerLink) {
        self.server = server
        throttle(server)
        held.exchange.connection.server = server.peerText
        server.begin(self, head.kind)
        clock.requestSent = worker.loop.now
    }

    /// Answers in SOCKS, with the reply for an HTTP status.
    func answerSocks(_ status: Int) {
        let isOpen = 200..<300 ~= status
        let reply = SocksNegotiation.reply(
            isOpen ? 0 : SocksNegotiation.code(of: held.exchange.error?.code ?? "aborted")
        )
        bytes.down.headers &+= reply.count
        client.link.write(reply.span)
    }

    /// Switches to the other protocol, which the hooks have accepted.
    func switchProtocol() {
        if let agreed = tunnel?.agreed { beginWebSocket(agreed) }
        guard writeHead(.upgrade) else { return }
        perform(machine.responseSent())
        goAwayIfDraining()
        let early = exchange(&waiting, with: [])
        if !early.isEmpty { received(tunnel: early.span) }
    }

    /// Forwards bytes from now on.
    func passBytes() {
        let tunnel = tunnel ?? Tunnel()
        tunnel.isOpen = true
        self.tunnel = tunnel
        server?.becomeTunnel()
        player?.opened()
        client.link.becomeTunnel()
    }

    /// Returns whether a SOCKS client begins with a request.
    ///
    /// Its connection is then read as HTTP, since clients also use SOCKS for plain HTTP that they
    /// would otherwise send to a proxy.
    func turnsToHTTP(_ bytes: Span<UInt8>) -> Bool {
        guard head.isSocks, let tunnel, tunnel.bytesUp == 0, tunnel.bytesDown == 0,
            case .http = TunnelOpening.method(
                bytes,
                orHTTP2: worker.settings.http2.isOn
            ), let leg = client.link.leg,
            case .http1(let server)? = server.take()
        else { return false }
        perform(machine.intercepted())
        self.tunnel = nil
        if HTTP2Preface.begins(bytes) == true {
            server.abandon()
        } else {
            worker.servers.give(server)
        }
        leg.tunnelOpened(to: server.route.origin, with: bytes)
        return true
    }

    /// Forwards bytes from the client.
    func sent(tunnel bytes: Span<UInt8>) {
        guard case .pass = machine.requestBody(bytes.count), let tunnel else { return }
        clock.lastActive = worker.loop.now
        tunnel.bytesUp &+= bytes.count
        if let webSocket = tunnel.webSocket { return pass(bytes, .up, through: webSocket) }
        write(bytes, .up)
    }

    /// Forwards bytes from the server.
    func received(tunnel bytes: Span<UInt8>) {
        clock.responseCame(worker.loop.now)
        switch machine.responseBody(bytes.count) {
        // The server may send while the hooks run; its bytes are held.
        case .hold: hold(bytes)
        case .pass:
            if let webSocket = tunnel?.webSocket {
                pass(bytes, .down, through: webSocket)
            } else {
                write(bytes, .down)
            }
            if !client.link.isWritable { server?.pauseReading() }
        case let action: perform(action)
        }
    }

    /// The timestamp for messages of a WebSocket.
    var sinceBegun: Microseconds { Microseconds(worker.loop.now &- clock.begun) }

    /// Notes that the client sends no more; the server still may.
    func tunnelEndedByClient() {
        let action = machine.clientEnded()
        guard case .shutdown(.server) = action else { return perform(action, because: .clientGone) }
        server?.shutdownOutput()
        player?.clientEnded()
    }

    /// Notes that the server sends no more; the client still may.
    func tunnelEndedByServer() {
        let cause: ExchangeFailure = machine.isTunnel ? .brokenOff : .closedEarly
        let action = machine.serverEnded()
        guard case .shutdown(.client) = action else { return perform(action, because: cause) }
        client.link.shutdownOutput()
    }

    /// Ends the tunnel, since one of the connections has closed or both directions have ended.
    ///
    /// - Parameters:
    ///   - cause: The last event.
    ///   - first: The side that had ended its direction before.
    func endTunnel(_ cause: ExchangeFailure, _ first: HTTPExchangeAction.Side?) {
        let cause = worker.loop.isStopped ? .stopped : cause
        if let webSocket = tunnel?.webSocket {
            return closeTunnel(webSocket.isOpen ? first?.failure ?? cause : nil)
        }
        // Only a WebSocket announces its end. Other tunnels count as complete unless this proxy
        // cuts them off.
        let isCut = [ExchangeFailure.stopped, .idleTunnel].contains { $0.code == cause.code }
        closeTunnel(isCut ? cause : nil)
    }

    /// Closes both connections, once they have taken all output.
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
    /// The failure if this side has ended its direction of a tunnel.
    fileprivate var failure: ExchangeFailure { self == .client ? .clientGone : .brokenOff }
}
