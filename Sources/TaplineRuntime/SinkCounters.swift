// SPDX-License-Identifier: MIT

/// What went through a sink: received = written + duplicates + filtered + dropped + errors + queued.
public struct SinkCounters: Sendable, Equatable {
    /// Records that came to the queue.
    public var received = 0
    /// Records that the sink has taken.
    public var written = 0
    /// Records that were there already.
    public var duplicates = 0
    /// Records that `when` left out.
    public var filtered = 0
    /// Records that `overflow` dropped, for which neither the queue nor the spill had room, or that
    /// came when the reader had gone.
    public var dropped = 0
    /// Those of the dropped records for which the spill had no room.
    public var unspilled = 0
    /// Records that the sink refused, that could not be read back from the spill, or that were not
    /// written when the pipeline stopped waiting.
    public var errors = 0
    /// Times that a flush, a close or the like failed.
    public var failures = 0
    /// Batches that were tried again.
    public var retries = 0
    /// Records that wait now, in memory and on the disk.
    public var queued = 0
    /// The most records that have waited in memory at one time.
    public var peakQueue = 0
    /// Records that were moved to the spill so far.
    public var spilled = 0
    /// Records that are in the spill now.
    public var inSpill = 0
    /// The bytes that the spill takes on the disk now.
    public var spillBytes = 0
    /// The most bytes that it took at one time.
    public var peakSpillBytes = 0
    /// Whether the sink has failed for longer than `retry.max_elapsed`.
    public var isDegraded = false

    /// Nothing yet.
    public init() {}
}
