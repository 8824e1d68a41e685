// SPDX-License-Identifier: MIT

internal import Dispatch
internal import Synchronization
internal import TaplineNet

/// The body of a response that is written piece by piece.
///
/// At most `ServeOptions.streamWindow` bytes wait for a slow client: `write` waits until there is
/// room, `offer` does not. If it is released before `finish`, the client gets an incomplete body.
///
/// **Isolation**: one writer, on any thread but a loop's for `write`.
package final class ResponseStream: Sendable {
    private struct State {
        /// How many bytes were written that the connection has not passed on.
        var waiting = 0
        var isClosed = false
        /// Whether the writer waits for room.
        var isBlocked = false
        var closed: (@Sendable () -> Void)?
    }

    private let connection: ServedConnection
    private let number: Int
    private let window: Int
    private let state = Mutex(State())
    private let room = DispatchSemaphore(value: 0)

    init(_ connection: ServedConnection, _ number: Int) {
        self.connection = connection
        self.number = number
        window = connection.options.streamWindow
    }

    deinit { end(isWhole: false) }

    /// Whether nobody reads the body any more, or it is finished.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Writes a piece; waits while the client is too slow.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: `false` if nobody reads the body any more.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        while true {
            let hasRoom = state.withLock { state -> Bool? in
                if state.isClosed { return nil }
                state.isBlocked = state.waiting > window
                if !state.isBlocked { state.waiting += bytes.count }
                return !state.isBlocked
            }
            guard let hasRoom else { return false }
            if hasRoom { return pass(bytes) }
            room.wait()
        }
    }

    /// Writes a piece, unless the client is too slow.
    ///
    /// - Parameter bytes: The piece.
    /// - Returns: Whether it was written.
    @discardableResult
    package func offer(_ bytes: [UInt8]) -> Bool {
        let hasRoom = state.withLock { state in
            guard !state.isClosed, state.waiting <= window else { return false }
            state.waiting += bytes.count
            return true
        }
        return hasRoom && pass(bytes)
    }

    /// Ends the body.
    ///
    /// - Parameter isWhole: Whether it is complete; otherwise the client sees an error.
    package func finish(isWhole: Bool = true) { end(isWhole: isWhole) }

    /// Sets what is called once when nobody reads the body any more, or it is finished.
    package func whenClosed(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            if !state.isClosed { state.closed = action }
            return state.isClosed
        }
        if isLate { action() }
    }

    private func pass(_ bytes: [UInt8]) -> Bool {
        let (connection, number) = (connection, number)
        return connection.loop.execute { connection.stream(number, bytes) }
    }

    private func end(isWhole: Bool) {
        guard close() else { return }
        let (connection, number) = (connection, number)
        connection.loop.execute { connection.endStream(number, isWhole: isWhole) }
    }

    // MARK: Called by the connection

    /// Handles that the connection has passed on bytes.
    func passedOn(_ count: Int) {
        let wasBlocked = state.withLock { state in
            state.waiting -= count
            guard state.isBlocked, state.waiting <= window else { return false }
            state.isBlocked = false
            return true
        }
        if wasBlocked { room.signal() }
    }

    /// Handles that nobody reads the body.
    func abandon() { _ = close() }

    /// Returns whether it was open.
    private func close() -> Bool {
        let (wasOpen, wasBlocked, action) = state.withLock { state in
            let result = (!state.isClosed, state.isBlocked, state.closed.take())
            state.isClosed = true
            state.isBlocked = false
            return result
        }
        if wasBlocked { room.signal() }
        action?()
        return wasOpen
    }
}
