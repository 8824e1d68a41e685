// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The counters of a sink.
///
/// received + recovered + takenOver + repeated
/// = written + duplicates + filtered + dropped + errors + deadLetters + queued + kept + handedOver.
package struct SinkCounters: Sendable, Equatable {
    /// Records that reached the queue.
    package var received = 0
    /// The kept bytes of these records.
    package var receivedBytes = 0
    /// Records of earlier runs that were in the queue on disk.
    package var recovered = 0
    /// Records that the sink gets again, since a flush has failed after it had taken them.
    package var repeated = 0
    /// Records that remain in the queue on disk for the next run.
    package var kept = 0
    /// Records that a sink which a reload has replaced left to this one in the queue on disk.
    package var takenOver = 0
    /// Records that were left in the queue on disk to the sink that replaces this one.
    package var handedOver = 0
    /// Records that the sink refused, and that are in the file for dead letters.
    package var deadLetters = 0
    /// Records that the sink has written.
    package var written = 0
    /// Records that the sink already had.
    package var duplicates = 0
    /// Records that `when` excluded.
    package var filtered = 0
    /// Records that were dropped: by `overflow`, since neither the queue nor the spill had room, or
    /// since the reader was gone.
    package var dropped = 0
    /// The dropped records for which the spill had no room.
    package var unspilled = 0
    /// Records that the sink refused or its destination discarded, that could not be read back from
    /// the spill, or that were still unwritten when the pipeline stopped waiting.
    package var errors = 0
    /// The number of failed calls other than writes, such as flush or close.
    package var failures = 0
    /// Batches that were retried.
    package var retries = 0
    /// Records that are waiting now, in memory and on disk.
    package var queued = 0
    /// The highest number of records waiting in memory at one time.
    package var peakQueue = 0
    /// Records that have been moved to the spill so far.
    package var spilled = 0
    /// Records that are in the spill now.
    package var inSpill = 0
    /// The bytes that the spill takes on disk now.
    package var spillBytes = 0
    /// The highest number of bytes that the spill took at one time.
    package var peakSpillBytes = 0
    /// Whether the sink has failed for longer than `retry.max_elapsed`.
    package var isDegraded = false

    /// Creates counters at zero.
    package init() {}

    /// Adds the counts of a sink with the same id, which a reload has replaced.
    static func += (left: inout SinkCounters, right: SinkCounters) {
        left.received += right.received
        left.receivedBytes = left.receivedBytes.addingClamped(right.receivedBytes)
        left.recovered += right.recovered
        left.repeated += right.repeated
        left.kept += right.kept
        left.takenOver += right.takenOver
        left.handedOver += right.handedOver
        // What has passed from one to the other has left neither of them.
        let passed = min(left.takenOver, left.handedOver)
        left.takenOver -= passed
        left.handedOver -= passed
        left.deadLetters += right.deadLetters
        left.written += right.written
        left.duplicates += right.duplicates
        left.filtered += right.filtered
        left.dropped += right.dropped
        left.unspilled += right.unspilled
        left.errors += right.errors
        left.failures += right.failures
        left.retries += right.retries
        left.queued += right.queued
        left.spilled += right.spilled
        left.inSpill += right.inSpill
        left.spillBytes += right.spillBytes
        left.peakQueue = max(left.peakQueue, right.peakQueue)
        left.peakSpillBytes = max(left.peakSpillBytes, right.peakSpillBytes)
        left.isDegraded = left.isDegraded || right.isDegraded
    }
}
