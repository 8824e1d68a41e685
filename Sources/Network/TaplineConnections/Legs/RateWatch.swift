// SPDX-License-Identifier: MIT

package import TaplineModel

/// Detects bodies that are too slow to be legitimate.
///
/// At a byte a second, a body could hold two connections indefinitely without exceeding any time
/// limit between two bytes.
///
/// The connection's own timer checks it now and then, so it costs nothing while bytes pass. A
/// window is ignored if no body was in progress for part of it, or if no byte passed: silence is
/// handled by `idle_timeout`.
package struct RateWatch {
    /// The result of a check.
    package enum Verdict: Equatable {
        /// Check again after this time.
        case lookAgain(Microseconds)
        case tooSlow
    }

    /// The minimum number of bytes a second, and the time over which it is measured.
    package struct Limit: Equatable, Sendable {
        package var bytesPerSecond: Int
        package var window: Microseconds

        package init(bytesPerSecond: Int = 100, window: Microseconds = Microseconds(60_000_000)) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// The window of a body in progress: its start, and the bytes that had passed then.
    private struct Window {
        let begun: Int64
        let passed: UInt64
    }

    private var window: Window?

    package init() {}

    /// Checks the bytes that have passed.
    ///
    /// - Parameters:
    ///   - passed: The bytes that either peer has sent or accepted so far.
    ///   - isUnderWay: Whether a body is in progress that could be faster.
    ///   - now: The time in microseconds.
    ///   - limit: The limit.
    /// - Returns: When to check again, or that the body is too slow.
    package mutating func look(
        _ passed: UInt64,
        isUnderWay: Bool,
        now: Int64,
        _ limit: Limit
    ) -> Verdict {
        guard isUnderWay, let window else {
            window = isUnderWay ? Window(begun: now, passed: passed) : nil
            return .lookAgain(limit.window)
        }
        let elapsed = now - window.begun
        guard elapsed >= limit.window.count else {
            return .lookAgain(Microseconds(limit.window.count - elapsed))
        }
        let moved = passed &- window.passed
        // In millionths, so that short windows are checked too.
        let (least, isOver) = Int64(limit.bytesPerSecond).multipliedReportingOverflow(by: elapsed)
        if moved > 0, isOver || Double(moved) * 1_000_000 < Double(least) { return .tooSlow }
        self.window = Window(begun: now, passed: passed)
        return .lookAgain(limit.window)
    }
}
