// SPDX-License-Identifier: MIT

/// The progress that a call of a TLS session made.
///
/// The set is closed: nothing else can happen to a session without a socket (SSL_get_error(3)).
package enum TLSProgress: Sendable, Equatable {
    /// The session needs more ciphertext first.
    case incomplete
    /// The call is done, or has delivered a number of bytes; there may be more.
    case done(Int)
    /// The peer has ended its direction with a closing alert; no more data will arrive.
    case closed
}

/// Bytes of TLS records on the wire, including their headers.
package struct TLSByteCounts: Sendable, Equatable {
    /// Received in handshake records: messages, tickets, alerts.
    package var handshakeReceived = 0
    /// Sent in handshake records.
    package var handshakeSent = 0
    /// Received in records with application data, including the overhead of their protection.
    package var applicationReceived = 0
    /// Sent in records with application data.
    package var applicationSent = 0

    /// Makes counts of zero.
    package init() {}
}
