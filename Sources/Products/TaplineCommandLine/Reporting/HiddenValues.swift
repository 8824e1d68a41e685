// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineConfig

/// The values that a log hides, to which reloads add those of a changed file.
///
/// The values of the former file stay, since components that end may still log them.
///
/// **Isolation**: any thread.
final class HiddenValues: Sendable {
    private let values: Mutex<InterpolatedValues?>

    init(_ first: InterpolatedValues?) { values = Mutex(first) }

    /// Hides further values from now on.
    func add(_ more: InterpolatedValues) {
        values.withLock { values in
            guard var all = values else {
                values = more
                return
            }
            all.formUnion(more)
            values = all
        }
    }

    /// Returns a message without the values.
    func hiding(in text: String) -> String {
        values.withLock { $0 }?.hiding(in: text) ?? text
    }
}
