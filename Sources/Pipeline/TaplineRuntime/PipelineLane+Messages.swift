// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

// The hooks for messages of a WebSocket or an event stream.
extension PipelineLane {
    func wantedMessages(
        _ exchange: borrowing Exchange,
        _ context: inout ExchangeContext
    ) -> Int {
        guard wireHooks.contains(.message), admits(exchange, &context) else { return 0 }
        var wanted = 0
        for link in wire where link.hooks.contains(.message) {
            guard context.mayBeSelected(link.position, when: link.condition, exchange) else {
                continue
            }
            wanted = max(wanted, link.buffer.maxBytes, 1)
        }
        return wanted
    }

    func message(
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageOutcome {
        guard wireHooks.contains(.message), admits(exchange, &context) else { return .pass }
        context.plane = .message
        if recordsProvenance { context.beginProvenance(exchange) }
        for link in wire where link.hooks.contains(.message) {
            guard link.isSelected(for: exchange, &context) else {
                if recordsProvenance { context.noteExcluded(link.position, link.id) }
                continue
            }
            let verdict =
                recordsProvenance
                ? notedVerdict(of: link, &message, &exchange, &context)
                : messageVerdict(of: link, &message, &exchange, &context)
            switch verdict.action {
            case .pass: continue
            case .drop: return .drop
            case .abort:
                exchange.state = .cancelled
                exchange.error = .aborted(by: link.id)
                return .abort
            }
        }
        return .pass
    }

    /// Calls one hook; if it throws, the message is restored and `on_error` decides.
    func messageVerdict(
        of link: WireStageRunner,
        _ message: inout StreamMessage,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext
    ) -> MessageVerdict {
        let before = message
        do {
            return try link.stage.message(&message, &exchange, &context)
        } catch {
            message = before
            note(error, of: link, .message, &exchange, &context)
            return link.onError == .pass ? .pass : .abort
        }
    }
}
