// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineModel
internal import TaplineNet

extension ClientConnection {
    /// Puts TLS beneath the connection, under a certificate for the host that the client wants;
    /// says whether that was possible.
    func startTLS(
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
            tunnelOpened(to: server, info, isResumed: session.isResumed)
        }
        socket.install(layer)
        layer.start(on: socket, with: bytes)
    }

    /// Why the client has ended a connection on which TLS was agreed and no request came; nothing
    /// where that is a client's right.
    ///
    /// Some clients look at the certificate only when the handshake is over (Node, GnuTLS); they
    /// say so with an alert, or just go. Others open connections that they then have no use for,
    /// which they keep for a while; and whoever takes up a session has trusted us before.
    func distrust(_ error: NetError?, openFor time: Int64, isResumed: Bool) -> NetError? {
        if let error, error.code == NetError.Code(.clientUntrusted) { return error }
        guard !isResumed, time < worker.settings.timeouts.distrust.count else { return nil }
        return NetError(
            NetError.Code(.clientUntrusted),
            "the client closed the connection behind the TLS handshake, without a request; it seems "
                + "not to take the certificate"
        )
    }
}
