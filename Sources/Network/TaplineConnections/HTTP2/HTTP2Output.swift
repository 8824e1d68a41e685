// SPDX-License-Identifier: MIT

internal import TaplineHTTP2
internal import TaplineNet

/// Moves the output of a session to its connection: once in a turn of the loop, and only while the
/// peer takes it.
///
/// **Isolation**: the connection's loop.
final class HTTP2Output {
    private let socket: TCPConnection
    private let session: HTTP2Session
    private var isScheduled = false
    /// Called after output was moved.
    var moved: (() -> Void)?

    init(_ session: HTTP2Session, _ socket: TCPConnection) {
        self.session = session
        self.socket = socket
    }

    /// Moves output at the end of the current turn of the loop.
    func schedule() {
        guard !isScheduled else { return }
        isScheduled = true
        socket.loop.afterThisEvent { self.move() }
    }

    /// Moves output now; closes the connection if the session has ended.
    func move() {
        isScheduled = false
        guard socket.isOpen else { return }
        var buffer = socket.loop.takeSpare()
        var hasMore = true
        while hasMore, socket.isWritable {
            hasMore = session.takeOutput(into: &buffer)
            guard !buffer.isEmpty else { break }
            socket.write(buffer.span)
            buffer.removeAll(keepingCapacity: true)
        }
        socket.loop.giveBack(spare: consume buffer)
        moved?()
        if session.isFinished { socket.close() }
    }
}

/// The credit that a peer gets back for the content of a stream.
struct HTTP2Credit {
    /// The bytes that were received and not given back.
    private var waiting = 0

    /// Counts received content; returns how much to give back now.
    mutating func received(_ count: Int, isBlocked: Bool) -> Int {
        waiting &+= count
        return isBlocked ? 0 : take()
    }

    /// Returns how much to give back, since the receiver takes more.
    mutating func take() -> Int {
        defer { waiting = 0 }
        return waiting
    }
}
