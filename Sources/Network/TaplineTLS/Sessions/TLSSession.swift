// SPDX-License-Identifier: MIT

internal import COpenSSL
package import TaplineModel

/// One end of a TLS connection, without a socket: ciphertext and plaintext go in and come out.
///
/// Each call borrows the peer's bytes, with a position that it advances past the consumed ones, and
/// an array that it appends output for the peer to. Any call may append handshake replies and
/// alerts, even one that throws. Call `handshake` until it is done, then `read` and `write`, and
/// finally `close`. The buffers belong to the caller, so an idle session holds none.
///
/// **Isolation**: one thread at a time.
///
/// **Throws**: calls throw `TLSError`. After that, send the bytes in the array and release the
/// session.
@safe
package final class TLSSession {
    private let handle: TLSHandle
    private let context: TLSContext
    /// The requested host, on the client's end.
    private let server: ServerName?
    private var failure: TLSError?

    /// Makes the server's end of a connection, with a certificate.
    package init(
        accepting context: TLSContext,
        as certificate: TLSCertificate
    ) throws(TLSError) {
        precondition(context.isServer, "the context is for clients")
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

    /// Makes the server's end of a connection, with the certificate of its context.
    ///
    /// - Parameter context: A context that was made with the files of a certificate.
    /// - Throws: `TLSError` if the context has no certificate, or OpenSSL cannot make the session.
    package init(accepting context: TLSContext) throws(TLSError) {
        precondition(context.isServer, "the context is for clients")
        let handle = try TLSHandle(context)
        unsafe SSL_set_accept_state(handle.ssl)
        guard unsafe SSL_get_certificate(handle.ssl) != nil else {
            throw TLSError(.configuration, "the server has no certificate")
        }
        self.handle = handle
        self.context = context
        server = nil
    }

    /// Makes the client's end of a connection to a host, and resumes an earlier session if there is
    /// one.
    ///
    /// - Parameters:
    ///   - context: The context for servers.
    ///   - server: The host that the certificate has to be issued for; sent as server name unless
    ///     it is an address.
    ///   - port: The port, which identifies sessions together with the host.
    ///   - protocols: The application protocols to offer; `nil` for those of the context.
    /// - Throws: `TLSError` if OpenSSL cannot make it.
    package init(
        connecting context: TLSContext,
        to server: ServerName,
        port: Int,
        offering protocols: TLSProtocolList? = nil
    ) throws(TLSError) {
        precondition(!context.isServer, "the context is for servers")
        let handle = try TLSHandle(context)
        unsafe SSL_set_connect_state(handle.ssl)
        if let wire = protocols?.wire, !wire.isEmpty,
            unsafe SSL_set_alpn_protos(handle.ssl, wire, UInt32(wire.count)) != 0
        {
            throw TLSContext.failure("application protocols")
        }
        guard handle.expect(server) else { throw TLSContext.failure("session") }
        let key = "\(server.text):\(port)"
        unsafe handle.transport.pointee.sessions = context.sessions
        unsafe handle.transport.pointee.sessionKey = key
        if let resumption = context.sessions?.copy(for: key) {
            unsafe SSL_set_session(handle.ssl, resumption.session)
            unsafe handle.transport.pointee.wasCertificateRequested =
                resumption.isCertificateRequested
        }
        self.handle = handle
        self.context = context
        self.server = server
    }
}

// MARK: - Calls

extension TLSSession {
    /// Continues the handshake.
    ///
    /// **Shape**: `done(0)` when the handshake is over. Both directions can then be used, and the
    /// remaining ciphertext is for `read`. `incomplete` if more ciphertext is needed.
    package func handshake(
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

    /// Decrypts as much as is available and fits.
    ///
    /// **Shape**: `done` with the number of bytes that were written to the start of the plaintext.
    /// Call again until it returns `incomplete`, when all ciphertext is consumed and all plaintext
    /// delivered, or `closed`.
    package func read(
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
                    // A call that only reports the end of the data would cost as much again.
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
            // The data before the failure is valid; the next call throws the failure.
            failure = error
            return .done(count)
        }
    }

    /// Encrypts a whole plaintext.
    ///
    /// **Units**: a record contains up to 16 KiB of it, and 22 bytes more with AES-GCM.
    package func write(
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

    /// Ends our direction with a closing alert (RFC 8446 §6.1); the peer's direction stays open.
    package func close(into ciphertext: inout [UInt8]) {
        let ssl = unsafe handle.ssl
        var position = 0
        let status = lend(Span(), &position, &ciphertext) {
            // During a handshake there is nothing to close, and OpenSSL reports an error.
            unsafe SSL_in_init(ssl) == 1 ? SSL_ERROR_NONE : unsafe SSL_shutdown(ssl)
        }
        if status < 0 { ErrorQueue.clear() }
    }

    /// Handles the end of the underlying connection; returns if the end was proper.
    ///
    /// **Throws**: `TLSError` if the peer has not sent its closing alert, so that an attacker may
    /// have truncated the data (RFC 8446 §6.1), or if the handshake was not over.
    package func end() throws(TLSError) {
        guard isEstablished else {
            guard context.isServer, hasShownCertificate else {
                throw TLSError(.truncated, "the connection ended during the TLS handshake")
            }
            throw TLSError(
                .clientUntrusted,
                "the client closed the connection after it had seen the certificate"
            )
        }
        if unsafe SSL_get_shutdown(handle.ssl) & SSL_RECEIVED_SHUTDOWN != 0 { return }
        throw TLSError(.truncated, "the connection ended without the closing alert of TLS")
    }

    /// Whether OpenSSL holds nothing more to read, neither bytes nor the end.
    private var isDrained: Bool {
        unsafe SSL_has_pending(handle.ssl) == 0
            && SSL_get_shutdown(handle.ssl) & SSL_RECEIVED_SHUTDOWN == 0
    }

    /// Releases the write buffer that OpenSSL allocates when a ticket arrives, and keeps until the
    /// next write: 16 KiB for a connection that may stay idle.
    private func releaseBuffers() {
        if unsafe handle.transport.pointee.isQuietAfterHandshake() {
            unsafe SSL_free_buffers(handle.ssl)
        }
    }

    /// Lends the buffers to OpenSSL for one call, and then advances the position.
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

// MARK: - State

extension TLSSession {
    /// Whether the handshake is over.
    package var isEstablished: Bool { unsafe SSL_is_init_finished(handle.ssl) == 1 }

    /// Whether an earlier session was resumed, so that no certificate was verified.
    package var isResumed: Bool { unsafe SSL_session_reused(handle.ssl) == 1 }

    /// Whether the server requests a certificate of the client, and none is configured for it.
    ///
    /// A server does not repeat that when a session is resumed, so each session remembers it.
    package var isCertificateRequested: Bool {
        unsafe requestsCertificate(handle.ssl, handle.transport.pointee)
    }

    /// The bytes on the wire so far.
    package var byteCounts: TLSByteCounts { unsafe handle.transport.pointee.counts }

    /// The negotiated parameters; empty before the handshake is over.
    package var info: TLSInfo {
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

    /// Whether our certificate has been sent, on the server's end.
    private var hasShownCertificate: Bool { byteCounts.handshakeSent > 0 }

    /// Returns why the last call failed.
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
                ? TLSError(.malformed, "the peer sent invalid TLS: \(entry.text)")
                : TLSError(.failed, "OpenSSL failed: \(entry.text)")
        }
        let said = TLSAlert.text(alert)
        if context.isServer, TLSAlert.rejectsCertificate(alert) {
            return TLSError(
                .clientUntrusted,
                "the client rejected the certificate: \(said)",
                alert: alert
            )
        }
        let peer = context.isServer ? "client" : "server"
        return TLSError(.alert, "the \(peer) ended TLS: \(said)", alert: alert)
    }
}
