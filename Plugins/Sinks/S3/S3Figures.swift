// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplinePlugin

/// The counters of a sink `s3`, also after it was closed and opened again.
///
/// **Isolation**: any thread.
final class S3Figures: Sendable {
    private let files = Atomic<Int>(0)

    /// How many files the store has refused for good.
    var setAside: Int { files.load(ordering: .relaxed) }

    /// A file was set aside, since the store has refused it for good.
    func setAsideFile() { files.add(1, ordering: .relaxed) }

    /// Returns the sink's own metrics.
    func metrics(of bucket: String) -> [Metric] {
        [Metric("set aside files", of: bucket, count: setAside)]
    }
}
