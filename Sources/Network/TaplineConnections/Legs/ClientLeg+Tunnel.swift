// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineNet
internal import TaplineTLS

/// A tunnel whose requests are read.
package final class ReadTunnel {
    /// The server that the client has requested.
    package let server: Origin
    /// That server in the form of a Host field.
    package let authority: ByteString
    /// The TLS parameters negotiated with the client; `nil` without TLS.
    package let tls: TLSInfo?
    /// Whether the client was redirected, and has named an address and not a host.
    package let isRedirected: Bool
    /// Whether its TLS session was resumed.
    let isResumed: Bool
    /// When it was opened, on the loop's clock.
    let opened: Int64

    init(
        to server: Origin,
        _ tls: TLSInfo?,
        isRedirected: Bool,
        isResumed: Bool = false,
        opened: Int64
    ) {
        self.server = server
        self.isRedirected = isRedirected
        authority = server.authority
        self.tls = tls
        self.isResumed = isResumed
        self.opened = opened
    }
}

/// Inspection of tunnels: the client gets its response before there is a server, and its first
/// bytes decide what happens to the tunnel.
extension ClientLeg {
    /// The state of a tunnel that is inspected.
    enum TunnelState {
        /// The client has not sent enough.
        case opening(Origin)
        /// The client is silent, so the leg listens to the server.
        case serverAsked(Origin)
        /// The TLS of the server is opened before that of the client, which has named a host.
        case connecting(Origin, serverName: String?)
        /// That is done.
        case connected(Origin)
        /// TLS is being negotiated with a client that has named a host.
        case negotiating(TLSSession, serverName: String?)
        /// Its requests are read.
        case read(ReadTunnel)

        /// The server of a tunnel that is not read yet.
        var server: Origin? {
            switch self {
            case .opening(let server), .serverAsked(let server), .connecting(let server, _),
                .connected(let server):
                server
            case .negotiating, .read: nil
            }
        }
    }

    /// The tunnel whose requests are read; `nil` if there is none.
    package var tunnel: ReadTunnel? {
        if case .read(let tunnel) = tunnelState { tunnel } else { nil }
    }

    /// The TLS of the client of an inspected tunnel: the name and the sizes while it is negotiated
    /// and after it has failed, then everything; `nil` without TLS.
    package var clientTLS: TLSInfo? {
        switch tunnelState {
        case .read(let tunnel): return tunnel.tls
        case .negotiating(let session, let name):
            let counts = session.byteCounts
            return TLSInfo(
                sni: name ?? "",
                handshake: TLSInfo.Handshake(
                    up: counts.handshakeReceived,
                    down: counts.handshakeSent
                )
            )
        case .opening, .serverAsked, .connecting, .connected, nil: return nil
        }
    }

    /// Inspects the first bytes of the client in a tunnel whose server is not connected yet.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - isRedirected: Whether the client does not know of the proxy.
    package func beginOpening(_ server: Origin, isRedirected: Bool = false) {
        self.isRedirected = isRedirected
        tunnelState = .opening(server)
        phase = .opening
        timer?.arm(after: settings.timeouts.silence)
        readInput()
    }

    /// Reads requests in the tunnel to a server from now on.
    ///
    /// A client that begins with the preface of HTTP/2 knows that the server speaks it.
    package func tunnelOpened(to server: Origin, with bytes: Span<UInt8>) {
        let usesHTTP2 = HTTP2Preface.begins(bytes) == true
        let server = usesHTTP2 ? server.withPriorKnowledge : server
        let now = socket.loop.now
        readRequests(in: ReadTunnel(to: server, nil, isRedirected: isRedirected, opened: now))
    }

    /// Whether the client of an inspected tunnel has not sent anything.
    package var isSilent: Bool { phase == .opening && input.isEmpty }

    /// Handles that the server spoke before the client did.
    package func serverSpoke() {
        if isSilent { passThrough() }
    }

    /// Handles that the client has been silent for a while.
    func silenceLasts() {
        guard case .opening(let server) = tunnelState else { return passThrough() }
        tunnelState = .serverAsked(server)
        timer?.arm(after: settings.timeouts.opening)
        owner?.received(.silence(server))
    }

    /// Reads the first bytes of a client in a tunnel; `nil` if more bytes are needed.
    func readOpening(_ bytes: Span<UInt8>, _ owner: any ClientLegOwner) -> Int? {
        guard let server = tunnelState?.server, let opening = opening(bytes, server) else {
            return nil
        }
        switch opening {
        case .incomplete:
            if headBegun == nil { headBegins() }
            return nil
        case .other(let passed):
            passThrough(passed)
            return 0
        case .http:
            owner.received(.tunnelRead(server, serverName: nil))
            tunnelOpened(to: server, with: bytes)
            return 0
        case .tls(let hello):
            guard let interception = settings.interception else { return nil }
            if needsServer(hello, server, owner) { return 0 }
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

    /// Notifies the owner that the client speaks TLS, unless that has happened.
    ///
    /// - Returns: Whether the bytes wait, since the TLS of a redirected client's server is opened
    ///   first: until the client is answered, its connection can still pass unread.
    private func needsServer(
        _ hello: ClientHello,
        _ server: Origin,
        _ owner: any ClientLegOwner
    ) -> Bool {
        if case .connected = tunnelState { return false }
        let name = hello.hostName?.text
        owner.received(.tunnelRead(server, serverName: name))
        guard isRedirected, settings.distrust != nil else { return false }
        phase = .connecting
        tunnelState = .connecting(server, serverName: name)
        owner.received(.serverNeeded(server.secured(for: hello)))
        return true
    }

    /// Whether the TLS of the client's server is being opened.
    package var awaitsServer: Bool { phase == .connecting }

    /// Answers the client's TLS, since that of the server is open, or since requests will report
    /// why not.
    package func serverOpened() {
        guard awaitsServer, let server = tunnelState?.server else { return }
        phase = .opening
        tunnelState = .connected(server)
        readInput()
    }

    /// Passes the tunnel to the server unread, since only the client itself can use its TLS.
    ///
    /// - Parameter hint: Why.
    package func serverRefused(_ hint: String) {
        guard awaitsServer, case .connecting(_, let name) = tunnelState else { return }
        var passed = TunnelOpening.Passthrough()
        passed.hint = hint
        passed.serverName = name
        passThrough(passed)
    }

    private func opening(_ bytes: Span<UInt8>, _ server: Origin) -> TunnelOpening? {
        if isRedirected {
            return TunnelOpening(
                redirected: bytes,
                to: server.host,
                settings.interception,
                usesHTTP2: settings.http2.covers(nameOf: server),
                isDistrusted: { hello in
                    let key = RejectedCertificateCache.Key(hello, to: server.host, from: machine)
                    return settings.distrust?.passes(key, at: socket.loop.now) == true
                }
            )
        }
        return settings.interception.map { TunnelOpening(bytes, to: server.host, $0) }
    }

    /// Remembers that the client has rejected the certificate, so that it passes the next time.
    func noteDistrust(_ sign: ClientTrustState.Sign) {
        guard let key = distrustKey.take() else { return }
        settings.distrust?.note(key, sign, at: socket.loop.now)
    }

    /// Remembers that the client trusts the certificate, since it has sent a request.
    func noteTrust() {
        if let key = distrustKey.take() { settings.distrust?.noteTrust(key) }
    }

    /// Passes the tunnel to the server unread.
    private func passThrough(_ passed: TunnelOpening.Passthrough = TunnelOpening.Passthrough()) {
        guard let server = tunnelState?.server else { return }
        headBegun = nil
        tunnelState = nil
        phase = .answering
        owner?.received(.tunnelPasses(server, passed))
    }

    /// Starts TLS on the connection, with a certificate for the requested host.
    private func startTLS(
        _ hello: ClientHello,
        _ origin: Origin,
        _ interception: Interception,
        with bytes: Span<UInt8>
    ) throws(TLSError) {
        let session = try interception.makeSession(hello, origin)
        if isRedirected {
            distrustKey = RejectedCertificateCache.Key(hello, to: origin.host, from: machine)
        }
        let server = origin.secured(for: hello)
        tunnelState = .negotiating(session, serverName: hello.hostName?.text)
        // Unowned, since the socket holds the layer, and this leg as its delegate, until it closes.
        let layer = TLSLayer(session) { [unowned self] info in
            let now = socket.loop.now
            readRequests(
                in: ReadTunnel(
                    to: server,
                    info,
                    isRedirected: isRedirected,
                    isResumed: session.isResumed,
                    opened: now
                )
            )
        }
        socket.install(layer)
        layer.start(on: socket, with: bytes)
    }

    /// Handles that the client has closed its connection before TLS was negotiated.
    func leaveHandshake(_ error: NetError?) {
        if error?.code == NetError.Code(.clientUntrusted) { noteDistrust(.alert) }
    }

    /// Handles that the client has closed its connection between two requests, with an error if
    /// there was one.
    func leaveTunnel(_ error: NetError?) {
        guard let tunnel, requestCount == 0 else { return }
        let isUnused = tunnel.tls != nil && headBegun == nil && input.isEmpty
        owner?.received(.tunnelUnused(isUnused ? distrust(error, tunnel) : nil))
    }

    /// Returns why the client closed its connection of HTTP/2, with an error if there was one; `nil`
    /// if that is normal, as after a request.
    package func distrust(_ error: NetError?) -> NetError? {
        guard let tunnel, tunnel.tls != nil, requestCount == 0 else { return nil }
        return distrust(error, tunnel)
    }

    /// Returns why the client closed a connection after TLS was negotiated and before any request;
    /// `nil` if that is normal.
    ///
    /// Some clients check the certificate only after the handshake (Node, GnuTLS). They send an
    /// alert, or just disconnect. Other clients open connections that they do not need, and keep
    /// them for a while. A client that resumes a session has trusted the authority before.
    private func distrust(_ error: NetError?, _ tunnel: ReadTunnel) -> NetError? {
        if let error, error.code == NetError.Code(.clientUntrusted) {
            noteDistrust(.alert)
            return error
        }
        let time = socket.loop.now - tunnel.opened
        guard !tunnel.isResumed, time < settings.timeouts.distrust.count else { return nil }
        noteDistrust(.silence)
        return NetError(
            NetError.Code(.clientUntrusted),
            "the client closed the connection after the TLS handshake, without a request; it seems "
                + "to reject the certificate"
        )
    }
}

extension Origin {
    /// Returns the same server with TLS, and with the name that a client asks for.
    fileprivate func secured(for hello: ClientHello) -> Origin {
        Origin(
            isSecure: true,
            host: host,
            port: port,
            serverName: hello.name(otherThan: host),
            group: group
        )
    }
}
