// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments
internal import TaplineSystem

/// The records of one sink that wait on disk while it does not accept them, in order.
///
/// They are in the segments of a queue on disk, but the files have no names and mode 0600: the
/// system frees them when the process ends, however it ends. A file is closed, and its space freed,
/// when it has been read completely.
///
/// **Isolation**: any thread; at most one writes and one reads at a time.
final class SinkSpill: Sendable {
    /// The result of a read.
    struct Result {
        /// The records; `nil` if none could be read.
        var batch: RecordBatch?
        /// The number of unreadable records, and the reason for the last of them.
        var lost = 0
        var reason = ""
        /// Why the next record could not be read; it is still on disk.
        var failure: String?
        /// The bytes that the spill takes now.
        var bytes = 0
    }

    /// The folder for the files.
    let folder: String
    private let records: RecordLog
    /// The position of the next record to be read.
    private let next = Mutex(SegmentPosition(startOf: 0))

    /// Creates a spill of at most `limit` bytes; `digests` is set if records need the hashes of
    /// their bodies.
    init(folder: String, limit: Int, digests: Bool, budget: MemoryBudget) {
        self.folder = folder
        records = RecordLog(unnamedIn: folder, limit: limit, digests: digests, budget: budget)
    }

    /// Appends all of the records, or none.
    ///
    /// - Returns: The bytes that the spill takes now.
    func append(_ entries: [QueueEntry]) throws(SpillError) -> Int {
        do throws(SegmentError) {
            _ = try records.append(entries)
        } catch {
            throw SpillError(error)
        }
        return records.bytes
    }

    /// Reads and removes the first records, at most `count`.
    func read(_ count: Int) -> Result {
        next.withLock { next in
            let found = records.read(count, from: next, to: records.end)
            // Unnamed files have no position on disk that could not be written.
            try? records.commit(found.end)
            // What was read before the failure is passed on first.
            let isStuck = found.end == next
            next = found.end
            return Result(
                batch: found.batch,
                lost: found.lost,
                reason: found.reason,
                failure: isStuck ? found.failure : nil,
                bytes: records.bytes
            )
        }
    }

    /// Frees all space.
    ///
    /// If a hanging disk blocks the other thread, the space is freed with the last reference.
    func discard() { records.discard() }
}

/// The reason that records could not be spilled.
struct SpillError: Error, CustomStringConvertible {
    let description: String

    init(_ error: SegmentError) {
        description =
            if case .limit(let bytes) = error {
                "queue.spill_max_bytes (\(bytes) bytes) is reached"
            } else {
                error.description
            }
    }
}
