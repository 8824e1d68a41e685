// SPDX-License-Identifier: MIT

package import TaplineModel

/// A hook's request that an exchange wait for a decision.
package final class Pause: Sendable {
    /// How a pause ended.
    package enum End: Sendable {
        /// Somebody has decided.
        case decided
        /// Nobody has decided in time.
        case timeout
        /// Too many others waited.
        case full
        /// Nobody could decide.
        case unattended
        /// The exchange has ended before.
        case ended
    }

    /// The stage.
    package let stage: String
    /// The rule.
    package let rule: String
    /// How long the exchange waits at most.
    package let timeout: Microseconds
    /// How many exchanges of the stage wait at most.
    package let limit: Int
    private let ended: @Sendable (End) -> Void

    /// Creates the request.
    ///
    /// - Parameters:
    ///   - stage: The id of the stage.
    ///   - rule: The name of the rule.
    ///   - timeout: How long the exchange waits at most; not longer than a day.
    ///   - limit: How many exchanges of the stage wait at most.
    ///   - ended: Called once with how the pause ended, unless the exchange ends before.
    package init(
        stage: String,
        rule: String,
        timeout: Microseconds,
        limit: Int,
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.stage = stage
        self.rule = rule
        self.timeout = min(max(timeout, Microseconds(0)), Self.maxTimeout)
        self.limit = limit
        self.ended = ended
    }

    /// Notes how the pause ended, in a tag of the exchange and for the stage.
    package func end(_ end: End, _ tags: inout Tags) {
        tags[Pause.tag] =
            switch end {
            case .decided: "resumed"
            case .timeout: "passed, since nobody decided in time"
            case .full: "passed, since too many exchanges waited"
            case .unattended: "passed, since nobody could decide"
            case .ended: "ended while it waited"
            }
        if end != .ended { ended(end) }
    }

    /// The tag of exchanges that a rule has paused.
    package static let tag = "tapline.pause"
    /// The longest wait: a day, as for delays.
    package static let maxTimeout = Microseconds(86_400_000_000)
}

/// What happens to an exchange that has waited.
package struct PauseDecision: Sendable {
    /// How it goes on.
    package enum Action: Sendable {
        /// As the hooks have left it.
        case proceed
        /// With this response, in `request` instead of contacting the server.
        case respond(Response)
        /// The connection is closed.
        case abort
    }

    /// How it goes on.
    package var action: Action
    /// Changes of the exchange, made on the thread of its lane before it goes on.
    ///
    /// They are tried on a copy first: if the closure throws, the exchange waits on, unchanged.
    package var edit: Edit?

    /// Changes an exchange, or throws why that is not possible.
    package typealias Edit = @Sendable (inout Exchange) throws(PauseRefusal) -> Void

    /// Creates a decision; by default, the exchange goes on as it is.
    package init(_ action: Action = .proceed, edit: Edit? = nil) {
        self.action = action
        self.edit = edit
    }
}

/// Why the changes in a decision are not possible.
package struct PauseRefusal: Error, Sendable, Equatable {
    /// A change that is not possible.
    package struct Problem: Sendable, Equatable {
        /// The place as in the decision: `request.header.X-A`.
        package let place: String
        /// What is wrong, without values of the exchange.
        package let reason: String

        /// Creates a problem.
        package init(_ place: String, _ reason: String) {
            self.place = place
            self.reason = reason
        }
    }

    /// The changes that are not possible, in the order of the decision; at least one.
    package let problems: [Problem]

    /// Creates a refusal.
    package init(_ problems: [Problem]) { self.problems = problems }
}
