// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import Synchronization

/// What servers gave us to resume with, by host and port.
///
/// Belongs to one client context, so that a session made under one set of options, verification
/// above all, is never resumed under another.
///
/// **Isolation**: any thread. A session that is handed out is a copy, since OpenSSL changes those in
/// use without a lock.
final class TLSSessionCache: Sendable {
    private let sessions: Mutex<GenerationCache<String, TLSResumption>>

    init(capacity: Int) {
        sessions = Mutex(GenerationCache(capacity: capacity))
    }

    var count: Int { sessions.withLock { $0.count } }

    /// Keeps a session.
    func insert(_ session: TLSResumption, for key: String) {
        sessions.withLock { $0.insert(session, for: key) }
    }

    /// A session to resume with, as a copy.
    func copy(for key: String) -> TLSResumption? {
        sessions.withLock { $0.value(for: key)?.copy() }
    }

    /// Forgets what did not work.
    func remove(_ key: String) {
        sessions.withLock { $0.remove(key) }
    }
}

/// One session that can be resumed: the owner of its reference, which nobody changes.
@safe
final class TLSResumption: @unchecked Sendable {
    let session: OpaquePointer

    deinit { unsafe SSL_SESSION_free(session) }

    /// A copy of a session that something else may be using.
    @unsafe
    init?(copying session: OpaquePointer?) {
        guard let session = unsafe session, unsafe SSL_SESSION_is_resumable(session) == 1,
            let copy = unsafe SSL_SESSION_dup(session)
        else { return nil }
        unsafe self.session = unsafe copy
    }

    func copy() -> TLSResumption? { unsafe TLSResumption(copying: session) }
}

/// SSL_CTX_sess_set_new_cb(3): a ticket has come; with TLS 1.3 this is well after the handshake.
func keepSession(_ ssl: OpaquePointer?, _ session: OpaquePointer?) -> Int32 {
    guard let resumption = unsafe TLSResumption(copying: session),
        let transport = unsafe SSL_get_ex_data(ssl, 0)?.assumingMemoryBound(to: TLSTransport.self),
        let sessions = unsafe transport.pointee.sessions
    else { return 0 }
    unsafe sessions.insert(resumption, for: transport.pointee.sessionKey)
    return 0
}
