// SPDX-License-Identifier: MIT

public import TaplineConfig
public import TaplineModel

/// What a program can do with the certificate authority of a source that reads HTTPS.
///
/// Declared here so that commands need not be linked with what makes certificates; the source
/// brings it, through `SourcePlugin.certificates`.
public struct CertificateTools: Sendable {
    /// Opens the authority at a place; where there is none yet it is made, if that is asked for.
    public let open:
        @Sendable (_ place: AuthorityPlace, _ making: Bool) throws(CertificateError) ->
            any KeptAuthority
    /// Puts a new root in the place of what is there.
    ///
    /// **Shape**: the folder in which the former one is kept; nothing where there was none.
    public let rotate: @Sendable (_ place: AuthorityPlace) throws(CertificateError) -> String?
    /// The names of the stores of trust that are known, in the order in which they are shown.
    public let storeNames: [String]

    /// The tools of a source.
    public init(
        storeNames: [String],
        open:
            @escaping @Sendable (_ place: AuthorityPlace, _ making: Bool) throws(CertificateError)
            -> any KeptAuthority,
        rotate:
            @escaping @Sendable (_ place: AuthorityPlace) throws(CertificateError) -> String?
    ) {
        self.storeNames = storeNames
        self.open = open
        self.rotate = rotate
    }
}

/// Where an authority is kept, and for whom it is looked for.
public struct AuthorityPlace: Sendable {
    /// Its folder; the user's own where it is nothing.
    public var folder: String?
    /// The variables of the process, which say where the user's own folders are, and whom the
    /// programs of the user trust so far.
    public var environment: Environment

    /// A place.
    public init(folder: String? = nil, environment: Environment) {
        self.folder = folder
        self.environment = environment
    }
}

/// An authority in its folder: all of it but the key.
public protocol KeptAuthority: Sendable {
    /// What may be known of its root certificate.
    var root: RootDescription { get }

    /// The root certificate as bytes.
    func export(_ format: CertificateFormat) throws(CertificateError) -> [UInt8]

    /// Writes a file beside the root: all certificates that are trusted so far, and the root.
    ///
    /// Programs that are told of a file by a variable trust nothing but what is in it. What is
    /// trusted so far is what `SSL_CERT_FILE`, `REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE` name,
    /// beside what the system trusts.
    func writeBundle() throws(CertificateError) -> CertificateBundle

    /// Writes the same certificates as a store of trust for Java.
    func writeJavaStore() throws(CertificateError) -> JavaTrustStore

    /// The places in which programs look up whom they trust, the system's own first.
    var stores: [TrustStore] { get }

    /// Whether programs that use the system's store, or the variables of OpenSSL, take certificates
    /// of the authority.
    func isTrustedBySystem() throws(CertificateError) -> Bool

    /// Puts the root into a store, or takes it away.
    ///
    /// **Throws**: `CertificateError` at the first step that fails; those before it stay done.
    func change(_ store: TrustStore, undoing: Bool) throws(CertificateError) -> TrustChange

    /// Has the programs of stores open TLS connections, one after the other.
    ///
    /// - Parameters:
    ///   - stores: The stores.
    ///   - found: Told of each program as soon as it is known; once for each store at least.
    /// - Throws: `CertificateError` where no server can be made for them on loopback.
    func check(
        _ stores: [TrustStore],
        found: (TrustFinding) -> Void
    ) throws(CertificateError)
}

/// What may be known of a root certificate.
public struct RootDescription: Sendable {
    /// Its subject, `O=Tapline, CN=Tapline CA 1x2y3z`.
    public let subject: String
    /// The SHA-256 of its bytes.
    public let fingerprint: [UInt8]
    /// From when on it is valid.
    public let notBefore: Timestamp
    /// When it ends to be valid.
    public let notAfter: Timestamp
    /// The folder of the authority.
    public let folder: String
    /// The file of the certificate (PEM), which clients have to trust.
    public let path: String

    /// A description of these parts.
    public init(
        subject: String,
        fingerprint: [UInt8],
        notBefore: Timestamp,
        notAfter: Timestamp,
        folder: String,
        path: String
    ) {
        self.subject = subject
        self.fingerprint = fingerprint
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.folder = folder
        self.path = path
    }
}

/// How a certificate is written.
public enum CertificateFormat: String, Sendable, CaseIterable {
    /// As text (RFC 7468).
    case pem
    /// As the bytes that the text stands for (X.690).
    case der
    /// As text, after the certificates that are trusted so far.
    case bundle
    /// As a store of trust for Java, with those that are trusted so far (PKCS #12).
    case p12

    /// Whether it is text, which a terminal can show.
    public var isText: Bool { self == .pem || self == .bundle }
}

/// A file of certificates that are trusted, the root of an authority among them.
public struct CertificateBundle: Sendable, Equatable {
    /// The file.
    public let path: String
    /// How many certificates there are beside the root; none where the system's were not found.
    public let others: Int

    /// A bundle of these parts.
    public init(path: String, others: Int) {
        self.path = path
        self.others = others
    }

    /// The variables that make programs trust it, sorted by name; each wants the whole path.
    ///
    /// **Source**: curl(1), git-config(1), ssl(3) of Ruby and Go, and the manuals of requests, pip,
    /// the AWS command line and Cargo. Node adds to what it trusts, so it is not among them.
    public static let variables = [
        "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "PIP_CERT",
        "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE",
    ]

    /// The variables that make programs trust the root beside what they trust anyway.
    public static let addingVariables = ["DENO_CERT", "NODE_EXTRA_CA_CERTS"]
}

/// A store of trust for Java, with the root of an authority among what is trusted so far.
public struct JavaTrustStore: Sendable, Equatable {
    /// The file.
    public let path: String

    /// A store in a file.
    public init(path: String) { self.path = path }

    /// The options that have Java use it, for the variable `JAVA_TOOL_OPTIONS`.
    ///
    /// What stands there already belongs before them.
    public var options: String {
        // Quotes are for Java 9 and later; older ones know none.
        let file = path.contains(" ") ? "\"\(path)\"" : path
        return "-Djavax.net.ssl.trustStore=\(file) -Djavax.net.ssl.trustStoreType=PKCS12 "
            + "-Djavax.net.ssl.trustStorePassword=changeit"
    }
}

/// Why something could not be done with an authority.
public struct CertificateError: Error, Sendable, Equatable {
    /// What is wrong, in one sentence without a full stop.
    public let message: String
    /// What to do, where something helps.
    public let help: String?

    /// An error of these parts.
    public init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}

extension CertificateError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
