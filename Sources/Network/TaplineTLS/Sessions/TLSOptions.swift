// SPDX-License-Identifier: MIT

/// The supported versions of TLS (RFC 5246, RFC 8446).
package enum TLSVersion: Sendable, Comparable {
    /// TLS 1.2.
    case v12
    /// TLS 1.3.
    case v13
}

/// The TLS options for clients.
package struct TLSServerOptions: Sendable, Equatable {
    /// The lowest supported version.
    package var lowestVersion = TLSVersion.v12
    /// The highest supported version.
    package var highestVersion = TLSVersion.v13
    /// The supported application protocols, in order of preference (RFC 7301).
    ///
    /// A client that offers only other protocols is refused. A client that offers none is accepted.
    package var applicationProtocols = ["http/1.1", "http/1.0"]

    /// The defaults.
    package init() {}
}

/// The TLS options for servers.
package struct TLSClientOptions: Sendable, Hashable {
    /// Whether the server's certificate has to be valid, trusted, and issued for the host.
    package var verify = true
    /// Whether the system's authorities are trusted.
    package var trustsSystem = true
    /// Files of additional trusted certificates (PEM).
    package var authorityFiles: [String] = []
    /// Folders of additional trusted certificates, named by their hash (openssl-rehash(1)).
    package var authorityFolders: [String] = []
    /// A certificate for servers that request one, with its chain (PEM); needs `keyFile`.
    package var certificateFile: String?
    /// The key of that certificate (PEM, without a password).
    package var keyFile: String?
    /// The lowest supported version.
    package var lowestVersion = TLSVersion.v12
    /// The highest supported version.
    package var highestVersion = TLSVersion.v13
    /// The offered application protocols (RFC 7301).
    package var applicationProtocols = ["http/1.1"]
    /// The number of servers whose sessions are kept for resumption.
    package var resumableSessions = 1024

    /// The defaults.
    package init() {}

    /// The files that are read.
    package var files: [String] {
        authorityFiles + [certificateFile, keyFile].compactMap(\.self)
    }
}
