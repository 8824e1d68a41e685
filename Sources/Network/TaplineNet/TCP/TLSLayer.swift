// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineTLS

/// TLS between a connection's socket and its delegate, which reads and writes plaintext.
///
/// Install the layer, then call `start`. Data that is written before the handshake is over is sent
/// after it. If the output ends before that, the data is lost. If a handshake or session fails, the
/// connection closes after its alert, and `connectionClosed` gets the reason.
///
/// The data of one batch of events is sent in as few records as possible.
///
/// **Isolation**: the connection's thread.
package final class TLSLayer: ConnectionLayer {
    /// The maximum plaintext in a record (RFC 8446 §5.1).
    static let recordBytes = 16_384

    private let session: TLSSession
    private var isEstablished = false
    /// Plaintext that waits for the end of the batch, or of the handshake.
    private var pending: [UInt8] = []
    private var established: ((TLSInfo) -> Void)?

    /// Makes a layer for a session.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - established: Called once with the negotiated parameters, when the handshake is over.
    package init(_ session: TLSSession, _ established: @escaping (TLSInfo) -> Void) {
        self.session = session
        self.established = established
    }

    /// The negotiated parameters.
    package var info: TLSInfo { session.info }

    /// The bytes on the wire so far, counted separately for the handshake.
    package var byteCounts: TLSByteCounts { session.byteCounts }

    /// Whether an earlier session was resumed.
    package var isResumed: Bool { session.isResumed }

    /// Starts the handshake, with bytes of the peer that were already read from the socket.
    package func start(on connection: TCPConnection, with bytes: Span<UInt8> = Span()) {
        received(bytes, on: connection)
    }

    // MARK: From the socket

    /// Handles bytes from the socket.
    package func received(_ bytes: Span<UInt8>, on connection: TCPConnection) {
        var position = 0
        var replies = connection.loop.spares.take()
        do throws(TLSError) {
            if !isEstablished {
                try performHandshake(bytes, &position, on: connection, &replies)
            }
            if isEstablished { try read(bytes, &position, on: connection, &replies) }
        } catch {
            // An alert gives the peer the reason.
            connection.send(replies.span)
            fail(error, connection)
        }
        connection.loop.spares.giveBack(consume replies)
    }

    /// Continues the handshake.
    private func performHandshake(
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
        // The callee may start another layer of the loop, so this is not a property.
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

    /// Handles that the peer has shut down the socket's direction.
    package func inputEnded(on connection: TCPConnection) {
        do throws(TLSError) {
            try session.end()
            connection.deliverEnd()
        } catch {
            fail(error, connection)
        }
    }

    // MARK: To the socket

    /// Handles output of the delegate.
    package func write(_ bytes: Span<UInt8>, to connection: TCPConnection) {
        if isEstablished, pending.count + bytes.count >= Self.recordBytes {
            seal(for: connection)
            // A full record needs no copy.
            if bytes.count >= Self.recordBytes { return encrypt(bytes, for: connection) }
        }
        if pending.isEmpty { pending = connection.loop.spares.take() }
        pending.append(copying: bytes)
    }

    /// Sends the gathered output at the end of a batch of events.
    package func flush(to connection: TCPConnection) {
        if isEstablished { seal(for: connection) }
    }

    /// Handles that the delegate ends its direction.
    package func outputEnds(on connection: TCPConnection) {
        flush(to: connection)
        var ciphertext = connection.loop.spares.take()
        session.close(into: &ciphertext)
        connection.send(ciphertext.span)
        connection.loop.spares.giveBack(consume ciphertext)
    }

    /// Encrypts and sends the waiting output.
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
    /// Makes the error that a connection reports for a TLS failure.
    package init(_ error: TLSError) {
        self.init(Code(error.code), error.message)
    }
}

extension NetError.Code {
    /// Makes the kind for a TLS failure, with the same name.
    package init(_ code: TLSError.Code) { self.init(name: code.rawValue) }
}
