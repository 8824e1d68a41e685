// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// The limits and time limits for clients.
package struct ClientSettings: Sendable {
    /// The limits for heads and chunks.
    package var limits = HTTPLimits()
    package var timeouts = ClientTimeouts()
    /// Whether a client may use SOCKS.
    package var takesSocks = false
    /// The required credentials of SOCKS clients; `nil` if none are required.
    package var credentials: BasicCredentials?
    /// Which tunnels are read; `nil` if none is.
    package var interception: Interception?
    /// Where clients may use HTTP/2.
    package var http2 = HTTP2Rules()
    /// The redirected clients that have rejected certificates and pass unread; `nil` if their
    /// connections fail again.
    package var distrust: RejectedCertificateCache?

    /// The defaults.
    package init() {}
}

/// The time limit of each step of a client.
package struct ClientTimeouts: Sendable {
    /// From the first byte of a request to the end of its head.
    package var head = Microseconds(30_000_000)
    /// Between two requests.
    package var keepAlive = Microseconds(75_000_000)
    /// Until a client says something in an inspected tunnel; then the leg listens to the server.
    package var silence = Microseconds(250_000)
    /// From then until the tunnel passes unread, if both sides are silent.
    package var opening = Microseconds(3_000_000)
    /// How soon after the handshake a client has to disconnect without a request to be assumed to
    /// reject the certificate.
    package var distrust = Microseconds(1_000_000)
    /// Without a byte in either direction through a tunnel.
    package var tunnel = Microseconds(3_600_000_000)

    /// The defaults.
    package init() {}
}
