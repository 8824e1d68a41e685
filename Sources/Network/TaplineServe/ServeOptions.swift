// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// The limits of a server.
package struct ServeOptions: Sendable {
    /// The limits of request heads; the request line has room for long queries.
    package var limits = HTTPLimits(line: 96 << 10, head: 128 << 10, fields: 128)
    /// The maximum size of a request's body, in bytes (413).
    package var maxBodyBytes = 1 << 20
    /// Whether a request comes from a client that is logged in, by its head; if not, the limit of
    /// its body is `maxAnonymousBodyBytes`, since a body is read before the request is authorized.
    package var isLoggedIn: (@Sendable (ServedRequest) -> Bool)?
    /// The maximum size of the body of a request without a login, in bytes (413).
    package var maxAnonymousBodyBytes = 64 << 10
    /// Whether the connection may stay open after the answer to a request, by its head; `nil` for
    /// all requests.
    package var keepsConnection: (@Sendable (ServedRequest) -> Bool)?
    /// The maximum number of open connections; another one takes the place of the one that has been
    /// waiting longest for a request, or waits itself if all are being answered.
    package var maxConnections = 256
    /// How long a connection may wait for a request before another one may take its place.
    package var graceTime = Microseconds(.milliseconds(50))
    /// The maximum number of open connections of one client (`IPAddress.clientNetwork`); further
    /// ones are closed at once.
    package var maxConnectionsOfClient = Int.max
    /// How long a client may take for the TLS handshake, from its connection on.
    package var handshakeTime = Microseconds(.seconds(10))
    /// How long a client may take to begin its first request, from its connection or its TLS
    /// handshake on.
    package var firstTime = Microseconds(.seconds(75))
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
