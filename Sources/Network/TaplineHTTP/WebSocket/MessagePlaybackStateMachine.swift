// SPDX-License-Identifier: MIT

/// The states of one side of a connection that plays recorded messages, and what follows from control
/// frames of the other side and from its end.
///
/// ```
/// opening ─▶ playing ─▶ closing ─▶ ended
///    └──────────┴─────────────────────▲
/// ```
/// The machines of a recorded client and of a recorded server have one of these, and decide when
/// messages are due.
///
/// **Units**: microseconds of a monotonic clock.
package struct MessagePlaybackStateMachine: ~Copyable {
    /// What the owner does next.
    package enum Action: Equatable, Sendable {
        /// Wait for the next event.
        case none
        /// Send the message with an index.
        case send(Int)
        /// Send the recorded close frame.
        case close
        /// Send a close frame that says that this side goes away.
        case goAway
        /// Ask for the next action at a time.
        case arm(Int64)
        /// A message of the other side, by its number, has not come in time: nothing waits for it any
        /// longer.
        case overdue(Int)
        /// Send a pong with the payload of the ping.
        case pong
        /// Answer the close frame of the other side, and end the connection.
        case answerClose
        /// End the connection.
        case end(Ending)
    }

    /// How the connection ended.
    package enum Ending: Equatable, Sendable {
        /// One side has sent a close frame.
        case closed
        /// The other side has not answered the close frame in time.
        case unanswered
        /// A side has ended the connection without a close frame.
        case broken
    }

    package enum State: Sendable {
        /// The other side does not expect messages yet.
        case opening
        /// The message with an index is next.
        case playing(Int, opened: Int64)
        /// The close frame was sent; the other side may answer it until a time.
        case closing(Int64)
        case ended
    }

    package private(set) var state = State.opening

    package init() {}

    // MARK: Steps

    /// Returns what to do at a time while the answer to the close frame is waited for.
    package mutating func nextWhileClosing(_ deadline: Int64, now: Int64) -> Action {
        guard now >= deadline else { return .arm(deadline) }
        return end(.unanswered)
    }

    /// The next message was sent.
    package mutating func messageSent() {
        guard case .playing(let index, let opened) = state else { return }
        state = .playing(index + 1, opened: opened)
    }

    /// A close frame was sent, which the other side may answer until a time.
    package mutating func closeSent(answeredUntil deadline: Int64) {
        if case .playing = state { state = .closing(deadline) }
    }

    // MARK: Events

    /// The connection is open.
    package mutating func opened(now: Int64) {
        if case .opening = state { state = .playing(0, opened: now) }
    }

    /// A ping has arrived (RFC 6455 §5.5.2).
    package func pingArrived() -> Action {
        switch state {
        case .opening, .playing: .pong
        // No frame follows a close frame.
        case .closing, .ended: .none
        }
    }

    /// The close frame of the other side has arrived (RFC 6455 §5.5.1).
    package mutating func closeArrived() -> Action {
        switch state {
        case .opening, .playing:
            state = .ended
            return .answerClose
        case .closing: return end(.closed)
        case .ended: return .none
        }
    }

    /// The other side has ended the connection, or has sent what cannot be read.
    package mutating func connectionEnded() -> Action {
        switch state {
        case .opening, .playing: end(.broken)
        case .closing: end(.closed)
        case .ended: .none
        }
    }

    /// This side ends the connection.
    package mutating func end(_ ending: Ending) -> Action {
        state = .ended
        return .end(ending)
    }

    /// The exchange has ended.
    package mutating func stop() { state = .ended }
}
