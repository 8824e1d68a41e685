// SPDX-License-Identifier: MIT

/// Why TLS could not be spoken, or a certificate not be made.
///
/// The texts are made from names of hosts, numbers of alerts and OpenSSL's own words; they hold
/// nothing of what was sent or received.
public struct TLSError: Error, Sendable, Hashable {
    /// What kind of failure it is; the raw value stands in records.
    public struct Code: Sendable, Hashable {
        /// The name in records, such as `tls_verify`.
        public let rawValue: String

        /// The peer's certificate is not valid for what was asked, or not trusted.
        public static let verification = Code(rawValue: "tls_verify")
        /// The client would not take the certificate that was made for the host.
        public static let clientUntrusted = Code(rawValue: "client_untrusted")
        /// The peer ended the handshake or the connection with an alert.
        public static let alert = Code(rawValue: "tls_alert")
        /// What the peer sent is not TLS, or breaks its rules.
        public static let malformed = Code(rawValue: "tls_protocol")
        /// The connection ended without the peer's closing alert, or within the handshake.
        public static let truncated = Code(rawValue: "tls_truncated")
        /// The certificate authority cannot be used, or cannot make a certificate for the name.
        public static let authority = Code(rawValue: "tls_authority")
        /// A setting, such as a file of certificates, cannot be used.
        public static let configuration = Code(rawValue: "tls_configuration")
        /// OpenSSL could not do its work, for want of memory above all.
        public static let failed = Code(rawValue: "tls_failed")
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// The alert that the peer sent, where it sent one (RFC 8446 §6).
    public let alert: UInt8?

    /// An error of these parts.
    public init(_ code: Code, _ message: String, alert: UInt8? = nil) {
        self.code = code
        self.message = message
        self.alert = alert
    }
}

extension TLSError: CustomStringConvertible {
    /// `tls_verify: the certificate of 'shop.test' expired on 2026-11-01`.
    public var description: String { "\(code.rawValue): \(message)" }
}

// MARK: - Alerts

/// The alerts that a peer may send (RFC 8446 §6, and RFC 5246 §7.2 for those of TLS 1.2).
enum TLSAlert {
    /// Alerts by which a client says that it does not take the server's certificate: bad
    /// certificate, unsupported, revoked, expired, certificate unknown, unknown CA, access denied.
    static func isDistrust(_ alert: UInt8) -> Bool {
        (42...46).contains(alert) || alert == 48 || alert == 49
    }

    /// What an alert says.
    static func text(_ alert: UInt8) -> String {
        switch alert {
        case 0: "the connection is over"
        case 10: "a message came that was not expected"
        case 20, 21, 51: "a check of what was sent failed"
        case 22: "a record was too long"
        case 40: "the two sides have no parameters in common"
        case 42: "the certificate is broken"
        case 43: "the certificate is of a kind that is not supported"
        case 44: "the certificate was revoked"
        case 45: "the certificate has expired"
        case 46: "the certificate is not accepted"
        case 47: "a parameter is not allowed"
        case 48: "the authority of the certificate is not known"
        case 49: "access was denied"
        case 50: "a message could not be decoded"
        case 70: "the protocol version is not supported"
        case 71: "the security that is offered does not suffice"
        case 80: "the other side failed within itself"
        case 90: "the handshake was cancelled"
        case 109: "an extension is missing"
        case 110: "an extension is not supported"
        case 112: "there is no host of that name"
        case 116: "a client certificate is required"
        case 120: "the two sides have no application protocol in common"
        default: "alert \(alert)"
        }
    }
}
