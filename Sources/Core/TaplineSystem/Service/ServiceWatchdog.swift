// SPDX-License-Identifier: MIT

internal import Synchronization

/// Shows the service manager at intervals that the process still makes progress.
///
/// A thread of its own runs a check, and notifies the manager only if the check succeeds. A deadlock
/// therefore ends the notices, also if it stops the check, and the manager restarts the process.
///
/// **Isolation**: any thread.
package final class ServiceWatchdog: Sendable {
    private let stopping = ThreadEvent()
    private let thread: Mutex<DedicatedThread?> = Mutex(nil)

    /// Creates a watchdog that does not run yet.
    package init() {}

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - interval: The longest time between two notices, in microseconds. One is sent after half
    ///     of it, and the check has a quarter.
    ///   - notifier: Sends the notices.
    ///   - check: Returns whether the process makes progress, within the given number of
    ///     microseconds. It may block.
    /// - Throws: `DedicatedThreadError` if no thread can be started.
    package func start(
        interval: Int64,
        _ notifier: ServiceNotifier,
        check: @escaping @Sendable (Int64) -> Bool
    ) throws(DedicatedThreadError) {
        let pause = max(interval / 2, 1000)
        let limit = max(interval / 4, 1000)
        let stopping = stopping
        let started = try DedicatedThread.start {
            repeat {
                if check(limit) { notifier.provedAlive() }
            } while !stopping.wait(until: SteadyClock.microseconds + pause)
        }
        thread.withLock { $0 = started }
    }

    /// Ends the thread, and waits for a check in progress.
    package func stop() {
        stopping.signal()
        thread.withLock { $0.take() }?.join()
    }
}
