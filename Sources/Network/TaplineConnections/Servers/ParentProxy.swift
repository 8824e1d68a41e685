// SPDX-License-Identifier: MIT

package import TaplineModel

/// Another proxy between this one and the servers (RFC 9110 §3.7).
///
/// It gets plain requests in absolute-form; TLS and tunnels use its CONNECT.
package struct ParentProxy: Sendable {
    /// The address of the proxy.
    package var origin: Origin
    /// The whole value of Proxy-Authorization; it is not part of any description.
    package var authorization: ByteString?
    /// The hosts that are reached directly.
    package var exceptions: [Glob] = []
    /// Whether loopback addresses are reached directly: redirected clients mean their own.
    package var exceptsLoopback = false
    /// Advice for a person if the proxy requires other credentials, as the end of a sentence.
    package var credentialsAdvice = ""

    package init(_ origin: Origin) { self.origin = origin }

    /// Returns whether a server is reached through the proxy.
    package func covers(_ server: Origin) -> Bool {
        if exceptsLoopback, server.isLoopback { return false }
        return !exceptions.contains { server.matches($0) }
    }
}
