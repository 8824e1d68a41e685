// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments
internal import TaplineSystem

/// The records of one sink on disk: those of `queue.disk`, or those that were spilled.
///
/// **Isolation**: any thread; at most one appends and one reads at a time.
final class RecordLog: Sendable {
    /// The result of a read.
    struct Result {
        /// The records; `nil` if none could be read.
        var batch: RecordBatch?
        /// The position after them.
        var end: SegmentPosition
        /// The number of unreadable records, and the reason for the last of them.
        var lost = 0
        var reason = ""
        /// Why the record at `end` could not be read; it is still on disk.
        var failure: String?
    }

    /// The folder.
    let path: String
    private let log: SegmentLog
    private let digests: Bool
    private let keepsLines: Bool
    private let budget: MemoryBudget
    private let encoder = Mutex(RecordFrames())
    private let decoder: Mutex<Decoder>

    private init(_ log: SegmentLog, digests: Bool, keepsLines: Bool, _ budget: MemoryBudget) {
        path = log.folder.path
        self.log = log
        self.digests = digests
        self.keepsLines = keepsLines
        self.budget = budget
        decoder = Mutex(Decoder(log))
    }

    /// Creates the log of a queue on disk, which is to be opened.
    ///
    /// Returns `nil` if the options name no folder.
    ///
    /// - Parameters:
    ///   - options: The options of the queue.
    ///   - digests: Whether records need the hashes of their bodies.
    ///   - keepsLines: Whether records keep their lines until the sink has written them.
    ///   - budget: Counts the memory of records that are read, and of lines.
    ///   - writing: How it writes; tests replace it.
    convenience init?(
        _ options: QueueOptions,
        digests: Bool,
        keepsLines: Bool = false,
        budget: MemoryBudget,
        writing: SegmentWriting = SegmentWriting()
    ) {
        guard let path = options.disk else { return nil }
        let limits = SegmentLog.Limits(
            maxBytes: options.diskMaxBytes,
            segmentBytes: options.segmentBytes,
            syncs: options.syncs
        )
        let log = SegmentLog(path, limits, writing: writing)
        self.init(log, digests: digests, keepsLines: keepsLines, budget)
    }

    /// Creates a log of unnamed files, which end with the process; it is open.
    convenience init(unnamedIn folder: String, limit: Int, digests: Bool, budget: MemoryBudget) {
        let log = SegmentLog(unnamedIn: folder, maxBytes: limit)
        self.init(log, digests: digests, keepsLines: false, budget)
    }

    /// The bytes on disk.
    var bytes: Int { log.bytes }

    /// The position after the last record.
    var end: SegmentPosition { log.end }

    /// Opens the folder, and locks out other processes.
    func open() throws(SegmentError) -> SegmentLog.Opened { try log.open() }

    /// Appends all of the records, or none.
    ///
    /// On a full disk, they get the space of the records that the sink has.
    ///
    /// - Returns: The position after each entry.
    func append(_ entries: [QueueEntry]) throws(SegmentError) -> [SegmentPosition] {
        try encoder.withLock { encoder throws(SegmentError) in
            encoder.encode(entries)
            let ends = encoder.ends
            let start = try append(encoder.bytes.span, records: ends.last?.records ?? 0)
            if keepsLines { encoder.keepLines(of: entries, budget) }
            return ends.map {
                SegmentPosition(
                    segment: start.segment,
                    offset: start.offset + $0.bytes,
                    record: start.record &+ UInt64(clamping: $0.records)
                )
            }
        }
    }

    private func append(
        _ frames: Span<UInt8>,
        records count: Int
    ) throws(SegmentError) -> SegmentPosition {
        while true {
            do throws(SegmentError) {
                return try log.append(frames, records: count)
            } catch {
                guard case .file(let failure) = error, failure.isFull,
                    log.makeRoom(for: frames.count)
                else { throw error }
                // The space of a file is free when nobody has it open.
                decoder.withLock { $0.segments.closeRemoved() }
            }
        }
    }

    /// Reads records, at most `count`.
    func read(_ count: Int, from start: SegmentPosition, to end: SegmentPosition) -> Result {
        decoder.withLock { decoder in
            var records: [Record] = []
            var unreadable = 0
            let found = decoder.segments.read(from: start, upTo: count, end: end) { bytes in
                do throws(RecordError) {
                    let exchange = try decoder.lines.read(bytes)
                    records.append(RecordChain.sealedAgain(exchange, digests: digests))
                } catch {
                    unreadable += 1
                }
            }
            decoder.lines.shrink(toLinesOf: SegmentReader.readBytes)
            var result = Result(end: found.end, lost: found.lost, reason: found.reason)
            result.failure = found.failure.map { "\($0)" }
            if unreadable > 0 {
                result.lost += unreadable
                result.reason = "a record is unreadable"
            }
            if !records.isEmpty {
                let memory = records.reduce(0) { $0 + $1.memory }
                result.batch = RecordBatch(records, memory: memory, budget: budget)
            }
            return result
        }
    }

    /// Notes that the records before a position are written, and frees their space.
    func commit(_ position: SegmentPosition) throws {
        defer { decoder.withLock { $0.segments.closeRemoved() } }
        try log.commit(position)
    }

    /// Removes the oldest records; returns the position of the first one that is left.
    func dropOldest() -> SegmentPosition { log.dropOldest() }

    /// Lets other processes use the folder.
    func close() { log.close() }

    /// Frees the space of unnamed files.
    func discard() { log.discard() }

    private struct Decoder: ~Copyable {
        var segments: SegmentReader
        var lines = NDJSONReader(maxDepth: 1024)

        init(_ log: SegmentLog) { segments = SegmentReader(log) }
    }
}
