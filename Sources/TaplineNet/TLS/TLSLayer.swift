// SPDX-License-Identifier: MIT

public import TaplineModel

/// TLS between a connection's socket and its delegate, who reads and writes plaintext.
///
/// Install it, then call `start`. What is written before the handshake is over is sent after it;
/// what is still held so when the output ends is lost. A handshake or session that fails closes the
/// connection after its alert, and `connectionClosed` says why.
///
/// What is written in one batch of events goes out in as few records as will hold it.
///
/// **Isolation**: the connection's thread.
public final class TLSLayer: ConnectionLayer {
    /// How much plaintext a record takes (RFC 8446 §5.1).
    static let recordBytes = 16_384

    private let session: TLSSession
    private var isEstablished = false
    /// Plaintext that waits for the end of the batch, or of the handshake.
    private var pending: [UInt8] = []
    private var established: ((TLSInfo) -> Void)?

    /// A layer over a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - established: Told once what was agreed, when the handshake is over.
    public init(_ session: TLSSession, _ established: @escaping (TLSInfo) -> Void) {
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

    // MARK: From the socket

    /// Bytes came from the socket.
    public func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {
        var position = 0
        var replies = connection.loop.spares.take()
        do throws(TLSError) {
            if !isEstablished {
                try shakeHands(bytes, &position, on: connection, &replies)
            }
            if isEstablished { try read(bytes, &position, on: connection, &replies) }
        } catch {
            // An alert says to the peer what is wrong.
            connection.send(replies.span)
            fail(error, connection)
        }
        connection.loop.spares.giveBack(consume replies)
    }

    /// Goes on with the handshake.
    private func shakeHands(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        on connection: TCPConnection,
        _ replies: inout [UInt8]
    ) throws(TLSError) {
        let progress = try session.handshake(bytes, from: &position, replies: &replies)
        connection.send(replies.span)
        replies.removeAll(keepingCapacity: true)
        switch progress {
        case .incomplete: return
        case .closed: try session.end()
        case .done:
            isEstablished = true
            seal(for: connection)
            established.take()?(session.info)
        }
    }

    private func read(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        on connection: TCPConnection,
        _ replies: inout [UInt8]
    ) throws(TLSError) {
        // Whoever is given plaintext may start another layer of the loop, so this is no property.
        var plaintext = connection.loop.spares.takePlaintext(Self.recordBytes)
        defer { connection.loop.spares.giveBack(plaintext: plaintext) }
        while !connection.isClosing {
            var space = plaintext.mutableSpan
            let progress = try session.read(bytes, from: &position, into: &space, replies: &replies)
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

    // MARK: To the socket

    /// The delegate's side writes.
    public func write(_ bytes: Span<UInt8>, to connection: TCPConnection) {
        if isEstablished, pending.count + bytes.count >= Self.recordBytes {
            seal(for: connection)
            // A record that is full anyway needs no copy.
            if bytes.count >= Self.recordBytes { return encrypt(bytes, for: connection) }
        }
        if pending.isEmpty { pending = connection.loop.spares.take() }
        pending.append(copying: bytes)
    }

    /// The batch of events is over.
    public func flush(to connection: TCPConnection) {
        if isEstablished { seal(for: connection) }
    }

    /// The delegate's side ends its direction.
    public func outputEnds(on connection: TCPConnection) {
        flush(to: connection)
        var ciphertext = connection.loop.spares.take()
        session.close(into: &ciphertext)
        connection.send(ciphertext.span)
        connection.loop.spares.giveBack(consume ciphertext)
    }

    /// Sends what waits.
    private func seal(for connection: TCPConnection) {
        guard !pending.isEmpty else { return }
        let plaintext = pending
        pending = []
        encrypt(plaintext.span, for: connection)
        connection.loop.spares.giveBack(consume plaintext)
    }

    private func encrypt(_ plaintext: Span<UInt8>, for connection: TCPConnection) {
        var ciphertext = connection.loop.spares.take()
        do throws(TLSError) {
            try session.write(plaintext, into: &ciphertext)
            connection.send(ciphertext.span)
        } catch {
            fail(error, connection)
        }
        connection.loop.spares.giveBack(consume ciphertext)
    }

    private func fail(_ error: TLSError, _ connection: TCPConnection) {
        connection.fail(NetError(error))
    }
}

extension NetError {
    /// The same failure as a connection tells it.
    public init(_ error: TLSError) {
        self.init(Code(error.code), error.message)
    }
}

extension NetError.Code {
    /// The kind of a failure of TLS; its name is the same.
    public init(_ code: TLSError.Code) { self.init(name: code.rawValue) }
}
