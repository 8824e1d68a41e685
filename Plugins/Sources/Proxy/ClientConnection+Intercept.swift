// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// What a client says first in a tunnel that is looked into.
enum TunnelOpening {
    /// More has to come.
    case incomplete
    /// TLS that can be read here.
    case tls(ClientHello)
    /// A request of HTTP.
    case http
    /// Anything else, which passes.
    case other(Passed)

    /// What is known of a tunnel that passes unread.
    struct Passed {
        /// Why it is not read, if that may surprise.
        var hint: String?
        /// Whether the client names another host in TLS than in CONNECT.
        var namesOtherHost = false
    }

    /// Looks at the first bytes, which stay as they are.
    init(_ bytes: Span<UInt8>, to host: ByteString, _ interception: Interception) {
        switch ClientHello.peek(bytes) {
        case .incomplete: self = .incomplete
        case .malformed: self = .other(Passed())
        case .notTLS: self = interception.covers(host) ? Self.method(bytes) : .other(Passed())
        case .hello(let hello):
            var passed = Passed(namesOtherHost: hello.name(otherThan: host) != nil)
            let isCovered = interception.covers(host, naming: hello.hostName)
            if isCovered, hello.takesHTTP1 {
                self = .tls(hello)
                return
            }
            if isCovered { passed.hint = hello.offersHTTP2 ? "http2_only" : "other_protocol" }
            self = .other(passed)
        }
    }

    /// Whether a method of RFC 9110 §9 or RFC 5789 stands at the beginning; CONNECT is for another
    /// proxy.
    static func method(_ bytes: Span<UInt8>) -> TunnelOpening {
        var mayFollow = false
        for method in ["GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "TRACE ", "PATCH "]
        {
            let count = min(bytes.count, method.utf8.count)
            guard bytes.extracting(0..<count).equals(method.utf8.span.extracting(0..<count))
            else { continue }
            if count == method.utf8.count { return .http }
            mayFollow = true
        }
        return mayFollow ? .incomplete : .other(Passed())
    }
}

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
