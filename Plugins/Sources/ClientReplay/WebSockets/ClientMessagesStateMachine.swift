// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

/// Decides when the recorded messages of a client are sent through a WebSocket, and when it is
/// closed.
///
/// Each message is due at a time after the opening, which no delay changes, or after a number of
/// messages of the server. One that sends back tokens of a message of the server comes after that
/// message, unless it stays away for `patience` after it was due. After the last one the connection stays open until the server has sent
/// as many messages as were recorded, and its close frame if it closed the recorded connection; but
/// not longer than `patience`.
///
/// Call `next` after each event, until it returns `arm`, `none` or an end.
///
/// **Units**: microseconds of a monotonic clock.
struct ClientMessagesStateMachine: ~Copyable {
    typealias Action = MessagePlaybackStateMachine.Action
    typealias Ending = MessagePlaybackStateMachine.Ending

    /// When a message is sent.
    struct Step: Sendable, Equatable {
        /// The time since the opening.
        var due: Int64 = 0
        /// How many messages of the server come before it, unless these do not arrive within `patience`.
        var after = 0
        /// The numbers of messages of the server whose tokens it sends back.
        var needs: [Int] = []
    }

    /// A message of the server that hands out tokens.
    struct IssuingMessage: Sendable, Equatable {
        let number: Int
        /// The time since the opening.
        let due: Int64
        /// How many messages of the client come before it.
        let after: Int
    }

    /// A recorded conversation, as far as times depend on it.
    struct Plan: Sendable, Equatable {
        var steps: [Step] = []
        /// The messages of the server that hand out tokens, in order.
        var issuing: [IssuingMessage] = []
        /// When the connection is closed, at the earliest.
        var end: Int64 = 0
        /// How many messages of the server were recorded before it was closed.
        var expected = 0
        /// Whether the server closed the recorded connection.
        var isClosedByServer = false
    }

    private let plan: Plan
    private let patience: Int64
    private var playback = MessagePlaybackStateMachine()
    /// How many messages of the server have arrived.
    private var received = 0
    /// When a message was last sent.
    private var lastSent = Int64.min
    /// When a message last arrived.
    private var lastArrival = Int64.min
    /// The messages that hand out tokens and have not come.
    private var awaited: ArraySlice<IssuingMessage>
    /// When each message was sent, as far as `awaited` depends on it.
    private var sent: [Int64] = []

    /// - Parameters:
    ///   - plan: What is sent.
    ///   - patience: How long messages and the close frame of the server are waited for.
    init(_ plan: Plan, patience: Int64) {
        self.plan = plan
        self.patience = patience
        awaited = plan.issuing[...]
    }

    /// Returns what to do now.
    mutating func next(now: Int64) -> Action {
        switch playback.state {
        case .opening, .ended: return .none
        case .playing(let index, let opened):
            let deadline = tokenDeadline(opened)
            if now >= deadline, let overdue = awaited.popFirst() {
                return .overdue(overdue.number)
            }
            let action = nextMessage(index, now, opened)
            if case .arm(let time) = action { return .arm(min(time, deadline)) }
            return action
        case .closing(let deadline): return playback.nextWhileClosing(deadline, now: now)
        }
    }

    /// Sends a message that is due, or closes after the last one.
    private mutating func nextMessage(_ index: Int, _ now: Int64, _ opened: Int64) -> Action {
        guard index < plan.steps.count else { return finish(now, opened) }
        let step = plan.steps[index]
        let due = opened + step.due
        guard now >= due else { return .arm(due) }
        let deadline = max(due, lastSent, lastArrival).addingClamped(patience)
        guard received >= step.after || now >= deadline else { return .arm(deadline) }
        // Until the deadline of the tokens.
        let isBlocked = step.needs.contains { number in awaited.contains { $0.number == number } }
        guard !isBlocked else { return .arm(.max) }
        playback.messageSent()
        lastSent = now
        if !awaited.isEmpty { sent.append(now) }
        return .send(index)
    }

    /// Until when the first message that hands out tokens is waited for; it never is, as long as
    /// messages of the client come first.
    private func tokenDeadline(_ opened: Int64) -> Int64 {
        guard let first = awaited.first, first.after <= sent.count else { return .max }
        let since = first.after > 0 ? sent[first.after - 1] : opened
        return max(opened.addingClamped(first.due), since).addingClamped(patience)
    }

    /// Waits for the server's last messages, then closes.
    private mutating func finish(_ now: Int64, _ opened: Int64) -> Action {
        let due = opened + plan.end
        guard now >= due else { return .arm(due) }
        // Arrivals do not postpone it: a server may send forever.
        let deadline = max(due, lastSent).addingClamped(patience)
        let isComplete = received >= plan.expected && !plan.isClosedByServer
        guard isComplete || now >= deadline else { return .arm(deadline) }
        playback.closeSent(answeredUntil: now.addingClamped(patience))
        return .close
    }

    // MARK: Events

    /// The connection is open; then `next`.
    mutating func opened(now: Int64) { playback.opened(now: now) }

    /// A message of the server has arrived; then `next`.
    mutating func messageArrived(now: Int64) {
        received += 1
        lastArrival = now
    }

    /// A message of the server has handed out its tokens; then `next`.
    mutating func tokensArrived(_ number: Int) {
        if awaited.first?.number == number {
            awaited.removeFirst()
        } else {
            awaited.removeAll { $0.number == number }
        }
    }

    /// A ping has arrived.
    func pingArrived() -> Action { playback.pingArrived() }

    /// The server's close frame has arrived.
    mutating func closeArrived() -> Action { playback.closeArrived() }

    /// The server has ended the connection.
    mutating func connectionEnded() -> Action { playback.connectionEnded() }

    /// The run ends; then `next`.
    mutating func stop(now: Int64) -> Action {
        guard case .playing = playback.state else { return .none }
        playback.closeSent(answeredUntil: now.addingClamped(patience))
        return .goAway
    }

    /// The exchange has ended.
    mutating func end() { playback.stop() }
}
