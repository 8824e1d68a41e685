// SPDX-License-Identifier: MIT

package import TaplineHTTP
package import TaplineModel

/// What is read from clients, and how long they may take.
package struct ClientSettings: Sendable {
    /// What is read of a head or a chunk before it is refused.
    package var limits = HTTPLimits()
    package var timeouts = ClientTimeouts()
    /// Whether a client may begin with SOCKS.
    package var takesSocks = false
    /// What a client of SOCKS has to give; `nil` if it has to give nothing.
    package var credentials: BasicCredentials?
    /// Which tunnels are read; `nil` if none is.
    package var interception: Interception?

    /// The defaults.
    package init() {}
}

/// How long each step of a client may take.
package struct ClientTimeouts: Sendable {
    /// From the first byte of a request to the end of its head.
    package var head = Microseconds(30_000_000)
    /// Between two requests.
    package var keepAlive = Microseconds(75_000_000)
    /// Until a client says something in a tunnel that is looked into; then the server is listened to.
    package var silence = Microseconds(250_000)
    /// From there until the tunnel passes as it is, if neither says anything.
    package var opening = Microseconds(3_000_000)
    /// Within which a client that goes without a request, in TLS that is read, has probably not
    /// taken the certificate.
    package var distrust = Microseconds(1_000_000)
    /// Without a byte in either direction through a tunnel.
    package var tunnel = Microseconds(3_600_000_000)

    /// The defaults.
    package init() {}
}
