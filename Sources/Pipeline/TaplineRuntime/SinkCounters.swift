// SPDX-License-Identifier: MIT

/// The counters of a sink: received = written + duplicates + filtered + dropped + errors + queued.
public struct SinkCounters: Sendable, Equatable {
    /// Records that reached the queue.
    public var received = 0
    /// Records that the sink has written.
    public var written = 0
    /// Records that the sink already had.
    public var duplicates = 0
    /// Records that `when` excluded.
    public var filtered = 0
    /// Records that were dropped: by `overflow`, since neither the queue nor the spill had room, or
    /// since the reader was gone.
    public var dropped = 0
    /// The dropped records for which the spill had no room.
    public var unspilled = 0
    /// Records that the sink refused, that could not be read back from the spill, or that were
    /// still unwritten when the pipeline stopped waiting.
    public var errors = 0
    /// The number of failed calls other than writes, such as flush or close.
    public var failures = 0
    /// Batches that were retried.
    public var retries = 0
    /// Records that are waiting now, in memory and on disk.
    public var queued = 0
    /// The highest number of records waiting in memory at one time.
    public var peakQueue = 0
    /// Records that have been moved to the spill so far.
    public var spilled = 0
    /// Records that are in the spill now.
    public var inSpill = 0
    /// The bytes that the spill takes on disk now.
    public var spillBytes = 0
    /// The highest number of bytes that the spill took at one time.
    public var peakSpillBytes = 0
    /// Whether the sink has failed for longer than `retry.max_elapsed`.
    public var isDegraded = false

    /// Creates counters at zero.
    public init() {}
}
