// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// The limits of a server.
package struct ServeOptions: Sendable {
    /// The limits of request heads; the request line has room for long queries.
    package var limits = HTTPLimits(line: 96 << 10, head: 128 << 10, fields: 128)
    /// The maximum size of a request's body, in bytes (413).
    package var maxBodyBytes = 1 << 20
    /// The maximum number of open connections; the kernel queues further ones.
    package var maxConnections = 256
    /// How long a client may take to send a request, from its first byte on (408).
    package var requestTime = Microseconds(.seconds(30))
    /// How long a connection stays open between two requests.
    package var idleTime = Microseconds(.seconds(75))
    /// How long a client may take nothing of a response before the connection is closed.
    package var stallTime = Microseconds(.seconds(60))
    /// How many bytes of a streamed response wait for the client before its writer has to wait.
    package var streamWindow = 256 << 10

    /// The defaults.
    package init() {}
}
