// SPDX-License-Identifier: MIT

/// Handles the events of a connection.
///
/// The connection holds its delegate until it has closed. `connectionClosed` is the last call, and
/// is never made from within a call to the connection.
///
/// **Isolation**: all methods on the loop's thread.
package protocol ConnectionDelegate: AnyObject {
    /// Handles bytes from the peer.
    ///
    /// **Shape**: not empty; valid until the call returns.
    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>)

    /// Handles that the peer has shut down its direction; the peer may still read.
    func connectionEndedInput(_ connection: TCPConnection)

    /// Handles that the output has fallen below the low mark, after it was above the high mark.
    func connectionDrained(_ connection: TCPConnection)

    /// Handles the end of the connection; called exactly once.
    ///
    /// - Parameters:
    ///   - connection: The connection; its addresses and counters can still be read.
    ///   - error: The reason; `nil` if the connection was closed here or ended normally.
    func connectionClosed(_ connection: TCPConnection, error: NetError?)
}

/// A layer between a connection's socket and its delegate, such as TLS.
///
/// The delegate's bytes pass through `write`, the socket's through `received`. The layer passes its
/// results on with `TCPConnection.send` and `TCPConnection.deliver`.
package protocol ConnectionLayer: AnyObject {
    /// Handles bytes from the socket, which are valid until the call returns.
    func received(_ bytes: Span<UInt8>, on connection: TCPConnection)
    /// Handles that the peer has shut down the socket's direction.
    func inputEnded(on connection: TCPConnection)
    /// Handles output of the delegate; `flush` follows.
    func write(_ bytes: Span<UInt8>, to connection: TCPConnection)
    /// Sends the gathered output at the end of a batch of events.
    func flush(to connection: TCPConnection)
    /// Handles that the delegate ends its direction; the socket's is shut down right after.
    func outputEnds(on connection: TCPConnection)
}

/// The options of a connection.
package struct TCPOptions: Sendable, Hashable {
    /// Whether small packets are sent at once (TCP_NODELAY).
    package var noDelay = true
    /// After how many idle seconds the kernel probes the peer; `nil` for never.
    package var keepAliveSeconds: UInt32?
    /// The number of waiting bytes from which on `isWritable` is false.
    package var highWater = 65_536
    /// The number of waiting bytes at which the delegate is notified that it may write again.
    package var lowWater = 16_384
    /// How long `close` waits for the peer to accept more of the output, in seconds.
    package var flushSeconds = 30
    /// How long `close` then waits for the peer to close, in seconds; 0 closes at once.
    package var lingerSeconds = 2

    /// The defaults.
    package init() {}
}
