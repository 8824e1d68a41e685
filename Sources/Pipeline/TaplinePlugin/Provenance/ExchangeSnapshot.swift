// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A copy of an exchange before a hook runs, for finding what the hook changes.
///
/// It shares the memory of the parts that it has copied, so most comparisons look at addresses
/// only, and a hook that changes a part takes new memory for it.
struct ExchangeSnapshot: Sendable {
    private var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
    private var vars = Tags()

    /// Copies the parts that hooks of a plane may change.
    mutating func take(_ current: borrowing Exchange, _ vars: Tags, _ plane: Plane) {
        if !exchange.request.isIdentical(to: current.request) {
            exchange.request = current.request
        }
        if !exchange.hasIdenticalResponse(to: current) { exchange.response = current.response }
        if !exchange.tags.isIdentical(to: current.tags) { exchange.tags = current.tags }
        if !self.vars.isIdentical(to: vars) { self.vars = vars }
        if plane == .record, !exchange.hasIdenticalFacts(to: current) { takeFacts(current) }
    }

    /// Takes the variables as removed.
    mutating func forgetVars() { vars = Tags() }

    private mutating func takeFacts(_ current: borrowing Exchange) {
        exchange.id = current.id
        exchange.source = current.source
        exchange.state = current.state
        exchange.started = current.started
        exchange.timing = current.timing
        exchange.connection = current.connection
        exchange.bytes = current.bytes
        exchange.messages = current.messages
        exchange.original = current.original
        exchange.error = current.error
        exchange.har = current.har
        exchange.takeExtra(of: current)
    }

    /// Returns what a hook has changed, and copies that.
    ///
    /// - Parameters:
    ///   - current: The exchange after the hook.
    ///   - vars: The variables after the hook.
    ///   - plane: The plane of the hook.
    ///   - isRedacting: Whether names that exist no longer must not be shown.
    /// - Returns: The changes.
    mutating func changes(
        to current: borrowing Exchange,
        _ vars: Tags,
        _ plane: Plane,
        isRedacting: Bool
    ) -> [ProvenanceChange] {
        let isSame =
            exchange.request.isIdentical(to: current.request)
            && exchange.hasIdenticalResponse(to: current)
            && exchange.tags.isIdentical(to: current.tags) && self.vars.isIdentical(to: vars)
            && (plane != .record || exchange.hasIdenticalFacts(to: current))
        if isSame { return [] }
        var difference = ExchangeDifference(hidesRemovedNames: isRedacting)
        difference.compare(exchange.request, current.request)
        difference.compare(exchange.response, current.response)
        difference.compare(.tag, exchange.tags, current.tags)
        difference.compare(.variable, self.vars, vars)
        if plane == .record { difference.compareFacts(exchange, current) }
        take(current, vars, plane)
        return difference.changes
    }
}
