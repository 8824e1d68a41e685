// SPDX-License-Identifier: MIT

internal import COpenSSL

/// Makes the certificate of a host, signed by the root, for the single key of all hosts.
///
/// The parts that all certificates share are made once, since lookups in OpenSSL cost more than
/// signing.
///
/// **Isolation**: any thread; immutable.
@safe
final class LeafMaker: @unchecked Sendable {
    private let root: RootCertificate
    private let key: LeafKey
    private let extensions: [CertificateExtension]

    /// The longest validity that Apple's clients accept, and longer than others require: 397 days.
    private static let validity: Int64 = 397 * 86_400

    init(root: RootCertificate) throws(TLSError) {
        self.root = root
        key = try LeafKey()
        extensions = try Self.commonExtensions(key: key, root: root)
    }

    /// Makes the certificate of a host.
    ///
    /// - Parameters:
    ///   - host: The host.
    ///   - now: Seconds since 1970.
    /// - Returns: The certificate with its key.
    /// - Throws: `TLSError` if the root has expired, or OpenSSL fails.
    func make(for host: ServerName, now: Int64) throws(TLSError) -> TLSCertificate {
        try make(for: host, and: [], now: now)
    }

    /// Makes a certificate that has further names.
    func make(
        for host: ServerName,
        and others: [ServerName],
        now: Int64
    ) throws(TLSError) -> TLSCertificate {
        ErrorQueue.clear()
        guard now < root.notAfter else {
            throw TLSError(
                .authority,
                "the root certificate has expired; 'tapline ca rotate' creates a new one"
            )
        }
        let builder = try CertificateBuilder()
        let start = max(now - CertificateBuilder.grace, root.notBefore)
        // The last second is included (RFC 5280 §4.1.2.5).
        let end = min(start + Self.validity - 1, root.notAfter)
        // A common name has at most 64 bytes, and only old tools read it (RFC 9525 §2).
        let named = host.text.utf8.count <= 64
        try builder.setSubject([("CN", named ? host.text : "Tapline")])
        try unsafe builder.setIssuer(root.certificate)
        try builder.setValidity(from: start, to: end)
        try unsafe builder.setKey(key.publicPart)
        for part in extensions { try builder.add(part) }
        try Self.addNames([host] + others, to: builder)
        try unsafe builder.sign(with: root.key)
        let serial = builder.serial
        return unsafe TLSCertificate(
            owning: builder.release(),
            key: key,
            notAfter: end,
            sessionContext: serial
        )
    }

    /// Adds the subject's alternative names (RFC 5280 §4.2.1.6), which clients verify: a sequence of
    /// names, tagged 2, and addresses, tagged 7.
    private static func addNames(
        _ hosts: [ServerName],
        to builder: borrowing CertificateBuilder
    ) throws(TLSError) {
        let names = hosts.flatMap { host in
            let content = host.isAddress ? host.address : Array(host.text.utf8)
            return DER.element(host.isAddress ? 0x87 : 0x82, content)
        }
        let value = DER.element(0x30, names)
        guard let octets = unsafe ASN1_OCTET_STRING_new() else {
            throw CertificateBuilder.failure()
        }
        defer { unsafe ASN1_OCTET_STRING_free(octets) }
        guard unsafe ASN1_OCTET_STRING_set(octets, value, Int32(value.count)) == 1,
            let part = unsafe X509_EXTENSION_create_by_NID(nil, NID_subject_alt_name, 0, octets)
        else { throw CertificateBuilder.failure() }
        try builder.add(unsafe CertificateExtension(owning: part))
    }

    /// Makes the extensions that all certificates share: not an authority, signs handshakes, for
    /// servers, key identifiers.
    private static func commonExtensions(
        key: LeafKey,
        root: RootCertificate
    ) throws(TLSError) -> [CertificateExtension] {
        let model = try CertificateBuilder()
        try unsafe model.setKey(key.publicPart)
        var extensions: [CertificateExtension] = []
        for (kind, value) in [
            (NID_basic_constraints, "critical,CA:FALSE"),
            (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"),
            (NID_subject_key_identifier, "hash"),
            (NID_authority_key_identifier, "keyid:always"),
        ] {
            extensions.append(
                try unsafe model.makeExtension(kind, value, issuer: root.certificate)
            )
        }
        return extensions
    }
}
