// SPDX-License-Identifier: MIT

internal import Synchronization

/// Reports that no file descriptor is left for a connection, at most once per interval.
///
/// **Isolation**: any thread.
package final class DescriptorShortage: Sendable {
    private let pause: Duration
    private let report: @Sendable (Int) -> Void
    private let reported = Mutex<ContinuousClock.Instant?>(nil)

    /// - Parameters:
    ///   - pause: The interval between two reports.
    ///   - report: Called with the descriptor limit of the process.
    package init(every pause: Duration = .seconds(60), _ report: @escaping @Sendable (Int) -> Void)
    {
        self.pause = pause
        self.report = report
    }

    /// Notes that no descriptor is left.
    package func note(limit: Int) {
        let now = ContinuousClock.now
        let isDue = reported.withLock { reported in
            if let reported, now - reported < pause { return false }
            reported = now
            return true
        }
        if isDue { report(limit) }
    }
}
