// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineNet

/// Listens to the server of a tunnel in which the client says nothing: it may be the one that speaks
/// first.
///
/// **Isolation**: the worker's thread.
final class ServerProbe: ConnectionDelegate {
    private let server: ServerConnection
    private var isGone = false
    private var spoke: (() -> Void)?

    /// A probe of a connection that nobody uses yet.
    init(_ server: ServerConnection) {
        self.server = server
        server.socket.delegate = self
    }

    /// Calls back once the server has spoken, or has gone.
    func listen(_ spoke: @escaping () -> Void) {
        guard server.early.isEmpty else { return spoke() }
        self.spoke = spoke
        server.socket.resumeReading()
    }

    /// Gives the connection away, with what has come on it; `nil` if it is gone.
    func give() -> ServerConnection? {
        spoke = nil
        guard !isGone else { return nil }
        server.socket.delegate = server
        return server
    }

    /// Closes the connection, since nobody wants it.
    func end() {
        spoke = nil
        server.abandon()
    }

    func connection(_ connection: TCPConnection, received bytes: Span<UInt8>) {
        server.early.append(copying: bytes)
        connection.pauseReading()
        spoke.take()?()
    }

    func connectionEndedInput(_ connection: TCPConnection) { connection.abandon() }

    func connectionDrained(_ connection: TCPConnection) {}

    func connectionClosed(_ connection: TCPConnection, error: NetError?) {
        isGone = true
        spoke.take()?()
    }
}
