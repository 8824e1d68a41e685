// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// What components complain of while a test runs.
///
/// **Isolation**: any thread.
final class Complaints: Sendable {
    /// The most of them that are kept.
    private static let limit = 10

    private let heard = Mutex<[String]>([])

    /// The first of them, each with the component that speaks.
    var lines: [String] { heard.withLock(\.self) }

    /// The log that components get.
    var log: Log {
        Log(component: "") { [self] entry in
            guard entry.level >= .warning else { return }
            heard.withLock { heard in
                guard heard.count < Complaints.limit else { return }
                heard.append("'\(entry.component)': \(entry.message)")
            }
        }
    }
}
