// SPDX-License-Identifier: MIT

internal import CNATS
internal import TaplineModel

/// The error of a call to a server, with the reason that the server or the library gives.
package struct NATSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of error that callers distinguish.
    package enum Kind: Sendable {
        /// The connection is closed for good.
        case closed
        /// The stream or the consumer does not exist.
        case notFound
        /// The message is larger than the server or the stream allows.
        case tooLarge
        /// There was no answer in time.
        case timeout
        /// No server can be reached, or the one that was reached ended the connection.
        case unreachable
        /// JetStream has no leader now: the cluster has just started, or has lost servers.
        case unavailable
        /// Any other.
        case other
    }

    /// The kind of error.
    package let kind: Kind
    /// What failed, and why.
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// The error of a call that has just failed on this thread.
    init(_ what: String, _ status: natsStatus, _ code: jsErrCode = jsErrCode(0)) {
        let last = unsafe nats_GetLastError(nil)
        let text = unsafe last.map { unsafe String(cString: $0) } ?? ""
        self.init(what, status, code, text: text)
    }

    /// Whether the reason may end without a change of the configuration.
    package var isPassing: Bool {
        switch kind {
        case .timeout, .unreachable, .unavailable: true
        case .closed, .notFound, .tooLarge, .other: false
        }
    }

    /// The error of a connection that could not be made.
    static func connecting(to servers: String, _ status: natsStatus) -> NATSError {
        let error = NATSError("cannot connect to \(servers)", status)
        switch status {
        // The last one is that of a name that is not found.
        case NATS_NO_SERVER, NATS_IO_ERROR, NATS_CONNECTION_CLOSED, NATS_SYS_ERROR:
            return NATSError(.unreachable, error.description)
        default: return error
        }
    }

    /// - Parameters:
    ///   - what: What failed.
    ///   - status: The status of the library.
    ///   - code: The code of the server; 0 if it gave none.
    ///   - text: The reason in words; empty if there is none.
    init(_ what: String, _ status: natsStatus, _ code: jsErrCode, text: String) {
        kind =
            switch (status, code) {
            case (_, JSStreamNotFoundErr), (_, JSConsumerNotFoundErr): .notFound
            case (_, JSStreamMessageExceedsMaximumErr), (NATS_MAX_PAYLOAD, _): .tooLarge
            case (_, JSClusterNotAvailErr): .unavailable
            case (NATS_CONNECTION_CLOSED, _): .closed
            case (NATS_TIMEOUT, _): .timeout
            default: .other
            }
        let reason: String
        if status == NATS_NO_RESPONDERS {
            reason = "no stream stores this subject, or the stream has no leader now"
        } else {
            let shown = Self.cleaned(text)
            reason = shown.isEmpty ? unsafe String(cString: natsStatus_GetText(status)) : shown
        }
        description = "\(what): \(reason)" + (code.rawValue == 0 ? "" : " (\(code.rawValue))")
    }

    /// Removes the place in the library's source, and what does not belong in a log.
    static func cleaned(_ text: String) -> String {
        var text = Substring(text)
        // The library puts its file and line in parentheses before its own texts.
        if text.hasPrefix("("), let end = text.firstIndex(of: ")") {
            text = text[end...].dropFirst()
            if text.hasPrefix(": ") { text = text.dropFirst(2) }
        }
        return String(text.prefix(200)).showingControls([:])
    }

    static func check(
        _ what: String,
        _ status: natsStatus,
        _ code: jsErrCode = jsErrCode(0)
    ) throws(NATSError) {
        if status != NATS_OK { throw NATSError(what, status, code) }
    }
}
