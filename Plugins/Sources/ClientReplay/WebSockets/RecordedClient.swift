// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineMatching
internal import TaplineModel
internal import TaplineOperations

/// What a recorded client sent through a WebSocket, and when.
struct RecordedClient: Sendable {
    /// The messages and pings of the client, in order.
    private(set) var messages: [StreamMessage] = []
    /// Their positions among the recorded messages.
    private(set) var positions: [Int] = []
    private(set) var plan = ClientMessagesStateMachine.Plan()
    /// The payload of the recorded close frame; 1000 if none was recorded (RFC 6455 §7.4.1).
    private(set) var closePayload = WebSocketMessage.closePayload(1000)

    /// The longest time until a message, in microseconds: about 30 years.
    private static let longest = 1e15

    /// Reads the messages of an exchange.
    ///
    /// - Parameters:
    ///   - exchange: The recorded exchange.
    ///   - pace: How due times are computed: with `max`, a message is due after as many messages of
    ///     the server as were recorded before it. With a rate, which is one of requests, messages
    ///     have the recorded spacing.
    ///   - maxGap: The longest pause between two messages that is kept.
    ///   - tokens: The messages with tokens; `nil` if there are none.
    init(
        _ exchange: borrowing Exchange,
        at pace: ReplaySchedule.Pace,
        maxGap: Microseconds,
        tokens: PlannedMessages? = nil
    ) {
        var clock = Clock(exchange.responseBegan, pace, maxGap)
        var issuing = (tokens?.issuing ?? [])[...]
        var isClosed = false
        for (position, message) in exchange.messages.enumerated() where !isClosed {
            clock.advance(to: message.at)
            switch (message.direction, message.type) {
            case (_, "close"):
                isClosed = true
                plan.isClosedByServer = message.direction == .down
                let payload = message.webSocketPayload
                if message.code != nil || message.direction == .up { closePayload = payload }
            case (.up, "text"), (.up, "binary"), (.up, "ping"):
                let after = pace == .max ? plan.expected : 0
                let needs = tokens?.echoing[position]?.needs ?? []
                plan.steps.append(
                    ClientMessagesStateMachine.Step(due: clock.due, after: after, needs: needs)
                )
                positions.append(position)
                var message = message
                message.bytes = message.webSocketPayload
                message.size = message.bytes.count
                messages.append(message)
            case (.down, "text"), (.down, "binary"):
                plan.expected += 1
                guard let first = issuing.first, first.position == position else { continue }
                issuing.removeFirst()
                plan.issuing.append(
                    ClientMessagesStateMachine.IssuingMessage(
                        number: first.number,
                        due: clock.due,
                        after: plan.steps.count
                    )
                )
            // Pongs answer pings of the server.
            default: break
            }
        }
        plan.end = clock.due
    }

    /// The approximate memory that it takes, in bytes.
    var memory: Int { messages.reduce(0) { $0 + $1.memory + 40 } }

    /// Why the messages of a recorded WebSocket cannot be sent; `nil` if they can.
    static func obstacle(_ exchange: borrowing Exchange) -> ReplayObstacle? {
        // What was not read or kept is not known.
        if exchange.tags["tapline.messages"]?.contains("not kept") == true { return .missingBody }
        if let problem = exchange.tags["tapline.websocket"], problem.contains("up: "),
            !problem.contains("up: invalid_utf8")
        {
            return .missingBody
        }
        for message in exchange.messages where message.direction == .up && message.isData {
            if message.isTruncated { return .missingBody }
            if OutgoingRequest.isMasked(message: message.bytes) { return .masked }
        }
        return nil
    }

    /// The time since the opening, at the pace of the replay.
    private struct Clock {
        private let pace: ReplaySchedule.Pace
        private let maxGap: Int64
        private var latest: Int64
        private var offset: Int64 = 0

        init(_ opened: Microseconds, _ pace: ReplaySchedule.Pace, _ maxGap: Microseconds) {
            self.pace = pace
            self.maxGap = max(maxGap.count, 0)
            latest = opened.count
        }

        /// Notes a message; without a time, it was sent together with the one before.
        mutating func advance(to time: Microseconds?) {
            guard let time = time?.count, time > latest else { return }
            offset += min(time - latest, maxGap)
            latest = time
        }

        /// When a message is due, since the opening.
        var due: Int64 {
            switch pace {
            case .max: return 0
            case .constant, .ramp: return min(offset, Int64(longest))
            case .recorded(let factor):
                let due = Double(offset) / factor
                // The comparison is false for NaN.
                return due < longest ? Int64(due) : Int64(longest)
            }
        }
    }
}
