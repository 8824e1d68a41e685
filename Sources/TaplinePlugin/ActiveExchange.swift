// SPDX-License-Identifier: MIT

public import TaplineModel

/// All that may be known of an exchange before its record is sealed: no path, query, field or body.
public struct ActiveExchange: Sendable, Equatable {
    /// The id that the record will have.
    public let id: ExchangeID
    /// The id of the component that captures it.
    public let source: String
    /// When it began.
    public let started: Timestamp
    /// The method.
    public let method: ByteString
    /// The scheme.
    public let scheme: ByteString
    /// The host, without user-info.
    public let host: ByteString
    /// The port.
    public let port: Int?

    /// What may be known of an exchange.
    public init(_ exchange: borrowing Exchange) {
        id = exchange.id
        source = exchange.source
        started = exchange.started
        method = exchange.request.method
        scheme = exchange.request.scheme
        (host, port) = exchange.request.hostAndPort
    }
}
