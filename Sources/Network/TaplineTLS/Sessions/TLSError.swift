// SPDX-License-Identifier: MIT

/// A failure of TLS, or of making a certificate.
///
/// The messages consist of host names, alert numbers and OpenSSL's own texts. They contain no
/// traffic.
package struct TLSError: Error, Sendable, Hashable {
    /// The kind of failure; the raw value appears in records.
    package struct Code: Sendable, Hashable {
        /// The name in records, such as `tls_verify`.
        package let rawValue: String

        /// The peer's certificate is not valid for the request, or not trusted.
        package static let verification = Code(rawValue: "tls_verify")
        /// The client rejected the certificate that was made for the host.
        package static let clientUntrusted = Code(rawValue: "client_untrusted")
        /// The peer ended the handshake or the connection with an alert.
        package static let alert = Code(rawValue: "tls_alert")
        /// The peer sent data that is not TLS, or violates its rules.
        package static let malformed = Code(rawValue: "tls_protocol")
        /// The connection ended without the peer's closing alert, or during the handshake.
        package static let truncated = Code(rawValue: "tls_truncated")
        /// The certificate authority cannot be used, or cannot issue a certificate for the name.
        package static let authority = Code(rawValue: "tls_authority")
        /// A setting, such as a certificate file, cannot be used.
        package static let configuration = Code(rawValue: "tls_configuration")
        /// OpenSSL failed, mostly for lack of memory.
        package static let failed = Code(rawValue: "tls_failed")
    }

    /// The kind of failure.
    package let code: Code
    /// The error message, one sentence without a full stop.
    package let message: String
    /// The alert that the peer sent, if any (RFC 8446 §6).
    package let alert: UInt8?

    /// Makes an error from its parts.
    package init(_ code: Code, _ message: String, alert: UInt8? = nil) {
        self.code = code
        self.message = message
        self.alert = alert
    }
}

extension TLSError: CustomStringConvertible {
    /// `tls_verify: the certificate of 'shop.test' expired on 2026-11-01`.
    package var description: String { "\(code.rawValue): \(message)" }
}

// MARK: - Alerts

/// The alerts that a peer may send (RFC 8446 §6, and RFC 5246 §7.2 for those of TLS 1.2).
enum TLSAlert {
    /// Returns whether a client uses this alert to reject a certificate.
    ///
    /// These are: bad certificate, unsupported, revoked, expired, certificate unknown, unknown CA,
    /// access denied.
    static func rejectsCertificate(_ alert: UInt8) -> Bool {
        (42...46).contains(alert) || alert == 48 || alert == 49
    }

    /// Returns the meaning of an alert.
    static func text(_ alert: UInt8) -> String {
        switch alert {
        case 0: "the connection was closed"
        case 10: "there was an unexpected message"
        case 20, 21, 51: "an integrity check failed"
        case 22: "a record was too long"
        case 40: "the two sides share no parameters"
        case 42: "the certificate is malformed"
        case 43: "the certificate type is not supported"
        case 44: "the certificate was revoked"
        case 45: "the certificate has expired"
        case 46: "the certificate is not accepted"
        case 47: "a parameter is not allowed"
        case 48: "the certificate authority is unknown"
        case 49: "access was denied"
        case 50: "a message could not be decoded"
        case 70: "the protocol version is not supported"
        case 71: "the offered security is insufficient"
        case 80: "the other side had an internal error"
        case 90: "the handshake was cancelled"
        case 109: "an extension is missing"
        case 110: "an extension is not supported"
        case 112: "the host name is unknown"
        case 116: "a client certificate is required"
        case 120: "the two sides share no application protocol"
        default: "alert \(alert)"
        }
    }
}
