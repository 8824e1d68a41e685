// SPDX-License-Identifier: MIT

internal import COpenSSL
public import TaplineModel

/// One end of a TLS connection: ciphertext and plaintext go in and come out, and nothing else.
///
/// Every call is lent what the peer has sent, with a position that it moves past what it took, and
/// an array to whose end it appends what has to go to the peer: answers of the handshake and alerts
/// come from any call, also from one that throws. First `handshake` until it is done, then `read`
/// and `write`, at last `close`. Buffers belong to the caller, so an idle session holds none.
///
/// **Isolation**: one thread at a time.
///
/// **Throws**: calls throw `TLSError`; after that the session can only be let go, when what stands
/// in the array has been sent.
@safe
public final class TLSSession {
    private let handle: TLSHandle
    private let context: TLSContext
    /// The host that was asked for, on the client's end.
    private let server: ServerName?
    private var failure: TLSError?

    /// The server's end of a connection, under a certificate.
    public init(
        accepting context: TLSContext,
        as certificate: TLSCertificate
    ) throws(TLSError) {
        precondition(context.isServer, "the context is one of clients")
        let handle = try TLSHandle(context)
        let ssl = unsafe handle.ssl
        let identity = certificate.sessionContext
        unsafe SSL_set_accept_state(ssl)
        guard unsafe SSL_use_certificate(ssl, certificate.certificate) == 1,
            unsafe SSL_use_PrivateKey(ssl, certificate.key.pair) == 1,
            unsafe SSL_set_session_id_context(ssl, identity, UInt32(identity.count)) == 1
        else { throw TLSContext.failure("session") }
        self.handle = handle
        self.context = context
        server = nil
    }

    /// The client's end of a connection to a host; takes up a former session where there is one.
    ///
    /// - Parameters:
    ///   - context: How servers are spoken to.
    ///   - server: Whom the certificate has to be made for; sent as server name unless an address.
    ///   - port: The port, by which sessions to resume are told apart.
    /// - Throws: `TLSError` where OpenSSL cannot make it.
    public init(
        connecting context: TLSContext,
        to server: ServerName,
        port: Int
    ) throws(TLSError) {
        precondition(!context.isServer, "the context is one of servers")
        let handle = try TLSHandle(context)
        unsafe SSL_set_connect_state(handle.ssl)
        guard handle.expect(server) else { throw TLSContext.failure("session") }
        let key = "\(server.text):\(port)"
        unsafe handle.transport.pointee.sessions = context.sessions
        unsafe handle.transport.pointee.sessionKey = key
        if let resumption = context.sessions?.copy(for: key) {
            unsafe SSL_set_session(handle.ssl, resumption.session)
        }
        self.handle = handle
        self.context = context
        self.server = server
    }
}

// MARK: - The calls

extension TLSSession {
    /// Goes on with the handshake.
    ///
    /// **Shape**: `done(0)` when it is over: then both directions can be used, and what is left of
    /// the ciphertext is for `read`. `incomplete` when more ciphertext is needed.
    public func handshake(
        _ ciphertext: Span<UInt8>,
        from position: inout Int,
        replies: inout [UInt8]
    ) throws(TLSError) -> TLSProgress {
        let ssl = unsafe handle.ssl
        let status = lend(ciphertext, &position, &replies) {
            let result = unsafe SSL_do_handshake(ssl)
            return result == 1 ? SSL_ERROR_NONE : unsafe SSL_get_error(ssl, result)
        }
        switch status {
        case SSL_ERROR_NONE: return .done(0)
        case SSL_ERROR_WANT_READ: return .incomplete
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: throw cause()
        }
    }

    /// Decrypts, as much as there is and fits.
    ///
    /// **Shape**: `done` with the bytes that were written to the start of the plaintext; call again
    /// until it says `incomplete`, when all ciphertext is taken and all plaintext given, or `closed`.
    public func read(
        _ ciphertext: Span<UInt8>,
        from position: inout Int,
        into plaintext: inout MutableSpan<UInt8>,
        replies: inout [UInt8]
    ) throws(TLSError) -> TLSProgress {
        if let failure { throw failure }
        if position >= ciphertext.count, isDrained {
            releaseBuffers()
            return .incomplete
        }
        let ssl = unsafe handle.ssl
        let transport = unsafe handle.transport
        var count = 0
        let status = unsafe plaintext.withUnsafeMutableBytes { space in
            lend(ciphertext, &position, &replies) {
                var status = SSL_ERROR_NONE
                while status == SSL_ERROR_NONE, count < space.count {
                    var piece = 0
                    let rest = unsafe space.baseAddress.map { unsafe $0 + count }
                    let result = unsafe SSL_read_ex(ssl, rest, space.count - count, &piece)
                    count += piece
                    if result != 1 { status = unsafe SSL_get_error(ssl, result) }
                    // To be told that there is no more would cost as much again.
                    if unsafe transport.pointee.isRead, isDrained { break }
                }
                return status
            }
        }
        switch status {
        case SSL_ERROR_NONE: return .done(count)
        case SSL_ERROR_WANT_READ:
            releaseBuffers()
            return count > 0 ? .done(count) : .incomplete
        case SSL_ERROR_ZERO_RETURN: return count > 0 ? .done(count) : .closed
        default:
            let error = cause()
            guard count > 0 else { throw error }
            // What came before the failure is good; the failure is for the next call.
            failure = error
            return .done(count)
        }
    }

    /// Encrypts all of a plaintext.
    ///
    /// **Units**: records have up to 16 KiB of it, and 22 bytes more with AES-GCM.
    public func write(
        _ plaintext: Span<UInt8>,
        into ciphertext: inout [UInt8]
    ) throws(TLSError) {
        guard !plaintext.isEmpty else { return }
        let ssl = unsafe handle.ssl
        var position = 0
        let status = unsafe plaintext.withUnsafeBytes { bytes in
            lend(Span(), &position, &ciphertext) {
                var count = 0
                let result = unsafe SSL_write_ex(ssl, bytes.baseAddress, bytes.count, &count)
                return result == 1 ? SSL_ERROR_NONE : unsafe SSL_get_error(ssl, result)
            }
        }
        if status != SSL_ERROR_NONE { throw cause() }
    }

    /// Ends our direction with a closing alert (RFC 8446 §6.1); the peer's stays open.
    public func close(into ciphertext: inout [UInt8]) {
        let ssl = unsafe handle.ssl
        var position = 0
        let status = lend(Span(), &position, &ciphertext) {
            // Within a handshake there is nothing to close; OpenSSL calls that an error.
            unsafe SSL_in_init(ssl) == 1 ? SSL_ERROR_NONE : unsafe SSL_shutdown(ssl)
        }
        if status < 0 { ErrorQueue.clear() }
    }

    /// The connection beneath has ended: says whether that was proper.
    ///
    /// **Throws**: `TLSError` where the peer has not sent its closing alert, so that what came may
    /// have been cut by anybody (RFC 8446 §6.1), or where the handshake was not over.
    public func end() throws(TLSError) {
        guard isEstablished else {
            guard context.isServer, hasShownCertificate else {
                throw TLSError(.truncated, "the connection ended within the TLS handshake")
            }
            throw TLSError(
                .clientUntrusted,
                "the client closed the connection when it had seen the certificate"
            )
        }
        if unsafe SSL_get_shutdown(handle.ssl) & SSL_RECEIVED_SHUTDOWN != 0 { return }
        throw TLSError(.truncated, "the connection ended without the closing alert of TLS")
    }

    /// Whether OpenSSL holds nothing that reading could bring, neither bytes nor the end.
    private var isDrained: Bool {
        unsafe SSL_has_pending(handle.ssl) == 0
            && SSL_get_shutdown(handle.ssl) & SSL_RECEIVED_SHUTDOWN == 0
    }

    /// Gives back the buffer for writing that OpenSSL takes when a ticket comes, and keeps until
    /// something is written: 16 KiB for a connection that may stay idle.
    private func releaseBuffers() {
        if unsafe handle.transport.pointee.isQuietAfterHandshake() {
            unsafe SSL_free_buffers(handle.ssl)
        }
    }

    /// Lends the buffers to OpenSSL for one call, after which the position is moved.
    private func lend(
        _ ciphertext: Span<UInt8>,
        _ position: inout Int,
        _ output: inout [UInt8],
        _ call: () -> Int32
    ) -> Int32 {
        ErrorQueue.clear()
        let transport = unsafe handle.transport
        return unsafe ciphertext.withUnsafeBytes { bytes in
            unsafe withUnsafeMutablePointer(to: &output) { output in
                unsafe transport.pointee.begin(bytes, from: position, output: output)
                let status = call()
                position = unsafe transport.pointee.end()
                return status
            }
        }
    }
}

// MARK: - What is known

extension TLSSession {
    /// Whether the handshake is over.
    public var isEstablished: Bool { unsafe SSL_is_init_finished(handle.ssl) == 1 }

    /// Whether a former session was taken up, so that no certificate was looked at.
    public var isResumed: Bool { unsafe SSL_session_reused(handle.ssl) == 1 }

    /// The bytes on the wire so far.
    public var byteCounts: TLSByteCounts { unsafe handle.transport.pointee.counts }

    /// What was agreed; empty parts before the handshake is over.
    public var info: TLSInfo {
        guard isEstablished else { return TLSInfo() }
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(handle.ssl, &name, &count)
        let alpn = unsafe UnsafeBufferPointer(start: name, count: Int(count))
        let counts = byteCounts
        let isClient = context.clientOptions != nil
        return TLSInfo(
            version: unsafe String(cString: SSL_get_version(handle.ssl)),
            cipher: unsafe text(SSL_CIPHER_get_name(SSL_get_current_cipher(handle.ssl))),
            sni: unsafe text(SSL_get_servername(handle.ssl, TLSEXT_NAMETYPE_host_name)),
            alpn: unsafe String(decoding: alpn, as: UTF8.self),
            handshake: TLSInfo.Handshake(
                up: isClient ? counts.handshakeSent : counts.handshakeReceived,
                down: isClient ? counts.handshakeReceived : counts.handshakeSent
            )
        )
    }

    private func text(_ string: UnsafePointer<CChar>?) -> String {
        unsafe string.map { unsafe String(cString: $0) } ?? ""
    }

    /// Whether our certificate has gone out, on the server's end.
    private var hasShownCertificate: Bool { byteCounts.handshakeSent > 0 }

    /// Why the last call failed.
    private func cause() -> TLSError {
        let entry = ErrorQueue.drain()
        let verification = unsafe SSL_get_verify_result(handle.ssl)
        if let server, context.clientOptions?.verify == true, verification != Int(X509_V_OK) {
            context.sessions?.remove(unsafe handle.transport.pointee.sessionKey)
            return unsafe VerificationFailure.error(
                verification,
                handle.transport.pointee.rejected ?? RejectedCertificate(),
                server
            )
        }
        guard let entry else {
            return TLSError(.failed, "OpenSSL failed without a reason")
        }
        guard let alert = entry.alert else {
            return entry.library == ERR_LIB_SSL
                ? TLSError(.malformed, "what came is not proper TLS: \(entry.text)")
                : TLSError(.failed, "OpenSSL failed: \(entry.text)")
        }
        let said = TLSAlert.text(alert)
        if context.isServer, TLSAlert.isDistrust(alert) {
            return TLSError(
                .clientUntrusted,
                "the client does not take the certificate: \(said)",
                alert: alert
            )
        }
        let peer = context.isServer ? "client" : "server"
        return TLSError(.alert, "the \(peer) ended TLS: \(said)", alert: alert)
    }
}
