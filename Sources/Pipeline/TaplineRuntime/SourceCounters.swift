// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin

/// The counters of a source: received = sent + filtered + unrecorded + dropped; rejected counts
/// separately.
package struct SourceCounters: Sendable, Equatable {
    /// Exchanges that were captured.
    package var received = 0
    /// Exchanges that were sent to the stages.
    package var sent = 0
    /// Exchanges that `when` excluded.
    package var filtered = 0
    /// Exchanges that `sample` excluded.
    package var sampledOut = 0
    /// Exchanges over `max_exchanges_in_flight`.
    package var overLimit = 0
    /// Exchanges that were shed because memory was short.
    package var shedMemory = 0
    /// Exchanges that were shed because processor time was short.
    package var shedProcessor = 0
    /// Exchanges that the source dropped, since it may not wait for the pipeline.
    package var dropped = 0
    /// Entries that were read but are not exchanges.
    package var rejected = 0
    /// The bytes of the captured exchanges on the wire, as far as they are known.
    package var bytes = 0

    /// Creates counters at zero.
    package init() {}

    /// Exchanges that passed without a record, because of `sample` or under load.
    package var unrecorded: Int { sampledOut + overLimit + shedMemory + shedProcessor }

    /// Counts an exchange that is not recorded.
    mutating func count(_ reason: RecordingDecision) {
        switch reason {
        case .undecided, .recorded: break
        case .sampledOut: sampledOut += 1
        case .overLimit: overLimit += 1
        case .shedMemory: shedMemory += 1
        case .shedProcessor: shedProcessor += 1
        }
    }

    /// Adds the counts of a lane.
    static func += (left: inout SourceCounters, right: SourceCounters) {
        left.received += right.received
        left.sent += right.sent
        left.filtered += right.filtered
        left.sampledOut += right.sampledOut
        left.overLimit += right.overLimit
        left.shedMemory += right.shedMemory
        left.shedProcessor += right.shedProcessor
        left.dropped += right.dropped
        left.rejected += right.rejected
        left.bytes = left.bytes.addingClamped(right.bytes)
    }
}
