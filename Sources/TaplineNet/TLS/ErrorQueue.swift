// SPDX-License-Identifier: MIT

internal import COpenSSL

/// OpenSSL's queue of errors: one for each thread, and filled by any call that fails.
///
/// What an earlier call left there is taken for the reason of the next, so the queue is emptied
/// before each call and read after it (SSL_get_error(3)).
enum ErrorQueue {
    /// An error as OpenSSL numbers it.
    struct Entry {
        let library: Int32
        let reason: Int32
        let text: String

        /// The number of the alert that the peer has sent, where the error is one (RFC 8446 §6).
        var alert: UInt8? {
            guard library == ERR_LIB_SSL else { return nil }
            return UInt8(exactly: reason - SSL_AD_REASON_OFFSET)
        }
    }

    /// Forgets what is in it.
    static func clear() {
        // Clearing goes through all of its places, looking does not.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties it and returns the error that came first, which is the cause of the others.
    static func drain() -> Entry? {
        let code = ERR_get_error()
        guard code != 0 else { return nil }
        ERR_clear_error()
        let text = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        return Entry(
            library: ERR_GET_LIB(code),
            reason: ERR_GET_REASON(code),
            text: text ?? "error \(code)"
        )
    }
}
