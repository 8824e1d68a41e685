// SPDX-License-Identifier: MIT

public import TaplineModel

extension Lane {
    /// Runs an exchange that has ended already, as a recording holds it, through all hooks.
    ///
    /// The response is kept from `request` hooks; where one of them answers in the server's place,
    /// its response stands instead of the recorded one. Pauses that stages ask for are not made.
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: The one in which it was opened, where it was.
    /// - Returns: Whether a record was kept.
    @discardableResult
    public func pass(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Bool {
        if admits(exchange, &context) { _ = passWire(&exchange, &context) }
        return finish(exchange, context)
    }

    /// Runs an exchange that has ended already through the wire hooks, the way a live one takes.
    ///
    /// From `request` hooks everything that comes later is hidden: response, messages, error and
    /// state. Where one of them answers in the server's place, its response stands instead of the
    /// recorded one, and what went wrong at the server did not happen.
    ///
    /// - Parameters:
    ///   - exchange: The exchange; after the call its request is what the server gets, its
    ///     response what the client gets.
    ///   - context: The context that its record hooks will see, too.
    ///   - wholeBodies: The wire hooks that see whole bodies.
    ///   - pause: Makes the pauses that stages ask for; called once for each that is longer than
    ///     nothing.
    /// - Returns: What became of it on the wire.
    public func passWire(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        wholeBodies: Hooks = .wire,
        pause: (Microseconds) -> Void = { _ in }
    ) -> WirePassage {
        var passage = WirePassage()
        context.hasRequestBody =
            wholeBodies.contains(.request) && !exchange.request.body.isTruncated
        let outcome = passRequest(&exchange, &context)
        passage.add(outcome, pause)
        passage.isAnswered = outcome.action == .respond
        guard !passage.isAborted, let isTruncated = exchange.response?.body.isTruncated else {
            return passage
        }
        context.hasResponseBody = wholeBodies.contains(.response) && !isTruncated
        passage.add(response(&exchange, &context), pause)
        if !passage.isAborted, !exchange.messages.isEmpty {
            passage.isAborted = !passMessages(&exchange, &context)
        }
        return passage
    }

    /// Runs the recorded messages through the hooks, those of WebSockets that carry data, and
    /// events.
    ///
    /// - Returns: Whether no stage has closed the connection.
    private func passMessages(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> Bool {
        guard wantedMessages(exchange, &context) > 0 else { return true }
        let messages = exchange.messages
        exchange.messages = []
        var passed: [StreamMessage] = []
        passed.reserveCapacity(messages.count)
        var dropped = 0
        var outcome = MessageOutcome.pass
        for var message in messages where outcome != .abort {
            let isSeen = message.isData || message.isEvent
            outcome = isSeen ? self.message(&message, &exchange, &context) : .pass
            if outcome == .pass { passed.append(message) }
            if outcome == .drop { dropped += 1 }
        }
        exchange.messages = passed
        exchange.noteMessages(dropped: dropped)
        return outcome != .abort
    }

    private func passRequest(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> WireOutcome {
        let response = exchange.response.take()
        let error = exchange.error.take()
        let state = exchange.state
        let messages = exchange.messages
        exchange.messages = []
        let outcome = request(&exchange, &context)
        switch outcome.action {
        case .forward:
            exchange.response = consume response
            exchange.error = consume error
            exchange.state = state
            exchange.messages = messages
        case .respond: exchange.state = .completed
        case .abort: break
        }
        return outcome
    }

    /// Hands all finished records to the sinks and waits until there is room.
    ///
    /// - Parameter ticket: The place in the order; `nil` if any order will do.
    /// - Returns: Whether the source is to go on: not when its task was cancelled, and not when
    ///   nobody takes records any more.
    public nonisolated(nonsending) func submit(ticket: UInt64? = nil) async -> Bool {
        let gate = Gate()
        switch submit(ticket: ticket, ready: { gate.open() }) {
        case .open: break
        case .closed: return false
        case .paused:
            await gate.wait()
        }
        return !Task.isCancelled
    }
}

extension Exchange {
    /// Says in the tag `tapline.messages` which messages the record does not have.
    ///
    /// - Parameters:
    ///   - dropped: How many stages have dropped.
    ///   - unkept: How many there was no room for.
    public mutating func noteMessages(dropped: Int, unkept: Int = 0) {
        var notes: [String] = []
        if unkept > 0 { notes.append("\(unkept) more were not kept") }
        if dropped > 0 { notes.append("\(dropped) dropped by stages") }
        if !notes.isEmpty { tags["tapline.messages"] = notes.joined(separator: ", ") }
    }
}

/// What became of a recorded exchange on the wire.
public struct WirePassage: Sendable {
    /// Whether a stage answered, so that the server would not have been asked.
    public fileprivate(set) var isAnswered = false
    /// Whether a stage closed the connection.
    public fileprivate(set) var isAborted = false
    /// All pauses that stages asked for.
    public fileprivate(set) var delay = Microseconds(0)

    fileprivate mutating func add(_ outcome: WireOutcome, _ pause: (Microseconds) -> Void) {
        delay.count += outcome.delay.count
        if outcome.delay.count > 0 { pause(outcome.delay) }
        if outcome.action == .abort { isAborted = true }
    }
}
