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
    /// Anything else, with a hint where one helps.
    case other(hint: String?)

    /// Looks at the first bytes, which stay as they are.
    init(_ bytes: Span<UInt8>, _ interception: Interception) {
        switch ClientHello.peek(bytes) {
        case .incomplete: self = .incomplete
        case .malformed: self = .other(hint: nil)
        case .notTLS: self = Self.method(bytes)
        case .hello(let hello):
            if hello.offersOnlyHTTP2 {
                self = .other(hint: "http2_only")
            } else if let name = hello.serverName, interception.passes(name.utf8.span) {
                self = .other(hint: nil)
            } else {
                self = .tls(hello)
            }
        }
    }

    /// Whether a method of RFC 9110 §9 or RFC 5789 stands at the beginning.
    static func method(_ bytes: Span<UInt8>) -> TunnelOpening {
        var mayFollow = false
        for method in ["GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH "] {
            let count = min(bytes.count, method.utf8.count)
            guard bytes.extracting(0..<count).equals(method.utf8.span.extracting(0..<count))
            else { continue }
            if count == method.utf8.count { return .http }
            mayFollow = true
        }
        return mayFollow ? .incomplete : .other(hint: nil)
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
        let name = hello.hostName.map { ByteString($0.text) }
        let server = Origin(
            isSecure: true,
            host: origin.host,
            port: origin.port,
            serverName: name == origin.host ? nil : name
        )
        // Unowned, since the socket has the layer, and this as its delegate, until it closes.
        let layer = TLSLayer(session) { [unowned self] in tunnelOpened(to: server, $0) }
        socket.install(layer)
        layer.start(on: socket, with: bytes)
    }
}
