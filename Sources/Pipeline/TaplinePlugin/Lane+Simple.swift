// SPDX-License-Identifier: MIT

public import TaplineModel
internal import TaplineSystem

extension Lane {
    /// Runs an exchange that has already ended, such as a recorded one, through all hooks.
    ///
    /// The response is hidden from `request` hooks. If one of them answers instead of the server,
    /// its response replaces the recorded one. Delays that stages ask for are skipped.
    ///
    /// - Parameters:
    ///   - exchange: The exchange.
    ///   - context: The context in which the exchange was opened, if it was.
    /// - Returns: Whether a record was kept.
    @discardableResult
    public func pass(
        _ exchange: consuming Exchange,
        _ context: consuming ExchangeContext = ExchangeContext()
    ) -> Bool {
        if admits(exchange, &context) { _ = passWire(&exchange, &context) }
        return finish(exchange, context)
    }

    /// Runs an exchange that has already ended through the wire hooks, as if it were live.
    ///
    /// Everything that comes after the request is hidden from `request` hooks: response, messages,
    /// error and state. If one of them answers instead of the server, its response replaces the
    /// recorded one, and the recorded error is discarded.
    ///
    /// - Parameters:
    ///   - exchange: The exchange. After the call, its request is what the server gets, and its
    ///     response is what the client gets.
    ///   - context: The context, which its record hooks will see, too.
    ///   - wholeBodies: The wire hooks that see whole bodies.
    ///   - pause: Carries out a delay that a stage asks for; called once for each delay above zero.
    /// - Returns: The outcome of the exchange on the wire.
    public func passWire(
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        wholeBodies: Hooks = .wire,
        pause: (Microseconds) -> Void = { _ in }
    ) -> WireResult {
        var passage = WireResult()
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

    /// Runs the recorded data messages of WebSockets and the recorded events through the hooks.
    ///
    /// - Returns: `false` if a stage has closed the connection.
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
    /// - Parameter ticket: The position in the order of batches; `nil` if the order does not
    ///   matter.
    /// - Returns: Whether the source should continue; `false` if its task was cancelled or if no
    ///   sink accepts records any longer.
    public nonisolated(nonsending) func submit(ticket: UInt64? = nil) async -> Bool {
        let event = OneShotEvent()
        switch submit(ticket: ticket, ready: { event.signal() }) {
        case .open: break
        case .closed: return false
        case .paused:
            await event.wait()
        }
        return !Task.isCancelled
    }
}

extension Exchange {
    /// Describes the messages that the record lacks in the tag `tapline.messages`.
    ///
    /// - Parameters:
    ///   - dropped: The number of messages that stages dropped.
    ///   - uncaptured: The number of messages for which there was no room.
    public mutating func noteMessages(dropped: Int, uncaptured: Int = 0) {
        var notes: [String] = []
        if uncaptured > 0 { notes.append("\(uncaptured) more were not kept") }
        if dropped > 0 { notes.append("\(dropped) dropped by stages") }
        if !notes.isEmpty { tags["tapline.messages"] = notes.joined(separator: ", ") }
    }
}

/// The outcome of a recorded exchange on the wire.
public struct WireResult: Sendable {
    /// Whether a stage answered, so that the server would not have been contacted.
    public fileprivate(set) var isAnswered = false
    /// Whether a stage closed the connection.
    public fileprivate(set) var isAborted = false
    /// The total delay that stages asked for.
    public fileprivate(set) var delay = Microseconds(0)

    fileprivate mutating func add(_ outcome: WireOutcome, _ pause: (Microseconds) -> Void) {
        delay.count += outcome.delay.count
        if outcome.delay.count > 0 { pause(outcome.delay) }
        if outcome.action == .abort { isAborted = true }
    }
}
