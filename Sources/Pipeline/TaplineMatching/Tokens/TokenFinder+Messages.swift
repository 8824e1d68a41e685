// SPDX-License-Identifier: MIT

internal import TaplineModel

extension TokenFinder {
    /// A message of a WebSocket.
    struct Message {
        let recorded: StreamMessage
        let period: Period
        /// The values of a message of the client that may be tokens.
        let candidates: [Candidate]
    }

    /// The messages of an exchange that may contain tokens, in order.
    func messages(of exchange: borrowing Exchange) -> [Message] {
        guard !exchange.messages.isEmpty else { return [] }
        let request = exchange.request
        var time = exchange.started
        var result: [Message] = []
        for recorded in exchange.messages where recorded.mayHaveTokens {
            // Without a time, a message was sent together with the one before.
            if let at = recorded.at { time = max(time, exchange.time(of: at)) }
            var candidates: [Candidate] = []
            if recorded.direction == .up {
                let values = RequestValues(message: recorded.bytes, isText: recorded.isText).values
                candidates = self.candidates(values).filter {
                    !Self.isAddress($0.value.bytes, of: request)
                }
            }
            result.append(
                Message(
                    recorded: recorded,
                    period: Period(started: time, ended: time),
                    candidates: candidates
                )
            )
        }
        return result
    }

    /// Reads the messages of an exchange.
    mutating func read(_ messages: [Message], _ reading: Reading) {
        for message in messages {
            let (recorded, period) = (message.recorded, message.period)
            guard recorded.direction == .down else {
                for candidate in message.candidates {
                    let found = match(candidate, reading.session, period.started)
                    note(candidate, found, .message, reading, period)
                }
                continue
            }
            let bytes = recorded.bytes
            let values = IssuedValues(message: bytes, bytes, isText: recorded.isText)
            handOut(values.pairs, .message, reading, period)
        }
    }

    /// Whether a value is the host of a request or its Origin, which clients know by themselves.
    private static func isAddress(_ value: [UInt8], of request: borrowing Request) -> Bool {
        if request.authority.span.equalsIgnoringCase(value.span) { return true }
        guard let position = request.fields.firstIndex(of: "Origin") else { return false }
        return request.fields.value(at: position).equalsIgnoringCase(value.span)
    }
}

extension StreamMessage {
    /// Whether the message may contain tokens.
    var mayHaveTokens: Bool { isData && !isTruncated && !bytes.isEmpty }

    /// Whether its content is text.
    var isText: Bool { type == "text" }
}
