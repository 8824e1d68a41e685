// SPDX-License-Identifier: MIT

package import TaplineModel

/// Another proxy between this one and the servers (RFC 9110 §3.7).
///
/// It is sent plain requests in absolute-form; for TLS and tunnels it is asked with CONNECT.
package struct ParentProxy: Sendable {
    /// Where it is.
    package var origin: Origin
    /// What it is shown, as a whole value of Proxy-Authorization; no description has it.
    package var authorization: ByteString?
    /// The hosts that are reached without it.
    package var exceptions: [Glob] = []
    /// What a person may do if it asks for other credentials, as an end of a sentence.
    package var credentialsAdvice = ""

    package init(_ origin: Origin) { self.origin = origin }

    /// Whether a server is reached through it.
    package func covers(_ server: Origin) -> Bool {
        let host = server.host
        return !exceptions.contains { $0.matches(host.span) }
    }
}
