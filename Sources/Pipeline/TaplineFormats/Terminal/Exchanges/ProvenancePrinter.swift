// SPDX-License-Identifier: MIT

package import TaplineModel

/// Shows for people what the stages did to an exchange.
///
/// Nothing from traffic reaches the terminal unescaped.
package enum ProvenancePrinter {
    /// The columns at which hooks and results begin, if the ids of stages are short.
    private static let columns = (hook: 12, result: 10)
    /// The longest id that is shown.
    private static let maxStage = 32
    /// How much of a value is shown.
    private static let maxValue = 80

    /// Shows the exchange in a few lines, and a line for each step with its changes below.
    package static func write(_ exchange: Exchange, to lines: inout PrettyText) {
        let steps = exchange.extra?.provenance ?? []
        head(of: exchange, to: &lines)
        lines.emptyLine()
        let longest = steps.map(\.stage.count).max() ?? 0
        let hook = max(columns.hook, min(longest, maxStage) + 2)
        lines.begin()
        lines.write {
            $0.put("stage", .dim)
            $0.fill(to: hook)
            $0.put("hook", .dim)
            $0.fill(to: hook + columns.result)
            $0.put("result", .dim)
        }
        lines.end()
        for step in steps {
            lines.begin()
            lines.write {
                $0.styled(.bold) { $0.show(step.stage, in: maxStage) }
                $0.fill(to: hook)
                $0.show(step.hook, in: columns.result)
                $0.fill(to: hook + columns.result)
                $0.styled(style(of: step)) { $0.show(result(of: step)) }
            }
            lines.end()
            lines.indent = hook
            for change in step.changes { self.change(change, in: exchange, to: &lines) }
            for detail in step.details { self.detail(detail, to: &lines) }
            lines.indent = 0
        }
        lines.flush()
    }

    /// Returns a change in words: `set request.header x-team`, `removed 2 of tag`,
    /// `changed response.body (2.0 KiB to 64 B)`.
    package static func words(for change: ProvenanceChange) -> String {
        var words = change.kind
        if change.count != 1 { words += " \(change.count) of" }
        words += " \(change.part)"
        if !change.name.isEmpty { words += " \(change.name)" }
        if let before = change.before, let after = change.after {
            words += " (\(Quantities.size(before)) to \(Quantities.size(after)))"
        }
        return words
    }

    // MARK: Lines

    private static func head(of exchange: Exchange, to lines: inout PrettyText) {
        fact("exchange", to: &lines) { $0.put(exchange.id.description) }
        fact("started", to: &lines) { $0.put(exchange.started.rfc3339) }
        fact("request", to: &lines) { $0.requestLine(exchange.request) }
        if let response = exchange.response {
            fact("response", to: &lines) {
                $0.statusLine(response.version, response.status, response.reason)
            }
        }
        if let error = exchange.error {
            fact("error", to: &lines) { $0.styled(.red) { $0.failure(error) } }
        }
    }

    private static func fact(
        _ name: String,
        to lines: inout PrettyText,
        _ body: (inout TerminalText) -> Void
    ) {
        lines.begin()
        lines.put(name, .dim)
        lines.write {
            $0.fill(to: columns.hook)
            body(&$0)
        }
        lines.end()
    }

    private static func change(
        _ change: ProvenanceChange,
        in exchange: Exchange,
        to lines: inout PrettyText
    ) {
        lines.begin()
        lines.show(words(for: change))
        if change.kind != ProvenanceKind.removed.rawValue, let value = exchange.value(of: change) {
            lines.put(", now ", .dim)
            lines.write { $0.show(value, in: maxValue) }
        }
        lines.end()
    }

    private static func detail(_ detail: ProvenanceDetail, to lines: inout PrettyText) {
        lines.begin()
        lines.show("\(detail.name): \(detail.value)")
        lines.end()
    }

    // MARK: Steps

    private static func result(of step: ProvenanceStep) -> String {
        switch ProvenanceSkip(rawValue: step.skipped) {
        case .when: return "not matched by 'when'"
        case .notAsked: return "not reached"
        case nil where !step.skipped.isEmpty: return step.skipped
        case nil: break
        }
        var parts = [decision(of: step)]
        if step.calls != 1 { parts.append("\(step.calls) times") }
        if let time = step.waited { parts.append("waited \(Quantities.duration(time))") }
        if let delay = step.delay { parts.append("delay \(Quantities.duration(delay))") }
        if let time = step.duration { parts.append("took \(Self.time(time))") }
        return parts.joined(separator: ", ")
    }

    /// The verdict of a hook, or what became of an exchange that was paused.
    private static func decision(of step: ProvenanceStep) -> String {
        switch ProvenanceDecision(rawValue: step.decision) {
        case .resumed: "resumed unchanged"
        case .changed: "changed by hand"
        case .answered: "answered by hand"
        case .aborted: "aborted by hand"
        case .timeout: "passed, since nobody decided in time"
        case .unattended: "passed, since nobody could decide"
        case .ended: "ended while it waited"
        case nil where !step.decision.isEmpty: step.decision
        case nil: step.isFailed ? "failed, then \(step.verdict)" : step.verdict
        }
    }

    private static func style(of step: ProvenanceStep) -> Style {
        if step.isFailed { return .red }
        return step.skipped.isEmpty ? .plain : .dim
    }

    /// `12 µs`, `1.4 ms`.
    private static func time(_ time: Microseconds) -> String {
        0..<1000 ~= time.count ? "\(time.count) µs" : Quantities.duration(time)
    }
}
