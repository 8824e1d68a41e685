// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFiles

/// The authority whose certificates stand in for those of intercepted hosts.
///
/// **Isolation**: any thread; all lanes share one, so that a host's certificate is made once.
public final class CertificateAuthority: Sendable {
    /// Where it is kept; nothing where it lives in memory alone.
    public let store: AuthorityStore?
    let root: RootCertificate
    private let maker: LeafMaker
    private let leaves: Mutex<GenerationCache<ServerName, TLSCertificate>>
    private let now: @Sendable () -> Int64

    /// Renewed that long before its end: an hour.
    private static let renewal: Int64 = 3600

    /// The authority of a store; made where there is none yet.
    ///
    /// - Parameters:
    ///   - store: Where it is kept.
    ///   - leafCapacity: For how many hosts certificates are kept.
    /// - Throws: `TLSError` where it cannot be read or made, or others can read its key.
    public convenience init(
        _ store: AuthorityStore,
        leafCapacity: Int = CertificateAuthority.defaultLeafCapacity
    ) throws(TLSError) {
        try self.init(root: store.loadOrCreate(), store: store, leafCapacity: leafCapacity)
    }

    /// An authority that nobody knows of, for tests.
    public convenience init(
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

    /// For how many hosts certificates are kept where nothing else is said.
    public static let defaultLeafCapacity = 4096

    /// The certificate of a host; made when it is first asked for.
    ///
    /// Two threads that ask for a new host at once both make one, which costs less than a wait
    /// would; the later one stays.
    public func leaf(for host: ServerName) throws(TLSError) -> TLSCertificate {
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

    /// What people and other programs may know of the root.
    public var summary: AuthoritySummary { AuthoritySummary(root, store: store) }

    /// The root certificate as text (PEM), to be trusted by clients.
    public var certificatePEM: [UInt8] { root.certificatePEM }

    /// The same as bytes (X.690).
    public var certificateDER: [UInt8] { unsafe DER.encode(root.certificate) }
}

/// What may be known of a root certificate: all but its key.
public struct AuthoritySummary: Sendable {
    /// The name in its subject (`CN`), by which stores of trust list it.
    public let name: String
    /// Its subject, `O=Tapline, CN=Tapline CA 1x2y3z`.
    public let subject: String
    /// The SHA-256 of its bytes.
    public let fingerprint: [UInt8]
    /// Its first second, since 1970.
    public let notBefore: Int64
    /// Its last second, since 1970.
    public let notAfter: Int64
    /// The file of the certificate.
    public let path: String?

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
