// SPDX-License-Identifier: MIT

internal import TaplineHTTP
internal import TaplineJSON
internal import TaplineMatching
internal import TaplineModel

/// What a recorded server sent after the head of its response, and when.
struct RecordedConversation: Sendable {
    /// How it is sent.
    enum Medium: Sendable, Equatable {
        case webSocket
        case events
    }

    typealias Step = ServerMessagesStateMachine.Step

    let medium: Medium
    /// What the server did.
    private(set) var steps: [Step] = []
    /// What it sent in each step: the payload of a frame, or the bytes of an event.
    private(set) var contents: [[UInt8]] = []
    /// The frame of each step of a WebSocket.
    private(set) var opcodes: [WebSocketOpcode] = []
    /// The payload of the close frame that answers the client's; `nil` if none was recorded.
    private(set) var closeAnswer: [UInt8]?

    /// The approximate memory that it takes, in bytes.
    var memory: Int { contents.reduce(64 * steps.count) { $0 + $1.count } }

    /// The steps, with distances times a factor.
    func steps(scaledBy factor: Double) -> [Step] {
        steps.map { Step($0.kind, after: $0.after, distance: $0.distance.scaled(by: factor)) }
    }

    /// Returns the conversation with values of a live request.
    func repeating(_ values: EchoedMessages) -> RecordedConversation {
        var changed = self
        for index in contents.indices where steps[index].kind == .message {
            switch medium {
            case .events: changed.contents[index] = values.events(contents[index])
            case .webSocket where opcodes[index] == .text:
                let text = values.text(contents[index])
                // RFC 6455 §8.1: other bytes end the connection.
                if isValidUTF8(text.span) { changed.contents[index] = text }
            case .webSocket: break
            }
        }
        return changed
    }

    private mutating func add(_ step: Step, _ opcode: WebSocketOpcode, _ content: [UInt8]) {
        steps.append(step)
        opcodes.append(opcode)
        contents.append(content)
    }

    // MARK: WebSockets

    /// The conversation of a WebSocket; `nil` if the exchange opened none.
    init?(webSocket exchange: borrowing Exchange) {
        guard let response = exchange.response, response.opensWebSocket else { return nil }
        medium = .webSocket
        let opened = exchange.responseBegan.count
        var (clients, base, latest) = (0, opened, opened)
        var isClosing = false
        for message in exchange.messages {
            // Without a time, a message was sent together with the one before.
            let time = max(message.at?.count ?? latest, latest)
            latest = time
            let opcode = message.webSocketOpcode
            switch (message.direction, opcode) {
            case (.up, .text), (.up, .binary):
                (clients, base) = (clients + 1, time)
            case (.up, .close): isClosing = true
            case (.down, .close) where isClosing:
                closeAnswer = message.webSocketPayload
            case (.down, .close):
                add(
                    Step(.close, after: clients, distance: time - base),
                    .close,
                    message.webSocketPayload
                )
                return
            case (.down, .text?), (.down, .binary?), (.down, .ping?):
                guard !isClosing, let opcode else { continue }
                add(
                    Step(after: clients, distance: time - base),
                    opcode,
                    opcode == .text && message.isTruncated
                        ? message.bytes.withoutPartOfCharacter : message.webSocketPayload
                )
            default: continue
            }
        }
        guard !isClosing, exchange.state == .failed else { return }
        // The server had left without a close frame.
        let end = max(exchange.timing.total?.count ?? latest, latest)
        add(Step(.leave, after: clients, distance: end - base), .close, [])
    }

    // MARK: Event streams

    /// The events of a stream; `nil` if it has no recorded events.
    init?(events exchange: borrowing Exchange) {
        guard let response = exchange.response, response.isEventStream else { return nil }
        let messages = exchange.messages.filter(\.isEvent)
        guard !messages.isEmpty else { return nil }
        medium = .events
        let began = exchange.responseBegan.count
        // Negative times would overflow.
        let times = messages.map { max(max($0.at?.count ?? began, 0) - began, 0) }
        let body = response.body
        var pieces: [[UInt8]] = []
        if body.coding.isEmpty, !body.isTruncated {
            pieces = Self.pieces(of: body.bytes.span)
        }
        // What follows the last event is not sent with an event of its own.
        if pieces.count != messages.count + 1 { pieces = messages.map(\.eventBytes) + [[]] }
        var latest: Int64 = 0
        for (time, piece) in zip(times, pieces) {
            latest = max(latest, time)
            add(Step(distance: latest), .text, piece)
        }
        let end = max(max(exchange.timing.total?.count ?? 0, 0) - began, latest)
        if let rest = pieces.last, !rest.isEmpty { add(Step(distance: end), .text, rest) }
        add(Step(.leave, distance: end), .text, [])
    }

    /// Divides a stream after each of its events; the last piece is what follows them.
    private static func pieces(of stream: Span<UInt8>) -> [[UInt8]] {
        var parser = ServerSentEventParser(keeps: 0)
        var pieces: [[UInt8]] = []
        var start = 0
        while start < stream.count {
            let rest = stream.extracting(start..<stream.count)
            let step = parser.next(rest)
            guard step.event != nil, step.consumed > 0 else { break }
            pieces.append(Array(copying: rest.extracting(0..<step.consumed)))
            start += step.consumed
        }
        pieces.append(Array(copying: stream.extracting(start..<stream.count)))
        return pieces
    }
}

extension StreamMessage {
    /// The event as a server sends it (HTML standard, "Server-sent events").
    fileprivate var eventBytes: [UInt8] {
        var output: [UInt8] = []
        func line(_ name: String, _ value: Span<UInt8>) {
            output += Array("\(name): ".utf8)
            output.append(copying: value)
            output.append(0x0A)
        }
        if !event.isEmpty { line("event", event.utf8.span) }
        if !eventID.isEmpty { line("id", eventID.utf8.span) }
        var start = 0
        let data = bytes.span
        while start <= data.count {
            let end = data.firstIndex(of: 0x0A, from: start) ?? data.count
            line("data", data.extracting(start..<end))
            start = end + 1
        }
        output.append(0x0A)
        return output
    }
}

extension [UInt8] {
    /// The bytes without a part of a character at their end, which a text may not contain (RFC 6455
    /// §8.1).
    fileprivate var withoutPartOfCharacter: [UInt8] {
        for count in 0..<Swift.min(4, self.count) {
            let rest = dropLast(count)
            if isValidUTF8(Array(rest).span) { return Array(rest) }
        }
        return self
    }
}

extension Int64 {
    /// The longest time until a message, in microseconds: about 30 years.
    private static let longest = 1e15

    /// A duration times a factor.
    fileprivate func scaled(by factor: Double) -> Int64 {
        let scaled = Double(self) * factor
        // The comparison is false for NaN.
        return scaled > 0 ? Int64(Swift.min(scaled, Self.longest)) : 0
    }
}
