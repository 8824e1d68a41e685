// SPDX-License-Identifier: MIT

public import TaplineModel

/// The facts that may be shown of an exchange before its record is sealed.
///
/// No stage has redacted anything yet, and a client may have put a secret into any part. So there
/// is no path, query, field or body, and method, scheme and host are empty unless they are
/// harmless.
public struct ActiveExchange: Sendable, Equatable {
    /// The id that the record will have.
    public let id: ExchangeID
    /// The id of the component that captures it.
    public let source: String
    /// When the exchange began.
    public let started: Timestamp
    /// The method; empty unless it is registered.
    public let method: ByteString
    /// The scheme; empty unless it is an HTTP or WebSocket scheme.
    public let scheme: ByteString
    /// The host, without user-info; empty unless it is harmless.
    ///
    /// A harmless host is an IP address, or a plain name without a label that looks like a token,
    /// in which detectors find nothing.
    public let host: ByteString
    /// The port; `nil` if it is unknown or the host is withheld.
    public let port: Int?

    /// Takes the harmless parts of an exchange, for a chain without detectors.
    public init(_ exchange: borrowing Exchange) {
        self.init(exchange) { _ in true }
    }

    /// Takes the harmless parts of an exchange.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - isHarmless: Returns whether the detectors of the chain find nothing in a host; called
    ///     only for hosts of a harmless form.
    package init(
        _ exchange: borrowing Exchange,
        isHarmless: (ByteString) throws -> Bool
    ) rethrows {
        id = exchange.id
        source = exchange.source
        started = exchange.started
        let method = exchange.request.method
        self.method = HarmlessForm.isMethod(method.span) ? method : ByteString()
        let scheme = exchange.request.scheme
        self.scheme = HarmlessForm.isScheme(scheme.span) ? scheme : ByteString()
        let (host, port) = exchange.request.hostAndPort
        if try HarmlessForm.isHost(host.span) && isHarmless(host) {
            self.host = host
            self.port = port
        } else {
            self.host = ByteString()
            self.port = nil
        }
    }
}
