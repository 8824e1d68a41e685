// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplineConfig
internal import TaplineModel
internal import TaplineTLS
internal import TaplinePlugin
internal import TaplineSystem

extension CertificateTools {
    /// The commands of `tapline ca` for the authority of `proxy`.
    static let proxy = CertificateTools(
        storeNames: TrustSteps.names,
        open: { place, making throws(CertificateError) in
            try ProxyAuthority(place, making: making)
        },
        rotate: { place throws(CertificateError) in
            let store = try ProxyAuthority.store(at: place)
            return try CertificateError.wrapping { () throws(TLSError) in
                try store.rotate(environment: place.environment.variables)
            }
        }
    )
}

/// The authority whose certificates `proxy` uses to read HTTPS.
struct ProxyAuthority: StoredAuthority {
    private let authority: CertificateAuthority
    private let store: AuthorityStore
    private let environment: [String: String]

    init(_ place: AuthorityLocation, making: Bool) throws(CertificateError) {
        let store = try Self.store(at: place)
        let isThere = try CertificateError.wrapping { () throws(TLSError) in try store.exists }
        guard making || isThere else {
            throw CertificateError(
                "there is no certificate authority in '\(store.folder)' yet",
                help: "'tapline ca trust' creates one"
            )
        }
        authority = try CertificateError.wrapping { () throws(TLSError) in
            try CertificateAuthority(store)
        }
        self.store = store
        environment = place.environment.variables
    }

    static func store(at place: AuthorityLocation) throws(CertificateError) -> AuthorityStore {
        let store =
            place.folder.map { AuthorityStore(folder: FileSystem.absolute($0)) }
            ?? AuthorityStore(environment: place.environment.variables)
        guard let store else {
            throw CertificateError(
                "there is no folder for the certificate authority; neither XDG_DATA_HOME nor HOME "
                    + "is set",
                help: "name a folder with '--ca'"
            )
        }
        return store
    }

    var root: RootDescription {
        let summary = authority.summary
        return RootDescription(
            subject: summary.subject,
            fingerprint: summary.fingerprint,
            notBefore: Timestamp(microseconds: summary.notBefore * 1_000_000),
            notAfter: Timestamp(microseconds: summary.notAfter * 1_000_000),
            folder: store.folder,
            path: store.certificatePath
        )
    }

    /// Returns the certificates trusted so far, and the root.
    private func bundle() throws(CertificateError) -> TrustBundle {
        try CertificateError.wrapping { () throws(TLSError) in
            try TrustBundle(of: authority, environment: environment)
        }
    }

    func export(_ format: CertificateFormat) throws(CertificateError) -> [UInt8] {
        switch format {
        case .pem: return authority.certificatePEM
        case .der: return authority.certificateDER
        case .bundle: return try bundle().bytes
        case .p12:
            let bundle = try bundle()
            return try CertificateError.wrapping { () throws(TLSError) in try bundle.javaStore() }
        }
    }

    func writeBundle() throws(CertificateError) -> CertificateBundle {
        let bundle = try bundle()
        try CertificateError.wrapping { () throws(TLSError) in try store.writeBundle(bundle) }
        return CertificateBundle(path: store.bundlePath, others: bundle.others)
    }

    func writeJavaStore() throws(CertificateError) -> JavaTrustStore {
        let bundle = try bundle()
        try CertificateError.wrapping { () throws(TLSError) in try store.writeJavaStore(bundle) }
        return JavaTrustStore(path: store.javaStorePath)
    }

    // MARK: Trust

    private var subject: TrustSubject {
        TrustSubject(authority, in: store, environment: environment)
    }

    var stores: [TrustStore] {
        let subject = subject
        return TrustSteps.all(subject).map { $0.shown(for: subject) }
    }

    func isTrustedBySystem() throws(CertificateError) -> Bool {
        try CertificateError.wrapping { () throws(TLSError) in
            try authority.isTrusted(by: TLSClientOptions())
        }
    }

    func change(_ store: TrustStore, undoing: Bool) throws(CertificateError) -> TrustChange {
        let subject = subject
        guard let steps = TrustSteps.named(store.name, subject) else {
            return TrustChange()
        }
        return try TrustChange(
            of: steps,
            undoing: undoing,
            for: subject,
            writeBundle: writeBundle
        )
    }

    func check(
        _ stores: [TrustStore],
        found: (TrustFinding) -> Void
    ) throws(CertificateError) {
        let check: TrustCheck
        do {
            check = try TrustCheck(authority, subject)
        } catch {
            throw CertificateError(
                "cannot start a server on loopback to test programs with; \(error)"
            )
        }
        for store in stores { check.findings(of: store.name).forEach(found) }
    }
}

extension CertificateError {
    /// Rethrows a `TLSError` as a `CertificateError`.
    static func wrapping<Value>(
        _ work: () throws(TLSError) -> Value
    ) throws(CertificateError) -> Value {
        do throws(TLSError) {
            return try work()
        } catch {
            throw CertificateError(error.message)
        }
    }
}
