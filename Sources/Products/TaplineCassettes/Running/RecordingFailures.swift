// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// The problems that components report while a test runs.
///
/// **Isolation**: any thread.
final class RecordingFailures: Sendable {
    /// The most reports that are kept.
    private static let limit = 10

    private let entries = Mutex<[String]>([])

    /// The first reports, each with the component that logged it.
    var lines: [String] { entries.withLock(\.self) }

    /// The log that is passed to components.
    var log: Log {
        Log(component: "") { [self] entry in
            guard entry.level >= .warning else { return }
            entries.withLock { entries in
                guard entries.count < RecordingFailures.limit else { return }
                entries.append("'\(entry.component)': \(entry.message)")
            }
        }
    }
}
