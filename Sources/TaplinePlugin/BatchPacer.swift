// SPDX-License-Identifier: MIT

/// Decides how long a thread that works in batches sleeps, and whether an arrival has to wake it.
///
/// A full batch is taken at once, a partial one when its first element has waited for the delay.
/// After a batch the thread waits for the same delay before it sleeps without a limit: more is
/// likely to follow, and a thread that waits for a time need not be woken by each arrival.
///
/// ```
///          ┌──── fill ────▶ filling ──── full, or the delay is over ────┐
/// awake ───┤                                                            ├──▶ awake
///          └──── rest ────▶ filling (after a batch) ──▶ idle ── arrival ┘
/// ```
///
/// **Units**: times are microseconds of a clock of the caller's choice that never goes back.
package struct BatchPacer: Sendable {
    /// What the thread does with a batch that has begun.
    package enum Decision: Sendable, Equatable {
        /// It takes the batch.
        case take
        /// It sleeps until that time at most.
        case sleep(until: Int64)
    }

    /// What the thread sleeps for.
    private enum Sleep: Sendable {
        case awake
        /// Any arrival.
        case idle
        /// A full batch, or the end of the delay.
        case filling
    }

    private let delay: Int64
    private var sleep = Sleep.awake
    /// The end of the delay of the present batch, or of the wait after the last one.
    private var deadline: Int64?

    /// A pacer whose batches fill for at most `delay` microseconds.
    package init(delay: Int64) { self.delay = delay }

    /// Whether the thread sleeps.
    package var isAsleep: Bool { sleep != .awake }

    /// Something has arrived.
    ///
    /// - Returns: Whether the thread must be woken.
    package mutating func arrived(isFull: Bool) -> Bool {
        guard sleep == .idle || (sleep == .filling && isFull) else { return false }
        sleep = .awake
        return true
    }

    /// The thread is woken for another reason, or has woken by itself.
    package mutating func woke() { sleep = .awake }

    /// A batch has begun; `isDue` if it must not wait, whether it is full or not.
    package mutating func fill(isDue: Bool, now: Int64) -> Decision {
        let end = deadline ?? now &+ delay
        guard !isDue, now < end else {
            sleep = .awake
            return .take
        }
        deadline = end
        sleep = .filling
        return .sleep(until: end)
    }

    /// There is nothing to do.
    ///
    /// - Returns: Until when to sleep; `nil` if without a limit.
    package mutating func rest(now: Int64) -> Int64? {
        if let deadline, now < deadline {
            sleep = .filling
            return deadline
        }
        deadline = nil
        sleep = .idle
        return nil
    }

    /// A batch was taken.
    package mutating func took(now: Int64) {
        sleep = .awake
        deadline = now &+ delay
    }
}
