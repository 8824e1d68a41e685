// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import TaplineModel

/// What was wrong with a server's certificate, in a sentence for the person at the client.
enum VerificationFailure {
    /// The error for a result of the verification (X509_STORE_CTX_get_error(3)).
    @unsafe
    static func error(_ result: Int, _ ssl: OpaquePointer, _ server: ServerName) -> TLSError {
        let certificate = unsafe SSL_get0_peer_certificate(ssl)
        let whose = "the certificate of '\(server)'"
        let text: String
        switch Int32(truncatingIfNeeded: result) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            let end = unsafe certificate.flatMap { unsafe date(X509_get0_notAfter($0)) }
            text =
                "\(whose), or one that it rests on, has expired"
                + (end.map { "; its own last day is \($0)" } ?? "")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            let start = unsafe certificate.flatMap { unsafe date(X509_get0_notBefore($0)) }
            text =
                "\(whose), or one that it rests on, is not valid yet"
                + (start.map { "; its own first day is \($0)" } ?? "")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            text = "\(whose) is signed by itself, not by an authority that is trusted"
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            text = "\(whose) is signed by an authority that is not trusted"
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            text =
                "\(whose) is signed by an authority that is not known here, or a certificate between the two was not sent"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            text = "the certificate that came is made for another host than '\(server)'"
        case X509_V_ERR_CERT_REVOKED:
            text = "\(whose) was revoked"
        case X509_V_ERR_INVALID_PURPOSE:
            text = "\(whose) is not made for servers"
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            text = "\(whose), or one that it rests on, has a key or signature that is too weak"
        default:
            let words = unsafe String(cString: X509_verify_cert_error_string(result))
            text = "\(whose) cannot be verified: \(words)"
        }
        return TLSError(.verification, text)
    }

    /// The day of a time in a certificate, `2026-11-01`.
    @unsafe
    private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> String? {
        // The years of a certificate are 0 to 9999, so the product fits.
        unsafe ASN1Time.seconds(time).map {
            String(Timestamp(microseconds: $0 * 1_000_000).rfc3339.prefix(10))
        }
    }
}
