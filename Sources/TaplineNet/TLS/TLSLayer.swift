// SPDX-License-Identifier: MIT

public import TaplineModel

/// TLS between a connection's socket and its delegate, who reads and writes plaintext.
///
/// Install it, then call `start`. What is written before the handshake is over is sent behind it.
///
/// **Isolation**: the connection's thread.
public final class TLSLayer: ConnectionLayer {
    /// How much plaintext is given at a time: that of one record.
    private static let recordBytes = 16_384

    private let session: TLSSession
    private var isEstablished = false
    /// Plaintext that was written too early.
    private var early: [UInt8] = []
    private var established: ((TLSError?) -> Void)?

    /// A layer over a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - established: Told once, when the handshake is over or has failed; where it has failed,
    ///     the connection closes behind the call.
    public init(_ session: TLSSession, _ established: @escaping (TLSError?) -> Void) {
        self.session = session
        self.established = established
    }

    /// What was agreed.
    public var info: TLSInfo { session.info }

    /// The bytes on the wire so far, those of the handshake apart.
    public var byteCounts: TLSByteCounts { session.byteCounts }

    /// Whether a former session was taken up.
    public var isResumed: Bool { session.isResumed }

    /// Begins the handshake, with bytes of the peer that were read from the socket already.
    public func start(on connection: TCPConnection, with bytes: Span<UInt8> = Span()) {
        received(bytes, on: connection)
    }

    /// Bytes came from the socket.
    public func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {
        var position = 0
        var replies: [UInt8] = []
        do throws(TLSError) {
            if !isEstablished {
                let progress = try session.handshake(bytes, from: &position, replies: &replies)
                guard case .done = progress else {
                    connection.send(replies.span)
                    if case .closed = progress { connection.deliverEnd() }
                    return
                }
                try becomeEstablished(on: connection, &replies)
            }
            try read(bytes, from: &position, on: connection, &replies)
        } catch {
            // An alert says to the peer what is wrong.
            connection.send(replies.span)
            fail(error, connection)
        }
    }

    private func becomeEstablished(
        on connection: TCPConnection,
        _ replies: inout [UInt8]
    ) throws(TLSError) {
        isEstablished = true
        let plaintext = early
        early = []
        try session.write(plaintext.span, into: &replies)
        connection.send(replies.span)
        replies.removeAll()
        established.take()?(nil)
    }

    private func read(
        _ bytes: Span<UInt8>,
        from position: inout Int,
        on connection: TCPConnection,
        _ replies: inout [UInt8]
    ) throws(TLSError) {
        var plaintext = [UInt8](repeating: 0, count: Self.recordBytes)
        while !connection.isClosing {
            var space = plaintext.mutableSpan
            let progress = try session.read(
                bytes,
                from: &position,
                into: &space,
                replies: &replies
            )
            if !replies.isEmpty {
                connection.send(replies.span)
                replies.removeAll(keepingCapacity: true)
            }
            switch progress {
            case .done(let count): connection.deliver(plaintext.span.extracting(0..<count))
            case .incomplete: return
            case .closed: return connection.deliverEnd()
            }
        }
    }

    /// The peer has shut the socket's direction down.
    public func inputEnded(on connection: TCPConnection) {
        do throws(TLSError) {
            try session.end()
            connection.deliverEnd()
        } catch {
            fail(error, connection)
        }
    }

    /// The delegate's side writes.
    public func write(_ bytes: Span<UInt8>, to connection: TCPConnection) {
        guard isEstablished else {
            early.append(copying: bytes)
            return
        }
        var ciphertext: [UInt8] = []
        do throws(TLSError) {
            try session.write(bytes, into: &ciphertext)
            connection.send(ciphertext.span)
        } catch {
            fail(error, connection)
        }
    }

    /// The delegate's side ends its direction.
    public func outputEnds(on connection: TCPConnection) {
        var ciphertext: [UInt8] = []
        session.close(into: &ciphertext)
        connection.send(ciphertext.span)
    }

    private func fail(_ error: TLSError, _ connection: TCPConnection) {
        established.take()?(error)
        connection.fail(NetError(NetError.Code(name: error.code.rawValue), error.message))
    }
}
