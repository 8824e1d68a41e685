// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineSystem

/// Operations on the certificate authority of a source that decrypts HTTPS.
///
/// Declared here so that commands need not link the code that makes certificates. The source
/// provides it through `SourcePlugin.certificates`.
package struct CertificateTools: Sendable {
    /// Opens the authority at a place.
    ///
    /// If there is none, it is created if `making` is set.
    package let open:
        @Sendable (_ place: AuthorityLocation, _ making: Bool) throws(CertificateError) ->
            any StoredAuthority
    /// Replaces the root by a new one.
    ///
    /// **Returns**: the folder where the former root is kept; `nil` if there was none.
    package let rotate: @Sendable (_ place: AuthorityLocation) throws(CertificateError) -> String?
    /// The names of the known trust stores, in display order.
    package let storeNames: [String]

    /// Creates the tools of a source.
    package init(
        storeNames: [String],
        open:
            @escaping @Sendable (_ place: AuthorityLocation, _ making: Bool)
            throws(CertificateError)
            -> any StoredAuthority,
        rotate:
            @escaping @Sendable (_ place: AuthorityLocation) throws(CertificateError) -> String?
    ) {
        self.storeNames = storeNames
        self.open = open
        self.rotate = rotate
    }
}

/// The folder and environment of an authority.
package struct AuthorityLocation: Sendable {
    /// The folder of the authority; `nil` for the user's own.
    package var folder: String?
    /// The variables of the process, which name the user's own folders and the certificates that
    /// the user's programs trust so far.
    package var environment: Environment

    /// Creates a place.
    package init(folder: String? = nil, environment: Environment) {
        self.folder = folder
        self.environment = environment
    }
}

/// An authority in its folder, without access to its private key.
package protocol StoredAuthority: Sendable {
    /// The public properties of its root certificate.
    var root: RootDescription { get }

    /// Returns the root certificate as bytes.
    func export(_ format: CertificateFormat) throws(CertificateError) -> [UInt8]

    /// Writes a bundle beside the root: all certificates that are trusted so far, and the root.
    ///
    /// Programs that read a bundle named by a variable trust nothing outside it. The certificates
    /// trusted so far are those of the system, and those in the files that `SSL_CERT_FILE`,
    /// `REQUESTS_CA_BUNDLE` and `CURL_CA_BUNDLE` name.
    func writeBundle() throws(CertificateError) -> CertificateBundle

    /// Writes the same certificates as a trust store for Java.
    func writeJavaStore() throws(CertificateError) -> JavaTrustStore

    /// The trust stores of programs, the system's own first.
    var stores: [TrustStore] { get }

    /// Returns whether programs that use the system's store or OpenSSL's variables accept
    /// certificates of the authority.
    func isTrustedBySystem() throws(CertificateError) -> Bool

    /// Adds the root to a store, or removes it.
    ///
    /// **Throws**: `CertificateError` at the first step that fails; the steps before it are not
    /// undone.
    func change(_ store: TrustStore, undoing: Bool) throws(CertificateError) -> TrustChange

    /// Has the programs that use the stores open TLS connections, one after the other.
    ///
    /// - Parameters:
    ///   - stores: The stores.
    ///   - found: Called with the finding of each program as soon as it is known, at least once for
    ///     each store.
    /// - Throws: `CertificateError` if no server can be started for them on loopback.
    func check(
        _ stores: [TrustStore],
        found: (TrustFinding) -> Void
    ) throws(CertificateError)
}

/// The public properties of a root certificate.
package struct RootDescription: Sendable {
    /// Its subject, `O=Tapline, CN=Tapline CA 1x2y3z`.
    package let subject: String
    /// The SHA-256 of its bytes.
    package let fingerprint: [UInt8]
    /// The start of its validity.
    package let notBefore: Timestamp
    /// The end of its validity.
    package let notAfter: Timestamp
    /// The folder of the authority.
    package let folder: String
    /// The certificate file (PEM) that clients must trust.
    package let path: String

    /// Creates a description.
    package init(
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

/// The format in which a certificate is written.
package enum CertificateFormat: String, Sendable, CaseIterable {
    /// As text (RFC 7468).
    case pem
    /// As DER bytes (X.690).
    case der
    /// As text, after the certificates that are trusted so far.
    case bundle
    /// As a trust store for Java, with the certificates that are trusted so far (PKCS #12).
    case p12

    /// Whether the format is text, which a terminal can show.
    package var isText: Bool { self == .pem || self == .bundle }
}

/// A file of trusted certificates, including the root of an authority.
package struct CertificateBundle: Sendable, Equatable {
    /// The file.
    package let path: String
    /// The number of certificates besides the root; 0 if the system's were not found.
    package let others: Int

    /// Creates a bundle.
    package init(path: String, others: Int) {
        self.path = path
        self.others = others
    }

    /// The variables that make programs trust the bundle, sorted by name; each must hold the
    /// absolute path.
    ///
    /// **Source**: curl(1), git-config(1), ssl(3) of Ruby and Go, and the manuals of requests, pip,
    /// the AWS command line, Cargo and gRPC. Node adds to the certificates that it trusts, so its
    /// variable is not listed here.
    package static let variables = [
        "AWS_CA_BUNDLE", "CARGO_HTTP_CAINFO", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE",
    ]

    /// The variables that make programs trust the root in addition to the certificates that they
    /// trust anyway.
    package static let addingVariables = ["DENO_CERT", "NODE_EXTRA_CA_CERTS"]
}

/// A trust store for Java, which holds the root of an authority and the certificates trusted so
/// far.
package struct JavaTrustStore: Sendable, Equatable {
    /// The file.
    package let path: String

    /// Creates a store in a file.
    package init(path: String) { self.path = path }

    /// The options that make Java use the store, for the variable `JAVA_TOOL_OPTIONS`.
    ///
    /// Put them after the options that the variable already holds.
    package var options: String {
        // Java 9 and later support quotes; older versions do not.
        let file = path.contains(" ") ? "\"\(path)\"" : path
        return "-Djavax.net.ssl.trustStore=\(file) -Djavax.net.ssl.trustStoreType=PKCS12 "
            + "-Djavax.net.ssl.trustStorePassword=changeit"
    }
}

/// The reason that an operation on an authority failed.
package struct CertificateError: Error, Sendable, Equatable {
    /// The problem, in one sentence without a full stop.
    package let message: String
    /// The remedy, if there is one.
    package let help: String?

    /// Creates an error.
    package init(_ message: String, help: String? = nil) {
        self.message = message
        self.help = help
    }
}

extension CertificateError: CustomStringConvertible {
    /// The message.
    package var description: String { message }
}
