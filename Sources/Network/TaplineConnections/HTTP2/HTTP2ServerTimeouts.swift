// SPDX-License-Identifier: MIT

package import TaplineModel

/// The time limits of connections to servers that use HTTP/2.
package struct HTTP2ServerTimeouts: Sendable {
    /// How long an idle connection is kept.
    package var keepAlive: Microseconds
    /// Until the server's first SETTINGS, and for a request while the server allows no streams.
    package var connect: Microseconds
    /// For the end of a tunnel, or of a request whose response is complete, without credit for what was
    /// sent before.
    package var idle: Microseconds

    /// Makes time limits.
    package init(keepAlive: Microseconds, connect: Microseconds, idle: Microseconds) {
        self.keepAlive = keepAlive
        self.connect = connect
        self.idle = idle
    }
}
