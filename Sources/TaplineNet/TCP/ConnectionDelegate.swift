// SPDX-License-Identifier: MIT

/// Who handles what happens on a connection.
///
/// The connection holds it until it has closed. After `connectionClosed` nothing is called any
/// more, and that is never called from within a call to the connection.
///
/// **Isolation**: all on the loop's thread.
public protocol ConnectionDelegate: AnyObject {
    /// Bytes came in.
    ///
    /// **Shape**: not empty; good until the call returns.
    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>)

    /// The peer sends nothing more (it has shut its direction down); it may still read.
    func connectionEndedInput(_ connection: TCPConnection)

    /// What was written has fallen below the low mark, after it had been above the high one.
    func connectionDrained(_ connection: TCPConnection)

    /// The connection is gone; called exactly once.
    ///
    /// - Parameters:
    ///   - connection: It; addresses and counters can still be read.
    ///   - error: What broke it off; nothing where it was closed here or ended in order.
    func connectionClosed(_ connection: TCPConnection, error: NetError?)
}

/// What stands between a connection's socket and its delegate, such as TLS.
///
/// The delegate's bytes go through `write`, the socket's through `received`; the layer passes what
/// it makes of them on with `TCPConnection.send` and `TCPConnection.deliver`.
public protocol ConnectionLayer: AnyObject {
    /// Bytes came from the socket; good until the call returns.
    func received(_ bytes: Span<UInt8>, on connection: TCPConnection)
    /// The peer has shut the socket's direction down.
    func inputEnded(on connection: TCPConnection)
    /// The delegate's side writes; `flush` follows.
    func write(_ bytes: Span<UInt8>, to connection: TCPConnection)
    /// The batch of events is over: what the layer has gathered has to go out.
    func flush(to connection: TCPConnection)
    /// The delegate's side ends its direction; the socket's is shut down right after.
    func outputEnds(on connection: TCPConnection)
}

/// What a connection is made with.
public struct TCPOptions: Sendable, Hashable {
    /// Whether small packets are sent at once (TCP_NODELAY).
    public var noDelay = true
    /// After how many idle seconds the kernel probes the peer; nothing probes never.
    public var keepAliveSeconds: UInt32?
    /// From how many waiting bytes on `isWritable` is false.
    public var highWater = 65_536
    /// Down to how many waiting bytes the delegate is told that it may go on.
    public var lowWater = 16_384
    /// How long `close` waits for the peer to take more of what was written, in seconds.
    public var flushSeconds = 30
    /// How long `close` then waits for the peer to end too, in seconds; 0 closes at once.
    public var lingerSeconds = 2

    /// The defaults.
    public init() {}
}
