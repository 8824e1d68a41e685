// SPDX-License-Identifier: MIT

package import TaplineTLS

/// How servers are reached, from the options that the source and the sink share.
package struct NATSSettings: Sendable {
    /// How a client proves who it is.
    package enum Credentials: Sendable {
        /// A file with a JWT and the seed of a key (`.creds`).
        case file(String)
        /// A user and a password.
        case user(String, password: String)
        /// A token.
        case token(String)
    }

    /// The servers as URLs, without credentials.
    package var servers: [String]
    /// The name of the stream.
    package var stream: String
    /// The credentials; `nil` if none are sent.
    package var credentials: Credentials?
    /// The options of TLS; `nil` if TLS is not used.
    package var tls: TLSClientOptions?
    /// How long connecting, and an answer of the server, may take.
    ///
    /// **Units**: milliseconds.
    package var timeout: Int64
    /// How many fetched messages may wait in memory; the limit of the consumer bounds them, too.
    package var maxWaiting: Int32 = 1_000_000

    /// Creates settings without credentials.
    package init(servers: [String], stream: String, timeout: Int64 = 5000) {
        self.servers = servers
        self.stream = stream
        self.timeout = timeout
    }
}
