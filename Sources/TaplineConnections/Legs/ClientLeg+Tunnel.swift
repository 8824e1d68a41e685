// SPDX-License-Identifier: MIT

package import TaplineModel
internal import TaplineNet

/// A tunnel in which requests are read.
package final class ReadTunnel {
    /// The server that the client has asked for.
    package let server: Origin
    /// That server as a Host field names it.
    package let authority: ByteString
    /// What was agreed with the client in TLS; `nil` if TLS is not spoken.
    package let tls: TLSInfo?
    /// Whether its TLS session is a former one.
    let isResumed: Bool
    /// When it was open, by the loop's clock.
    let opened: Int64

    init(to server: Origin, _ tls: TLSInfo?, isResumed: Bool = false, opened: Int64) {
        self.server = server
        authority = server.authority
        self.tls = tls
        self.isResumed = isResumed
        self.opened = opened
    }
}

/// Tunnels that are looked into: the client is answered before there is a server, and what it says
/// first decides what becomes of the tunnel.
extension ClientLeg {
    /// What has become of a tunnel that is looked into.
    enum TunnelState {
        /// Its client has not said enough.
        case opening(Origin)
        /// Its client said nothing, so that the server is listened to.
        case serverAsked(Origin)
        /// Requests are read in it.
        case read(ReadTunnel)

        /// The server of a tunnel that is not read yet.
        var server: Origin? {
            switch self {
            case .opening(let server), .serverAsked(let server): server
            case .read: nil
            }
        }
    }

    /// The tunnel whose requests are read; `nil` if there is none.
    package var tunnel: ReadTunnel? {
        if case .read(let tunnel) = tunnelState { tunnel } else { nil }
    }

    /// Looks at what the client says first in a tunnel to a server that is not connected to yet.
    package func beginOpening(_ server: Origin) {
        tunnelState = .opening(server)
        phase = .opening
        timer?.arm(after: settings.timeouts.silence)
        readInput()
    }

    /// Reads requests in the tunnel from here on, which are for a server.
    package func tunnelOpened(to server: Origin) {
        readRequests(in: ReadTunnel(to: server, nil, opened: socket.loop.now))
    }

    /// Whether the client of a tunnel that is looked into has not said anything.
    package var isSilent: Bool { phase == .opening && input.isEmpty }

    /// The server spoke before the client did.
    package func serverSpoke() {
        if isSilent { passThrough() }
    }

    /// The client has said nothing for a while.
    func silenceLasts() {
        guard case .opening(let server) = tunnelState else { return passThrough() }
        tunnelState = .serverAsked(server)
        timer?.arm(after: settings.timeouts.opening)
        owner?.received(.silence(server))
    }

    /// Reads what a client says first in a tunnel; `nil` if more has to come.
    func readOpening(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        guard let interception = settings.interception, let server = tunnelState?.server else {
            return nil
        }
        switch TunnelOpening(bytes, to: server.host, interception) {
        case .incomplete:
            if headBegun == nil { headBegins() }
            return nil
        case .other(let passed):
            passThrough(passed)
            return 0
        case .http:
            owner.received(.tunnelRead)
            tunnelOpened(to: server)
            return 0
        case .tls(let hello):
            owner.received(.tunnelRead)
            phase = .handshake
            timer?.arm(after: settings.timeouts.head)
            do throws(TLSError) {
                try startTLS(hello, server, interception, with: bytes)
            } catch {
                owner.received(.handshakeFailed(NetError(error)))
            }
            return bytes.count
        }
    }

    /// What the client says is not read here.
    private func passThrough(_ passed: TunnelOpening.Passed = TunnelOpening.Passed()) {
        guard let server = tunnelState?.server else { return }
        headBegun = nil
        tunnelState = nil
        phase = .answering
        owner?.received(.tunnelPasses(server, passed))
    }

    /// Puts TLS beneath the connection, under a certificate for the host that the client wants.
    private func startTLS(
        _ hello: ClientHello,
        _ origin: Origin,
        _ interception: Interception,
        with bytes: Span<UInt8>
    ) throws(TLSError) {
        let session = try interception.makeSession(hello, origin)
        let server = Origin(
            isSecure: true,
            host: origin.host,
            port: origin.port,
            serverName: hello.name(otherThan: origin.host)
        )
        // Unowned, since the socket has the layer, and this as its delegate, until it closes.
        let layer = TLSLayer(session) { [unowned self] info in
            let now = socket.loop.now
            readRequests(
                in: ReadTunnel(to: server, info, isResumed: session.isResumed, opened: now)
            )
        }
        socket.install(layer)
        layer.start(on: socket, with: bytes)
    }

    /// The client has ended its connection between two requests, with this error if there was one.
    func leaveTunnel(_ error: NetError?) {
        guard let tunnel, requestCount == 0 else { return }
        let saysNothing = tunnel.tls != nil && headBegun == nil && input.isEmpty
        owner?.received(.tunnelUnused(saysNothing ? distrust(error, tunnel) : nil))
    }

    /// Why the client has ended a connection on which TLS was agreed and no request came; `nil` if
    /// that is a client's right.
    ///
    /// Some clients look at the certificate only when the handshake is over (Node, GnuTLS); they
    /// send an alert, or just go. Others open connections that they then have no use for, which they
    /// keep for a while; and a client that takes up a session has trusted us before.
    private func distrust(_ error: NetError?, _ tunnel: ReadTunnel) -> NetError? {
        if let error, error.code == NetError.Code(.clientUntrusted) { return error }
        let time = socket.loop.now - tunnel.opened
        guard !tunnel.isResumed, time < settings.timeouts.distrust.count else { return nil }
        return NetError(
            NetError.Code(.clientUntrusted),
            "the client closed the connection after the TLS handshake, without a request; it seems "
                + "not to take the certificate"
        )
    }
}
