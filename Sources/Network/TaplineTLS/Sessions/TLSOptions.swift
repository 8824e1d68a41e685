// SPDX-License-Identifier: MIT

/// The supported versions of TLS (RFC 5246, RFC 8446).
public enum TLSVersion: Sendable, Comparable {
    /// TLS 1.2.
    case v12
    /// TLS 1.3.
    case v13
}

/// The TLS options for clients.
public struct TLSServerOptions: Sendable, Equatable {
    /// The lowest supported version.
    public var lowestVersion = TLSVersion.v12
    /// The highest supported version.
    public var highestVersion = TLSVersion.v13
    /// The supported application protocols, in order of preference (RFC 7301).
    ///
    /// A client that offers only other protocols is refused. A client that offers none is accepted.
    public var applicationProtocols = ["http/1.1", "http/1.0"]

    /// The defaults.
    public init() {}
}

/// The TLS options for servers.
public struct TLSClientOptions: Sendable, Hashable {
    /// Whether the server's certificate has to be valid, trusted, and issued for the host.
    public var verify = true
    /// Whether the system's authorities are trusted.
    public var trustsSystem = true
    /// Files of additional trusted certificates (PEM).
    public var authorityFiles: [String] = []
    /// Folders of additional trusted certificates, named by their hash (openssl-rehash(1)).
    public var authorityFolders: [String] = []
    /// A certificate for servers that request one, with its chain (PEM); needs `keyFile`.
    public var certificateFile: String?
    /// The key of that certificate (PEM, without a password).
    public var keyFile: String?
    /// The lowest supported version.
    public var lowestVersion = TLSVersion.v12
    /// The highest supported version.
    public var highestVersion = TLSVersion.v13
    /// The offered application protocols (RFC 7301).
    public var applicationProtocols = ["http/1.1"]
    /// The number of servers whose sessions are kept for resumption.
    public var resumableSessions = 1024

    /// The defaults.
    public init() {}
}
