// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineModel

/// Decides when the recorded messages of a server are sent to a client.
///
/// Each message waits for as many messages of the client as were recorded before it, and then for
/// its recorded distance to the last of these; without one, to the opening. A message is never sent
/// before those that were recorded before it. Times are absolute, so that delays do not add up.
///
/// Call `next` after each event, until it returns `none`, `arm` or an end.
/// An event stream is played in the same way, without messages of a client.
///
/// **Units**: microseconds of a monotonic clock.
struct ServerMessagesStateMachine: ~Copyable {
    typealias Action = MessagePlaybackStateMachine.Action

    /// What is sent.
    enum Kind: Sendable, Equatable {
        case message
        /// The close frame, which ends the messages; the client answers it.
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

    /// How long a client may take to answer a close frame.
    static let patience: Int64 = 10_000_000

    private let steps: [Step]
    private var playback = MessagePlaybackStateMachine()
    /// When messages of the client arrived, as far as steps wait for them.
    private var arrivals: [Int64] = []
    private let neededArrivals: Int

    /// - Parameter steps: The recorded actions; `after` does not decrease.
    init(_ steps: [Step]) {
        self.steps = steps
        neededArrivals = steps.last?.after ?? 0
    }

    /// Returns what to do now; a close frame is sent like a message.
    mutating func next(now: Int64) -> Action {
        switch playback.state {
        case .opening, .ended: return .none
        case .playing(let index, let opened):
            guard index < steps.count else { return .none }
            let step = steps[index]
            guard let base = base(of: step, opened) else { return .none }
            let due = base.addingReportingOverflow(step.distance)
            guard !due.overflow else { return .none }
            guard due.partialValue <= now else { return .arm(due.partialValue) }
            switch step.kind {
            case .message: playback.messageSent()
            case .close: playback.closeSent(answeredUntil: now.addingClamped(Self.patience))
            case .leave: return playback.end(.broken)
            }
            return .send(index)
        case .closing(let deadline): return playback.nextWhileClosing(deadline, now: now)
        }
    }

    /// When the last message arrived that a step waits for; `nil` if it has not.
    private func base(of step: Step, _ opened: Int64) -> Int64? {
        guard step.after > 0 else { return opened }
        return step.after <= arrivals.count ? arrivals[step.after - 1] : nil
    }

    // MARK: Events

    /// The client has the head of the response; then `next`.
    mutating func opened(now: Int64) { playback.opened(now: now) }

    /// A message of the client has arrived; then `next`.
    mutating func messageArrived(now: Int64) {
        if arrivals.count < neededArrivals { arrivals.append(now) }
    }

    /// A ping has arrived.
    func pingArrived() -> Action { playback.pingArrived() }

    /// The client's close frame has arrived.
    mutating func closeArrived() -> Action { playback.closeArrived() }

    /// The client sends no more, or nothing that can be read.
    mutating func clientEnded() -> Action { playback.connectionEnded() }

    /// The exchange has ended.
    mutating func stop() { playback.stop() }
}
