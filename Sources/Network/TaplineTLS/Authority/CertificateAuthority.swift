// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineSystem

/// The authority that issues certificates for intercepted hosts.
///
/// **Isolation**: any thread; all lanes share one, so that a host's certificate is made once.
package final class CertificateAuthority: Sendable {
    /// The store of the authority; `nil` if it exists in memory only.
    package let store: AuthorityStore?
    let root: RootCertificate
    private let maker: LeafMaker
    private let leaves: Mutex<GenerationCache<ServerName, TLSCertificate>>
    private let now: @Sendable () -> Int64

    /// How long before its end a certificate is renewed: an hour.
    private static let renewal: Int64 = 3600

    /// Reads the authority of a store, or creates it if there is none.
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - leafCapacity: The number of hosts whose certificates are kept.
    /// - Throws: `TLSError` if the authority cannot be read or created, or others can read its key.
    package convenience init(
        _ store: AuthorityStore,
        leafCapacity: Int = CertificateAuthority.defaultLeafCapacity
    ) throws(TLSError) {
        try self.init(root: store.loadOrCreate(), store: store, leafCapacity: leafCapacity)
    }

    /// Makes an authority in memory, for tests.
    package convenience init(
        leafCapacity: Int = CertificateAuthority.defaultLeafCapacity
    ) throws(TLSError) {
        try self.init(
            root: RootCertificate(now: WallClock.seconds),
            store: nil,
            leafCapacity: leafCapacity
        )
    }

    init(
        root: RootCertificate,
        store: AuthorityStore?,
        leafCapacity: Int,
        now: @escaping @Sendable () -> Int64 = { WallClock.seconds }
    ) throws(TLSError) {
        self.root = root
        self.store = store
        self.now = now
        maker = try LeafMaker(root: root)
        leaves = Mutex(GenerationCache(capacity: leafCapacity))
    }

    /// The default number of hosts whose certificates are kept.
    package static let defaultLeafCapacity = 4096

    /// Returns the certificate of a host, which is made on the first request.
    ///
    /// If two threads request a new host at once, both make a certificate, which costs less than
    /// waiting. The later one is kept.
    package func leaf(for host: ServerName) throws(TLSError) -> TLSCertificate {
        let moment = now()
        if let found = leaves.withLock({ $0.value(for: host) }),
            moment < found.notAfter - Self.renewal || found.notAfter >= root.notAfter
        {
            return found
        }
        let made = try maker.make(for: host, now: moment)
        leaves.withLock { $0.insert(made, for: host) }
        return made
    }

    /// Makes a certificate with several names, which is not kept.
    ///
    /// - Parameters:
    ///   - host: The first name, which old tools show.
    ///   - others: Further names, at most 100.
    /// - Returns: The certificate with its key.
    /// - Throws: `TLSError` if there are too many names, or the root has expired.
    package func certificate(
        for host: ServerName,
        and others: [ServerName]
    ) throws(TLSError) -> TLSCertificate {
        guard others.count <= 100 else {
            throw TLSError(.configuration, "a certificate has more than 101 names")
        }
        return try maker.make(for: host, and: others, now: now())
    }

    /// The public information about the root.
    package var summary: AuthoritySummary { AuthoritySummary(root, store: store) }

    /// The root certificate as text (PEM), for clients to trust.
    package var certificatePEM: [UInt8] { root.certificatePEM }

    /// The root certificate as bytes (X.690).
    package var certificateDER: [UInt8] { unsafe DER.encode(root.certificate) }
}

/// The public information about a root certificate: everything except its key.
package struct AuthoritySummary: Sendable {
    /// The name in its subject (`CN`), under which trust stores list it.
    package let name: String
    /// Its subject, `O=Tapline, CN=Tapline CA 1x2y3z`.
    package let subject: String
    /// The SHA-256 of its bytes.
    package let fingerprint: [UInt8]
    /// The first second of its validity, since 1970.
    package let notBefore: Int64
    /// The last second of its validity, since 1970.
    package let notAfter: Int64
    /// The file of the certificate.
    package let path: String?

    init(_ root: RootCertificate, store: AuthorityStore?) {
        name = root.name
        subject = root.subject
        fingerprint = root.fingerprint
        notBefore = root.notBefore
        notAfter = root.notAfter
        path = store?.certificatePath
    }
}

extension WallClock {
    /// Seconds since 1970-01-01 UTC.
    static var seconds: Int64 { microseconds / 1_000_000 }
}
