// SPDX-License-Identifier: MIT

package import TaplineModel

/// A lane whose exchanges can be shown to somebody who decides about them.
///
/// **Isolation**: that of the lane.
package protocol PausingLane: Lane {
    /// Shows an exchange that a hook has paused.
    ///
    /// A copy of it passes the record stages first, so nothing is shown that they would remove.
    ///
    /// - Parameters:
    ///   - pause: The pause.
    ///   - exchange: The exchange.
    ///   - context: Its context.
    ///   - decided: Called at most once, on any thread, with `nil` if nobody can decide any more;
    ///     not after the exchange was removed from the board.
    /// - Returns: The board, to remove the exchange from when it ends; `nil` if it passes at once,
    ///   which `pause` has noted.
    func show(
        _ pause: Pause,
        _ exchange: inout Exchange,
        _ context: ExchangeContext,
        decided: @escaping @Sendable (PauseDecision?) -> Void
    ) -> PausedExchanges?

    /// Carries out a decision about an exchange, and notes it.
    ///
    /// - Parameters:
    ///   - decision: The decision.
    ///   - action: What the hooks want to happen.
    ///   - exchange: The exchange.
    ///   - context: Its context.
    ///   - wait: What it has waited for.
    /// - Returns: What happens now.
    func carryOut(
        _ decision: PauseDecision,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    ) -> WireOutcome.Action

    /// Notes that an exchange waits no longer, although nobody has decided.
    ///
    /// - Parameters:
    ///   - end: Why it waits no longer.
    ///   - action: What happens now.
    ///   - exchange: The exchange.
    ///   - context: Its context.
    ///   - wait: What it has waited for.
    func pass(
        _ end: Pause.End,
        _ action: WireOutcome.Action,
        _ exchange: inout Exchange,
        _ context: inout ExchangeContext,
        after wait: PauseWait
    )
}

/// What an exchange has waited for.
package struct PauseWait: Sendable {
    /// The pause.
    package let pause: Pause
    /// How long the exchange has waited.
    package let time: Microseconds
    /// The hook after which it has waited.
    package let hook: Plane

    /// Creates a description.
    package init(_ pause: Pause, for time: Microseconds, after hook: Plane) {
        self.pause = pause
        self.time = time
        self.hook = hook
    }
}
