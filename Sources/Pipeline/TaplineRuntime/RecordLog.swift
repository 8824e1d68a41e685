// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSegments

/// The records of one sink that are kept on disk until the sink has written them.
///
/// **Isolation**: any thread; at most one appends and one reads at a time.
final class DurableQueue: Sendable {
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
    private let budget: MemoryBudget
    private let encoder = Mutex(Encoder())
    private let decoder: Mutex<Decoder>

    /// Creates a queue; `digests` is set if records need the hashes of their bodies.
    ///
    /// Returns `nil` if the options name no folder.
    init?(_ options: QueueOptions, digests: Bool, budget: MemoryBudget) {
        guard let path = options.disk else { return nil }
        self.path = path
        self.digests = digests
        self.budget = budget
        log = SegmentLog(
            path,
            SegmentLog.Limits(
                maxBytes: options.diskMaxBytes,
                segmentBytes: options.segmentBytes,
                syncs: options.syncs
            )
        )
        decoder = Mutex(Decoder(log.folder))
    }

    /// The bytes on disk.
    var bytes: Int { log.bytes }

    /// Opens the folder, and locks out other processes.
    func open() throws(SegmentError) -> SegmentLog.Opened { try log.open() }

    /// Appends all of the records, or none.
    ///
    /// - Returns: The position after each entry.
    func append(_ entries: [QueueEntry]) throws(SegmentError) -> [SegmentPosition] {
        try encoder.withLock { encoder throws(SegmentError) in
            encoder.encode(entries)
            let ends = encoder.ends
            let start = try log.append(encoder.bytes.span, records: ends.last?.records ?? 0)
            return ends.map {
                SegmentPosition(
                    segment: start.segment,
                    offset: start.offset + $0.bytes,
                    record: start.record &+ UInt64(clamping: $0.records)
                )
            }
        }
    }

    /// Reads records, at most `count`.
    func read(_ count: Int, from start: SegmentPosition, to end: SegmentPosition) -> Result {
        decoder.withLock { decoder in
            var records: [Record] = []
            var unreadable = 0
            let log = log
            let found = decoder.segments.read(
                from: start,
                upTo: count,
                end: end,
                following: { log.segment(after: $0) },
                { bytes in
                    do throws(RecordError) {
                        let exchange = try decoder.lines.read(bytes)
                        records.append(RecordChain.sealedAgain(exchange, digests: digests))
                    } catch {
                        unreadable += 1
                    }
                }
            )
            decoder.lines.shrink(toLinesOf: SinkSpill.readBytes)
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
    func commit(_ position: SegmentPosition) throws { try log.commit(position) }

    /// Removes the oldest records; returns the position of the first one that is left.
    func dropOldest() -> SegmentPosition { log.dropOldest() }

    /// Lets other processes use the folder.
    func close() { log.close() }
}

extension DurableQueue {
    private struct Encoder: ~Copyable {
        private var writer = NDJSONWriter()
        private(set) var bytes: [UInt8] = []
        /// The bytes and records up to the end of each entry.
        private(set) var ends: [(bytes: Int, records: Int)] = []

        mutating func encode(_ entries: [QueueEntry]) {
            if bytes.capacity > 32 << 20 { bytes = [] }
            bytes.removeAll(keepingCapacity: true)
            ends.removeAll(keepingCapacity: true)
            var records = 0
            for entry in entries {
                for position in entry.range {
                    Self.append(entry.batch.records[position], to: &bytes, &writer)
                }
                records += entry.range.count
                ends.append((bytes.count, records))
            }
        }

        private static func append(
            _ record: Record,
            to bytes: inout [UInt8],
            _ writer: inout NDJSONWriter
        ) {
            writer.removeAll()
            writer.write(record)
            if writer.count <= SegmentFormat.maxRecordBytes {
                SegmentFormat.appendFrame(writer.bytes, to: &bytes)
            } else {
                // Keeps its place; it is counted as unreadable if it has to be read.
                let placeholder: [1 of UInt8] = [0x0A]
                SegmentFormat.appendFrame(placeholder.span, to: &bytes)
            }
        }
    }

    private struct Decoder: ~Copyable {
        var segments: SegmentReader
        var lines = NDJSONReader(maxDepth: 1024)

        init(_ folder: SegmentFolder) { segments = SegmentReader(folder) }
    }
}
