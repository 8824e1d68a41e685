// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineCommandLine

/// Takes what a pipeline writes to standard error in a command of its own; the last lines are kept.
///
/// **Isolation**: any thread.
final class CollectedLines: Sendable {
    private static let limit = 20

    private let lines = Mutex<[String]>([])

    /// The lines so far.
    var all: [String] { lines.withLock { $0 } }

    /// The console that they come from.
    var console: Console {
        Console(
            isTerminal: false,
            output: { _ in },
            errors: { [self] bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                lines.withLock { lines in
                    lines += text.split(separator: "\n").map(String.init)
                    if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
                }
            }
        )
    }
}
