// SPDX-License-Identifier: MIT

internal import Synchronization
package import TaplineSystem

/// The time until which the threads of a pipeline may wait for others after it was asked to stop.
///
/// **Isolation**: any thread.
package final class StopDeadline: Sendable {
    /// How often a waiting thread checks whether the pipeline was asked to stop, in microseconds.
    private static let interval: Int64 = 50_000

    private let microseconds = Atomic<Int64>(.max)

    /// Creates the deadline of a pipeline that was not asked to stop.
    package init() {}

    /// The time, as `SteadyClock` counts; the largest one while the pipeline runs.
    package var time: Int64 { microseconds.load(ordering: .acquiring) }

    /// Sets the time, as `SteadyClock` counts; later calls are ignored.
    package func set(_ time: Int64) {
        _ = microseconds.compareExchange(
            expected: .max,
            desired: time,
            ordering: .acquiringAndReleasing
        )
    }

    /// Waits for an event until the deadline, which may be set meanwhile.
    ///
    /// - Returns: Whether the event has occurred.
    package func wait(for event: ThreadEvent) -> Bool {
        while true {
            let now = SteadyClock.microseconds
            let end = time
            if event.wait(until: min(end, now + Self.interval)) { return true }
            if now >= end { return false }
        }
    }
}
