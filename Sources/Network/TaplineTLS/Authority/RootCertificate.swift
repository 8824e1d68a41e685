// SPDX-License-Identifier: MIT

internal import COpenSSL

/// The certificate that signs all others, and its key.
///
/// **Isolation**: any thread; immutable. The key has no description and is written to one file
/// only.
@safe
final class RootCertificate: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer
    let notBefore: Int64
    let notAfter: Int64

    /// How long the certificate is valid: ten years.
    private static let validity: Int64 = 3652 * 86_400

    /// Makes a new root, valid from a day before `now`, for clients whose clock is slow.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Throws: `TLSError` if OpenSSL fails.
    init(now: Int64) throws(TLSError) {
        ErrorQueue.clear()
        guard let key = unsafe tapline_make_p256_key() else { throw CertificateBuilder.failure() }
        do throws(TLSError) {
            let builder = try CertificateBuilder()
            // The number in the name lets trust stores distinguish roots.
            var number: [UInt8] = [0, 0, 0, 0]
            guard unsafe RAND_bytes(&number, Int32(number.count)) == 1 else {
                throw CertificateBuilder.failure()
            }
            let value = number.reduce(into: UInt32(0)) { $0 = $0 << 8 | UInt32($1) }
            let name = "Tapline CA \(String(value, radix: 36))"
            let start = now - CertificateBuilder.grace
            try builder.setSubject([("O", "Tapline"), ("CN", name)])
            try builder.setOwnIssuer()
            try builder.setValidity(from: start, to: start + Self.validity)
            try unsafe builder.setKey(key)
            try builder.addOwn(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
            try builder.addOwn(NID_key_usage, "critical,keyCertSign,cRLSign")
            try builder.addOwn(NID_subject_key_identifier, "hash")
            try unsafe builder.sign(with: key)
            notBefore = start
            notAfter = start + Self.validity
            unsafe certificate = builder.release()
            unsafe self.key = unsafe key
        } catch {
            unsafe EVP_PKEY_free(key)
            throw error
        }
    }

    /// Reads an existing root from PEM.
    ///
    /// **Throws**: `TLSError` if the texts are not a certificate with its key, or not of an
    /// authority.
    init(certificate certificateText: [UInt8], key keyText: [UInt8]) throws(TLSError) {
        ErrorQueue.clear()
        guard let certificate = unsafe PEM.certificate(certificateText) else {
            throw TLSError(.authority, "the certificate file contains no certificate")
        }
        guard let key = unsafe PEM.key(keyText) else {
            unsafe X509_free(certificate)
            throw TLSError(.authority, "the key file contains no key")
        }
        guard unsafe X509_check_private_key(certificate, key) == 1,
            unsafe X509_check_ca(certificate) == 1,
            let start = unsafe ASN1Time.seconds(X509_get0_notBefore(certificate)),
            let end = unsafe ASN1Time.seconds(X509_get0_notAfter(certificate))
        else {
            unsafe X509_free(certificate)
            unsafe EVP_PKEY_free(key)
            ErrorQueue.clear()
            throw TLSError(
                .authority,
                "the key does not match the certificate, or it is not an authority"
            )
        }
        unsafe self.certificate = unsafe certificate
        unsafe self.key = unsafe key
        notBefore = start
        notAfter = end
    }

    deinit {
        unsafe X509_free(certificate)
        unsafe EVP_PKEY_free(key)
    }

    /// The certificate as text (PEM).
    var certificatePEM: [UInt8] { unsafe PEM.text { unsafe PEM_write_bio_X509($0, certificate) } }

    /// Returns the key as text (PKCS #8, PEM), for its file only.
    func makeKeyPEM() -> [UInt8] {
        unsafe PEM.text { bio in
            unsafe PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil)
        }
    }

    /// The name that people compare: `CN` of the subject.
    var name: String {
        var text = [CChar](repeating: 0, count: 128)
        let count = unsafe X509_NAME_get_text_by_NID(
            X509_get_subject_name(certificate),
            NID_commonName,
            &text,
            Int32(text.count)
        )
        return String(
            decoding: text.prefix(max(Int(count), 0)).map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
    }

    /// The whole subject, its parts in their original order (X509_NAME_print_ex(3)).
    var subject: String {
        let text = unsafe PEM.text { bio in
            let count = unsafe X509_NAME_print_ex(
                bio,
                X509_get_subject_name(certificate),
                0,
                tapline_name_flags
            )
            return count > 0 ? 1 : 0
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The SHA-256 of the certificate's bytes.
    var fingerprint: [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard unsafe X509_digest(certificate, EVP_sha256(), &digest, &count) == 1 else { return [] }
        return Array(digest.prefix(Int(count)))
    }
}

/// Certificates and keys as text (RFC 7468).
enum PEM {
    @unsafe
    static func certificate(_ text: [UInt8]) -> OpaquePointer? {
        unsafe read(text) { unsafe PEM_read_bio_X509($0, nil, refusePassword, nil) }
    }

    @unsafe
    static func key(_ text: [UInt8]) -> OpaquePointer? {
        unsafe read(text) { unsafe PEM_read_bio_PrivateKey($0, nil, refusePassword, nil) }
    }

    @unsafe
    private static func read(
        _ text: [UInt8],
        _ parse: (OpaquePointer) -> OpaquePointer?
    ) -> OpaquePointer? {
        unsafe text.withUnsafeBytes { bytes in
            guard
                let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe parse(bio)
        }
    }

    /// Returns the text that is written to a BIO, whose own copy is overwritten; empty if that
    /// fails.
    @unsafe
    static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
        guard let bio = unsafe BIO_new(BIO_s_secmem()) else { return [] }
        defer { unsafe BIO_free(bio) }
        guard unsafe write(bio) == 1 else { return [] }
        var start: UnsafeMutableRawPointer?
        let count = unsafe BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: max(count, 0)))
    }
}

/// Times in certificates.
enum ASN1Time {
    /// Converts a time to seconds since 1970.
    @unsafe
    static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        guard let time = unsafe time, let epoch = unsafe ASN1_TIME_set(nil, 0) else { return nil }
        defer { unsafe ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var rest: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &rest, epoch, time) == 1 else { return nil }
        return Int64(days) * 86_400 + Int64(rest)
    }
}
