// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The counters of a source: received = sent + filtered + dropped; rejected counts separately.
package struct SourceCounters: Sendable, Equatable {
    /// Exchanges that were captured.
    package var received = 0
    /// Exchanges that were sent to the stages.
    package var sent = 0
    /// Exchanges that `when` excluded.
    package var filtered = 0
    /// Exchanges that the source dropped, since it may not wait for the pipeline.
    package var dropped = 0
    /// Entries that were read but are not exchanges.
    package var rejected = 0
    /// The bytes of the captured exchanges on the wire, as far as they are known.
    package var bytes = 0

    /// Creates counters at zero.
    package init() {}

    /// Adds the counts of a lane.
    static func += (left: inout SourceCounters, right: SourceCounters) {
        left.received += right.received
        left.sent += right.sent
        left.filtered += right.filtered
        left.dropped += right.dropped
        left.rejected += right.rejected
        left.bytes = left.bytes.addingClamped(right.bytes)
    }
}
