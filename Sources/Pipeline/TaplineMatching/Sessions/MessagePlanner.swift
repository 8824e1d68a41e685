// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Finds the tokens in the messages of a recorded WebSocket.
struct MessagePlanner {
    private struct Message {
        let position: Int
        let recorded: StreamMessage
        let time: Timestamp
        /// The values of a message of the client at places of tokens.
        let found: [(value: RequestValue, bindings: [Int])]
    }

    private let sources: TokenMap.Places
    private let targets: TokenMap.Places
    private var messages: [Message] = []
    /// The messages with tokens; `nil` if there are none.
    private(set) var planned: PlannedMessages?

    /// Reads the messages; `nil` if there are none, or no bindings for them.
    init?(_ exchange: borrowing Exchange, _ map: TokenMap, _ route: RequestRoute) {
        guard !exchange.messages.isEmpty else { return nil }
        sources = map.messageSources(for: route)
        targets = map.messageTargets(for: route)
        guard !sources.isEmpty || !targets.isEmpty else { return nil }
        var time = exchange.started
        for (position, recorded) in exchange.messages.enumerated() where recorded.mayHaveTokens {
            if let at = recorded.at { time = max(time, exchange.time(of: at)) }
            var found: [(value: RequestValue, bindings: [Int])] = []
            if recorded.direction == .up {
                guard !targets.isEmpty else { continue }
                let values = RequestValues(message: recorded.bytes, isText: recorded.isText)
                for value in values.values {
                    if let bindings = targets.bindings[value.place] {
                        found.append((value, bindings))
                    }
                }
                guard !found.isEmpty else { continue }
            }
            messages.append(
                Message(position: position, recorded: recorded, time: time, found: found)
            )
        }
    }

    /// The values of all messages of the client at places of tokens.
    var found: [(value: RequestValue, bindings: [Int])] { messages.flatMap(\.found) }

    /// Finds who hands out the tokens, and what the messages hand out.
    ///
    /// - Parameters:
    ///   - sessions: The tokens so far.
    ///   - session: The session of the WebSocket.
    ///   - number: The number of its exchange.
    ///   - needs: The numbers of what has to come before the WebSocket is opened.
    mutating func plan(
        _ sessions: inout RecordedSessions,
        _ session: SessionID,
        _ number: Int,
        needs: inout Set<Int>
    ) {
        var issuing: [PlannedMessages.IssuingMessage] = []
        var echoing: [Int: PlannedMessages.EchoingMessage] = [:]
        for message in messages {
            guard message.recorded.direction == .down else {
                var tokens: [ValuePlace] = []
                var own: Set<Int> = []
                for (value, bindings) in message.found {
                    let token = sessions.token(value.bytes, bindings, session, message.time)
                    guard let token else { continue }
                    tokens.append(value.place)
                    if token.sequence > number {
                        own.insert(token.sequence)
                    } else if !token.isStream {
                        needs.insert(token.sequence)
                    }
                }
                if !tokens.isEmpty {
                    echoing[message.position] = PlannedMessages.EchoingMessage(
                        tokens: tokens,
                        needs: own.sorted()
                    )
                }
                continue
            }
            let (bytes, isText) = (message.recorded.bytes, message.recorded.isText)
            let pairs = IssuedValues(message: bytes, bytes, isText: isText).pairs
                .filter { sources.bindings[$0.place] != nil }
            guard !pairs.isEmpty else { continue }
            let own = sessions.sequence
            sessions.sequence += 1
            issuing.append(
                PlannedMessages.IssuingMessage(
                    number: own,
                    position: message.position,
                    message: message.recorded
                )
            )
            let token = RecordedSessions.HandedOut(
                session: session,
                sequence: own,
                started: message.time,
                isStream: false
            )
            sessions.handOut(pairs, sources, token, session)
        }
        guard !issuing.isEmpty || !echoing.isEmpty else { return }
        planned = PlannedMessages(
            issuing: issuing,
            echoing: echoing,
            sources: sources,
            targets: targets
        )
    }
}
