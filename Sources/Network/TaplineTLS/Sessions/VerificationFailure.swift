// SPDX-License-Identifier: MIT

internal import COpenSSL
internal import TaplineModel

/// The known facts about the certificate that failed the verification.
struct RejectedCertificate {
    /// Its distance from the host's certificate: 0 is that certificate, 1 is its issuer.
    var depth: Int32 = 0
    /// The first second of its validity, since 1970.
    var notBefore: Int64?
    /// The last second of its validity, since 1970.
    var notAfter: Int64?
    /// Whether it has a host or an address as a subject alternative name.
    var namesHosts = true
}

/// Describes the problem with a server's certificate in a sentence for the user of the client.
enum VerificationFailure {
    /// Returns the error for a verification result (X509_STORE_CTX_get_error(3)).
    @unsafe
    static func error(
        _ result: Int,
        _ rejected: RejectedCertificate,
        _ server: ServerName
    ) -> TLSError {
        let whose = "the certificate of '\(server)'"
        let one = rejected.depth == 0 ? whose : "a certificate in the chain of '\(server)'"
        let text: String
        switch Int32(truncatingIfNeeded: result) {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            text =
                "\(one) has expired"
                + (day(rejected.notAfter).map { "; its last day was \($0)" } ?? "")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            text =
                "\(one) is not valid yet"
                + (day(rejected.notBefore).map { "; its first day is \($0)" } ?? "")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
            text = "\(whose) is self-signed, not signed by a trusted authority"
        case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
            text = "\(whose) is signed by an authority that is not trusted"
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED:
            text =
                "\(whose) is signed by an unknown authority, or an intermediate certificate was not sent"
        case X509_V_ERR_HOSTNAME_MISMATCH where !rejected.namesHosts,
            X509_V_ERR_IP_ADDRESS_MISMATCH where !rejected.namesHosts:
            text =
                "\(whose) names no host as a subject alternative name; browsers refuse it too, since the common name of its subject does not count"
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            text = "the server's certificate was issued for a host other than '\(server)'"
        case X509_V_ERR_CERT_REVOKED:
            text = "\(whose) was revoked"
        case X509_V_ERR_INVALID_PURPOSE:
            text = "\(whose) was not issued for servers"
        case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
            text = "\(whose), or one in its chain, has a key or signature that is too weak"
        default:
            let words = unsafe String(cString: X509_verify_cert_error_string(result))
            text = "\(whose) cannot be verified: \(words)"
        }
        return TLSError(.verification, text)
    }

    /// Returns the day of a time in a certificate, such as `2026-11-01`.
    private static func day(_ seconds: Int64?) -> String? {
        // The years of a certificate are between 0 and 9999, so the product fits.
        seconds.map { String(Timestamp(microseconds: $0 * 1_000_000).rfc3339.prefix(10)) }
    }
}

/// SSL_CTX_set_verify(3): notes each invalid certificate without changing the result, since OpenSSL
/// does not keep it.
func noteVerification(_ isValid: Int32, _ store: OpaquePointer?) -> Int32 {
    guard isValid == 0,
        let ssl = unsafe X509_STORE_CTX_get_ex_data(
            store,
            SSL_get_ex_data_X509_STORE_CTX_idx()
        ),
        let transport = unsafe SSL_get_ex_data(OpaquePointer(ssl), 0)?
            .assumingMemoryBound(to: TLSTransport.self)
    else { return isValid }
    var rejected = RejectedCertificate(depth: unsafe X509_STORE_CTX_get_error_depth(store))
    if let certificate = unsafe X509_STORE_CTX_get_current_cert(store) {
        rejected.notBefore = unsafe ASN1Time.seconds(X509_get0_notBefore(certificate))
        rejected.notAfter = unsafe ASN1Time.seconds(X509_get0_notAfter(certificate))
        rejected.namesHosts = unsafe tapline_names_hosts(certificate) != 0
    }
    unsafe transport.pointee.rejected = rejected
    return isValid
}
