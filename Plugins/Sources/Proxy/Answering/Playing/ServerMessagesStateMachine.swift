// SPDX-License-Identifier: MIT

/// Decides when the recorded messages of a server are sent to a client.
///
/// ```
/// opening ─▶ playing ─▶ closing ─▶ ended
///    └──────────┴─────────────────────▲
/// ```
/// Each message waits for as many messages of the client as were recorded before it, and then for
/// its recorded distance to the last of these; without one, to the opening. A message is never sent
/// before those that were recorded before it. Times are absolute, so that delays do not add up.
///
/// Call `next` after each event, until it returns `wait`, `arm` or an end.
/// An event stream is played in the same way, without messages of a client.
///
/// **Units**: microseconds of a monotonic clock.
struct ServerMessagesStateMachine: ~Copyable {
    /// What is sent.
    enum Kind: Sendable, Equatable {
        case message
        /// The close frame, which ends the messages.
        case close
        /// The connection ends, or the stream does.
        case leave
    }

    /// A recorded action of the server.
    struct Step: Sendable, Equatable {
        let kind: Kind
        /// How many messages of the client were recorded before it.
        let after: Int
        /// The time since the last of these arrived.
        let distance: Int64

        init(_ kind: Kind = .message, after: Int = 0, distance: Int64 = 0) {
            self.kind = kind
            self.after = after
            self.distance = distance
        }
    }

    /// What is done next.
    enum Action: Equatable {
        case none
        /// Send the message with an index.
        case send(Int)
        /// Send the close frame with an index; the client answers it.
        case close(Int)
        /// Call `next` at a time.
        case arm(Int64)
        /// Call `next` after the next event.
        case wait
        /// Send a pong with the payload of the ping.
        case pong
        /// Answer the client's close frame, and end the connection.
        case answerClose
        /// End the connection, or the stream.
        case leave
    }

    private enum State {
        /// The client does not have the head of the response yet.
        case opening
        /// The step with this index is next.
        ///
        /// `opened` is when the client got the head of the response.
        case playing(Int, opened: Int64)
        /// The close frame was sent; the client may answer it until a time.
        case closing(Int64)
        case ended
    }

    /// How long a client may take to answer a close frame.
    static let patience: Int64 = 10_000_000

    private let steps: [Step]
    private var state = State.opening
    /// When messages of the client arrived, as far as steps wait for them.
    private var arrivals: [Int64] = []
    private let neededArrivals: Int

    /// - Parameter steps: The recorded actions; `after` does not decrease.
    init(_ steps: [Step]) {
        self.steps = steps
        neededArrivals = steps.last?.after ?? 0
    }

    /// Returns what to do now.
    mutating func next(now: Int64) -> Action {
        switch state {
        case .opening: return .wait
        case .playing(let index, let opened):
            guard index < steps.count else { return .wait }
            let step = steps[index]
            guard let base = base(of: step, opened) else { return .wait }
            let due = base.addingReportingOverflow(step.distance)
            guard !due.overflow else { return .wait }
            guard due.partialValue <= now else { return .arm(due.partialValue) }
            switch step.kind {
            case .message:
                state = .playing(index + 1, opened: opened)
                return .send(index)
            case .close:
                state = .closing(now + Self.patience)
                return .close(index)
            case .leave: return leave()
            }
        case .closing(let deadline): return now < deadline ? .arm(deadline) : leave()
        case .ended: return .none
        }
    }

    /// When the last message arrived that a step waits for; `nil` if it has not.
    private func base(of step: Step, _ opened: Int64) -> Int64? {
        guard step.after > 0 else { return opened }
        return step.after <= arrivals.count ? arrivals[step.after - 1] : nil
    }

    private mutating func leave() -> Action {
        state = .ended
        return .leave
    }

    // MARK: Events

    /// The client has the head of the response; then `next`.
    mutating func opened(now: Int64) {
        if case .opening = state { state = .playing(0, opened: now) }
    }

    /// A message of the client has arrived; then `next`.
    mutating func messageArrived(now: Int64) {
        if arrivals.count < neededArrivals { arrivals.append(now) }
    }

    /// A ping has arrived (RFC 6455 §5.5.2).
    func pingArrived() -> Action {
        // No frame follows a close frame.
        switch state {
        case .opening, .playing: .pong
        case .closing, .ended: .none
        }
    }

    /// The client's close frame has arrived (RFC 6455 §5.5.1).
    mutating func closeArrived() -> Action {
        switch state {
        case .opening, .playing:
            state = .ended
            return .answerClose
        case .closing: return leave()
        case .ended: return .none
        }
    }

    /// The client sends no more, or nothing that can be read.
    mutating func clientEnded() -> Action {
        if case .ended = state { return .none }
        return leave()
    }

    /// The exchange has ended.
    mutating func stop() { state = .ended }
}
