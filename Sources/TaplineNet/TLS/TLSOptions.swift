// SPDX-License-Identifier: MIT

/// The versions of TLS that are spoken (RFC 5246, RFC 8446); older ones are not.
public enum TLSVersion: Sendable, Comparable {
    /// TLS 1.2.
    case v12
    /// TLS 1.3.
    case v13
}

/// How TLS is spoken with clients.
public struct TLSServerOptions: Sendable, Equatable {
    /// The lowest version that is spoken.
    public var lowestVersion = TLSVersion.v12
    /// The highest version that is spoken.
    public var highestVersion = TLSVersion.v13
    /// The application protocols that are spoken, the first of them preferred (RFC 7301).
    ///
    /// A client that offers others alone is refused; one that offers none is not.
    public var applicationProtocols = ["http/1.1", "http/1.0"]

    /// The defaults.
    public init() {}
}

/// How TLS is spoken with servers.
public struct TLSClientOptions: Sendable, Hashable {
    /// Whether the server's certificate has to be valid, trusted, and made for the host.
    public var verify = true
    /// Whether the authorities that the system trusts are trusted.
    public var trustsSystem = true
    /// Files of further trusted certificates (PEM).
    public var authorityFiles: [String] = []
    /// Folders of further trusted certificates, named by their hash (openssl-rehash(1)).
    public var authorityFolders: [String] = []
    /// A certificate to show to servers that ask for one, with its chain (PEM); needs `keyFile`.
    public var certificateFile: String?
    /// The key of that certificate (PEM, without a password).
    public var keyFile: String?
    /// The lowest version that is spoken.
    public var lowestVersion = TLSVersion.v12
    /// The highest version that is spoken.
    public var highestVersion = TLSVersion.v13
    /// The application protocols that are offered (RFC 7301).
    public var applicationProtocols = ["http/1.1"]
    /// For how many servers a session is kept to resume with.
    public var resumableSessions = 1024

    /// The defaults.
    public init() {}
}
