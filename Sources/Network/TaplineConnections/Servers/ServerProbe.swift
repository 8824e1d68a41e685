// SPDX-License-Identifier: MIT

internal import TaplineModel
package import TaplineNet

/// Listens to the server of a tunnel whose client is silent, since the server may be the one that
/// speaks first.
///
/// **Isolation**: the connection's loop.
package final class ServerProbe: ConnectionDelegate {
    private let server: ServerLeg
    private var isGone = false
    private var spoke: (() -> Void)?

    /// Makes a probe of an unused connection.
    package init(_ server: ServerLeg) {
        self.server = server
        server.socket.delegate = self
    }

    /// Calls back once the server has spoken, or has disconnected.
    package func listen(_ spoke: @escaping () -> Void) {
        guard !server.hasEarlyBytes else { return spoke() }
        self.spoke = spoke
        server.socket.resumeReading()
    }

    /// Gives the connection away, with its input; `nil` if it is closed.
    package func give() -> ServerLeg? {
        spoke = nil
        guard !isGone else { return nil }
        server.socket.delegate = server
        return server
    }

    /// Closes the connection, which is not needed.
    package func end() {
        spoke = nil
        server.abandon()
    }

    package func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        server.keep(early: bytes)
        connection.pauseReading()
        spoke.take()?()
    }

    package func connectionEndedInput(_ connection: TCPConnection) { connection.abandon() }

    package func connectionDrained(_ connection: TCPConnection) {}

    package func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        isGone = true
        spoke.take()?()
    }
}
