// SPDX-License-Identifier: MIT

internal import COpenSSL

/// OpenSSL's error queue: one for each thread, filled by any failing call.
///
/// Errors of an earlier call would be mistaken for the cause of the next failure. So the queue is
/// emptied before each call and read after it (SSL_get_error(3)).
enum ErrorQueue {
    /// An error with OpenSSL's numbers.
    struct Entry {
        let library: Int32
        let reason: Int32
        let text: String

        /// The number of the peer's alert, if the error is one (RFC 8446 §6).
        var alert: UInt8? {
            guard library == ERR_LIB_SSL else { return nil }
            return UInt8(exactly: reason - SSL_AD_REASON_OFFSET)
        }
    }

    /// Empties the queue.
    static func clear() {
        // Clearing visits all entries, peeking does not.
        if ERR_peek_error() != 0 { ERR_clear_error() }
    }

    /// Empties the queue and returns the first error, which is the cause of the others.
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
