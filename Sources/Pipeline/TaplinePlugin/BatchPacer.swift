// SPDX-License-Identifier: MIT

/// Decides how long a thread that works in batches sleeps, and whether an arrival must wake it.
///
/// A full batch is taken at once, a partial one when its first element has waited for the delay.
/// After a batch, the thread sleeps for the same delay before it sleeps without a limit: more
/// elements are likely to follow, and a thread with a timeout need not be woken by each of them.
///
/// ```
///          ┌──── fill ────▶ filling ──── full, or the delay is over ────┐
/// awake ───┤                                                            ├──▶ awake
///          └──── rest ────▶ filling (after a batch) ──▶ idle ── arrival ┘
/// ```
///
/// **Units**: times are microseconds of a monotonic clock that the caller chooses.
package struct BatchPacer: Sendable {
    /// What the thread does with a batch that has begun.
    package enum Decision: Sendable, Equatable {
        /// It takes the batch.
        case take
        /// It sleeps, at most until this time.
        case sleep(until: Int64)
    }

    /// What ends the thread's sleep.
    private enum Sleep: Sendable {
        case awake
        /// Any arrival.
        case idle
        /// A full batch, or the end of the delay.
        case filling
    }

    private let delay: Int64
    private var sleep = Sleep.awake
    /// The end of the delay of the current batch, or of the wait after the last one.
    private var deadline: Int64?

    /// Creates a pacer whose batches fill for at most `delay` microseconds.
    package init(delay: Int64) { self.delay = delay }

    /// Whether the thread is asleep.
    package var isAsleep: Bool { sleep != .awake }

    /// Notes an arrival.
    ///
    /// - Returns: Whether the thread must be woken.
    package mutating func arrived(isFull: Bool) -> Bool {
        guard sleep == .idle || (sleep == .filling && isFull) else { return false }
        sleep = .awake
        return true
    }

    /// Notes that the thread was woken for another reason, or that its sleep timed out.
    package mutating func woke() { sleep = .awake }

    /// Notes that a batch has begun; `isDue` if it must be taken now even if it is not full.
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

    /// Notes that there is nothing to do.
    ///
    /// - Returns: The time until which to sleep; `nil` if without a limit.
    package mutating func rest(now: Int64) -> Int64? {
        if let deadline, now < deadline {
            sleep = .filling
            return deadline
        }
        deadline = nil
        sleep = .idle
        return nil
    }

    /// Notes that a batch was taken.
    package mutating func took(now: Int64) {
        sleep = .awake
        deadline = now &+ delay
    }
}
