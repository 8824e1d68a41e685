// SPDX-License-Identifier: MIT

package import TaplineModel

/// Finds bodies that come or go too slowly to be meant: a byte a second holds two connections for
/// as long as it likes, and no time limit between two bytes ends it.
///
/// It is looked at now and then, by the timer that the connection has anyway, and costs nothing while
/// bytes pass. A window in which a body was not under way all the time is not judged, nor is one in
/// which nothing passed at all: silence is the business of `idle_timeout`.
package struct RateWatch {
    /// What a look at the counters says.
    package enum Verdict: Equatable {
        /// Look again after this time.
        case lookAgain(Microseconds)
        case tooSlow
    }

    /// The fewest bytes a second, and over which time.
    package struct Limit: Equatable, Sendable {
        package var bytesPerSecond: Int
        package var window: Microseconds

        package init(bytesPerSecond: Int = 100, window: Microseconds = Microseconds(60_000_000)) {
            self.bytesPerSecond = bytesPerSecond
            self.window = window
        }
    }

    /// A body under way: since when, and what had passed then.
    private struct Window {
        let begun: Int64
        let passed: UInt64
    }

    private var window: Window?

    package init() {}

    /// Looks at what has passed.
    ///
    /// - Parameters:
    ///   - passed: The bytes that either peer has sent or taken so far.
    ///   - isUnderWay: Whether a body is on its way that could go faster.
    ///   - now: The time in microseconds.
    ///   - limit: What is too slow.
    /// - Returns: When to look again, or that the body is too slow.
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
        // In millionths, so that short windows are judged as well.
        let (least, isOver) = Int64(limit.bytesPerSecond).multipliedReportingOverflow(by: elapsed)
        if moved > 0, isOver || Double(moved) * 1_000_000 < Double(least) { return .tooSlow }
        self.window = Window(begun: now, passed: passed)
        return .lookAgain(limit.window)
    }
}
