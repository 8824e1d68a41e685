// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// Says that no file descriptor is left for a connection, at most once a minute.
///
/// **Isolation**: any thread.
final class DescriptorShortage: Sendable {
    private static let pause = Duration.seconds(60)

    private let log: Log
    private let told = Mutex<ContinuousClock.Instant?>(nil)

    init(_ log: Log) { self.log = log }

    /// There is none left of so many.
    func tell(limit: Int) {
        let now = ContinuousClock.now
        let isDue = told.withLock { told in
            if let told, now - told < Self.pause { return false }
            told = now
            return true
        }
        guard isDue else { return }
        log.warning(
            "all \(limit) file descriptors are in use, so that clients are turned away; each takes "
                + "one, and its server another: raise the limit ('ulimit -n') or lower 'max_connections'"
        )
    }
}
