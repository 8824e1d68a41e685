// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Synchronization

/// The resumable sessions of servers, by host and port.
///
/// The cache belongs to one client context, so that a session made with one set of options,
/// especially for verification, is never resumed with another.
///
/// **Isolation**: any thread. `copy` returns a copy of a session, since OpenSSL changes sessions in
/// use without a lock.
final class TLSSessionCache: Sendable {
    private let sessions: Mutex<GenerationCache<String, TLSResumption>>

    init(capacity: Int) {
        sessions = Mutex(GenerationCache(capacity: capacity))
    }

    var count: Int { sessions.withLock { $0.count } }

    /// Adds a session.
    func insert(_ session: TLSResumption, for key: String) {
        sessions.withLock { $0.insert(session, for: key) }
    }

    /// Returns a copy of a session to resume; `nil` if there is none.
    func copy(for key: String) -> TLSResumption? {
        sessions.withLock { $0.value(for: key)?.copy() }
    }

    /// Removes a session that could not be resumed.
    func remove(_ key: String) {
        sessions.withLock { $0.remove(key) }
    }
}

/// A resumable session: owns its reference, and is never changed.
@safe
final class TLSResumption: @unchecked Sendable {
    let session: OpaquePointer
    /// Whether the server has requested a certificate, and none was configured for it.
    let isCertificateRequested: Bool

    deinit { unsafe SSL_SESSION_free(session) }

    /// Copies a session that may be in use elsewhere.
    @unsafe
    init?(copying session: OpaquePointer?, isCertificateRequested: Bool) {
        guard let session = unsafe session, unsafe SSL_SESSION_is_resumable(session) == 1,
            let copy = unsafe SSL_SESSION_dup(session)
        else { return nil }
        unsafe self.session = unsafe copy
        self.isCertificateRequested = isCertificateRequested
    }

    func copy() -> TLSResumption? {
        unsafe TLSResumption(copying: session, isCertificateRequested: isCertificateRequested)
    }
}

/// SSL_CTX_sess_set_new_cb(3): a ticket has arrived; with TLS 1.3 long after the handshake.
func keepSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let ssl = unsafe ssl,
        let transport = unsafe SSL_get_ex_data(ssl, 0)?.assumingMemoryBound(to: TLSTransport.self),
        let sessions = unsafe transport.pointee.sessions,
        let resumption = unsafe TLSResumption(
            copying: session,
            isCertificateRequested: requestsCertificate(ssl, transport.pointee)
        )
    else { return 0 }
    unsafe sessions.insert(resumption, for: transport.pointee.sessionKey)
    return 0
}

/// Returns whether the server requests a certificate, now or in the session that was resumed, and
/// none is configured for it.
@unsafe
func requestsCertificate(_ ssl: OpaquePointer, _ transport: TLSTransport) -> Bool {
    unsafe transport.isCertificateRequested
        || transport.wasCertificateRequested && SSL_session_reused(ssl) == 1
}
