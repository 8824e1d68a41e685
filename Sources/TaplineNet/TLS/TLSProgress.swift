// SPDX-License-Identifier: MIT

/// How far a call of a TLS session came.
///
/// The set is closed: more cannot happen to a session that has no socket (SSL_get_error(3)).
@frozen
public enum TLSProgress: Sendable, Equatable {
    /// It needs more ciphertext first.
    case incomplete
    /// It is done, or has delivered a number of bytes; there may be more.
    case done(Int)
    /// The peer has ended its direction with a closing alert; nothing comes any more.
    case closed
}

/// Bytes of TLS records on the wire, their headers included.
@frozen
public struct TLSByteCounts: Sendable, Equatable {
    /// Received for the handshake: its messages, tickets, alerts.
    public var handshakeReceived = 0
    /// Sent for the handshake.
    public var handshakeSent = 0
    /// Received in records with application data, what protects them included.
    public var applicationReceived = 0
    /// Sent in records with application data.
    public var applicationSent = 0

    /// No bytes yet.
    @inlinable
    public init() {}
}
