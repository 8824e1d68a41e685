// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Builds a certificate (RFC 5280 §4); each step throws if OpenSSL fails.
@safe
struct CertificateBuilder: ~Copyable {
    private let certificate: OpaquePointer
    /// The 16 bytes of its serial number.
    let serial: [UInt8]

    /// How far in the past certificates begin, for clients whose clock is slow: a day.
    static let grace: Int64 = 86_400

    /// Makes a version 3 certificate with a random 16-byte serial number, positive as §4.1.2.2
    /// requires.
    init() throws(TLSError) {
        var serial = [UInt8](repeating: 0, count: 16)
        guard unsafe RAND_bytes(&serial, Int32(serial.count)) == 1,
            let certificate = unsafe X509_new()
        else { throw Self.failure() }
        // The top bits are fixed, so that the number is positive and always 16 bytes long.
        serial[0] = serial[0] & 0x3f | 0x40
        guard unsafe X509_set_version(certificate, Int(X509_VERSION_3)) == 1,
            unsafe ASN1_STRING_set(X509_get_serialNumber(certificate), serial, 16) == 1
        else {
            unsafe X509_free(certificate)
            throw Self.failure()
        }
        unsafe self.certificate = unsafe certificate
        self.serial = serial
    }

    deinit { unsafe X509_free(certificate) }

    /// Returns the certificate and releases its ownership.
    @unsafe
    consuming func release() -> OpaquePointer {
        unsafe X509_up_ref(certificate)
        return unsafe certificate
    }

    func setSubject(_ parts: [(type: String, value: String)]) throws(TLSError) {
        let name = unsafe X509_get_subject_name(certificate)
        for part in parts {
            guard
                unsafe X509_NAME_add_entry_by_txt(
                    name,
                    part.type,
                    MBSTRING_UTF8,
                    Array(part.value.utf8),
                    Int32(clamping: part.value.utf8.count),
                    -1,
                    0
                ) == 1
            else { throw Self.failure() }
        }
    }

    /// Sets the issuer to the subject of a certificate.
    @unsafe
    func setIssuer(_ issuer: OpaquePointer) throws(TLSError) {
        guard unsafe X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 else {
            throw Self.failure()
        }
    }

    /// Makes the certificate its own issuer.
    func setOwnIssuer() throws(TLSError) { try unsafe setIssuer(certificate) }

    /// Sets the first and the last second of its validity, since 1970, both inclusive (§4.1.2.5).
    func setValidity(from start: Int64, to end: Int64) throws(TLSError) {
        guard unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), Int(start)) != nil,
            unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), Int(end)) != nil
        else { throw Self.failure() }
    }

    @unsafe
    func setKey(_ key: OpaquePointer) throws(TLSError) {
        guard unsafe X509_set_pubkey(certificate, key) == 1 else { throw Self.failure() }
    }

    /// Adds a copy of an extension.
    func add(_ part: CertificateExtension) throws(TLSError) {
        guard unsafe X509_add_ext(certificate, part.part, -1) == 1 else { throw Self.failure() }
    }

    /// Adds an extension to a self-issued certificate.
    func addOwn(_ kind: Int32, _ value: String) throws(TLSError) {
        try add(unsafe makeExtension(kind, value, issuer: certificate))
    }

    /// Makes an extension in the syntax of openssl.cnf (x509v3_config(5)), for the key that is set.
    @unsafe
    func makeExtension(
        _ kind: Int32,
        _ value: String,
        issuer: OpaquePointer
    ) throws(TLSError) -> CertificateExtension {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let part = unsafe X509V3_EXT_nconf_nid(nil, &context, kind, value) else {
            throw Self.failure()
        }
        return unsafe CertificateExtension(owning: part)
    }

    @unsafe
    func sign(with key: OpaquePointer) throws(TLSError) {
        guard unsafe X509_sign(certificate, key, EVP_sha256()) > 0 else { throw Self.failure() }
    }

    static func failure() -> TLSError {
        let reason = ErrorQueue.drain()?.text ?? "no memory"
        return TLSError(.authority, "OpenSSL could not make a certificate: \(reason)")
    }
}

/// An extension of a certificate (RFC 5280 §4.2).
@safe
final class CertificateExtension {
    let part: OpaquePointer

    /// Takes ownership of the reference.
    @unsafe
    init(owning part: OpaquePointer) {
        unsafe self.part = unsafe part
    }

    deinit { unsafe X509_EXTENSION_free(part) }
}
