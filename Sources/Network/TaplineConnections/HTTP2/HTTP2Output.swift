// SPDX-License-Identifier: MIT

internal import TaplineHTTP2
internal import TaplineNet

/// Moves the output of a session to its connection: once in a turn of the loop, and only while the
/// peer takes it.
///
/// **Isolation**: the connection's loop.
final class HTTP2Output {
    private enum Phase {
        /// The next call of `move` moves output.
        case waiting
        /// Output is being moved, during which the session delivers events.
        case moving
        /// Output is being moved, and the connection is closed after that.
        case closing
    }

    private let socket: TCPConnection
    private let session: HTTP2Session
    private var isScheduled = false
    private var phase = Phase.waiting
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
        guard phase == .waiting else { return }
        isScheduled = false
        guard socket.isOpen else { return }
        phase = .moving
        var buffer = socket.loop.takeSpare()
        var hasMore = true
        while hasMore, socket.isWritable {
            hasMore = session.takeOutput(into: &buffer)
            guard !buffer.isEmpty else { break }
            socket.write(buffer.span)
            buffer.removeAll(keepingCapacity: true)
        }
        socket.loop.giveBack(spare: consume buffer)
        let closes = phase == .closing
        phase = .waiting
        moved?()
        if closes || session.isFinished { socket.close() }
    }

    /// Moves what is left, and closes the connection.
    ///
    /// An owner of a stream may call it while output is moved, which is sent before.
    func close() {
        guard phase == .waiting else { return phase = .closing }
        move()
        socket.close()
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
