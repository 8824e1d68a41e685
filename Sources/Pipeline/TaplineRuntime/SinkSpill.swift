// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineFormats
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineSystem

/// The records of one sink that wait on disk, in order.
///
/// They are lines of NDJSON, each preceded by its length, in unnamed files of mode 0600. The system
/// frees the files when the process ends, however it ends. A file is closed, and its space freed,
/// when it has been read completely.
///
/// **Isolation**: any thread; at most one writes and one reads at a time.
final class SinkSpill: Sendable {
    /// The length of a file after which the next record begins another one.
    static let segmentBytes = 8 << 20
    /// The number of bytes that are read at a time, unless a record is longer.
    static let readBytes = 1 << 20

    /// The result of a read.
    struct Result {
        /// The records; `nil` if none could be read.
        var batch: RecordBatch?
        /// The number of unreadable records, and the reason for the last of them.
        var lost = 0
        var reason = ""
        /// The bytes that the spill takes now.
        var bytes = 0
    }

    /// The folder for the files.
    let folder: String
    private let limit: Int
    private let digests: Bool
    private let budget: MemoryBudget
    private let files = Mutex(Files())
    private let encoder = Mutex(Encoder())
    private let decoder = Mutex(Decoder())

    /// Creates a spill of at most `limit` bytes; `digests` is set if records need the hashes of
    /// their bodies.
    init(folder: String, limit: Int, digests: Bool, budget: MemoryBudget) {
        self.folder = folder
        self.limit = limit
        self.digests = digests
        self.budget = budget
    }

    /// Appends all of the records, or none.
    ///
    /// - Returns: The bytes that the spill takes now.
    func append(_ entries: [QueueEntry]) throws(SpillError) -> Int {
        try encoder.withLock { encoder throws(SpillError) in
            let count = encoder.encode(entries)
            return try files.withLock { files throws(SpillError) in
                guard files.bytes + encoder.bytes.count <= limit else { throw .limit(limit) }
                do throws(FileError) {
                    let segment = try files.segmentToWrite(in: folder)
                    try segment.append(encoder.bytes.span, records: count)
                } catch {
                    throw .file(error)
                }
                return files.bytes
            }
        }
    }

    /// Reads and removes the first records, at most `count`.
    func read(_ count: Int) -> Result {
        decoder.withLock { decoder in
            var result = Result()
            guard count > 0, let segment = files.withLock({ $0.segments.first }) else {
                result.bytes = files.withLock { $0.bytes }
                return result
            }
            var records: [Record] = []
            do throws(FileError) {
                try decoder.read(segment, count, &records, &result, digests)
            } catch {
                result.reason = error.description
                result.lost += segment.recordsLeft
                segment.abandon()
            }
            result.bytes = files.withLock { $0.removeReadSegments() }
            if !records.isEmpty {
                let memory = records.reduce(0) { $0 + $1.memory }
                result.batch = RecordBatch(records, memory: memory, budget: budget)
            }
            return result
        }
    }

    /// Frees all space.
    ///
    /// If a hanging disk blocks the other thread, the space is freed with the last reference.
    func discard() { _ = files.withLockIfAvailable { $0.segments = [] } }
}

/// The reason that records could not be spilled.
enum SpillError: Error, CustomStringConvertible {
    /// `queue.spill_max_bytes` is reached.
    case limit(Int)
    /// The disk failed to store them.
    case file(FileError)

    var description: String {
        switch self {
        case .limit(let bytes): "queue.spill_max_bytes (\(bytes) bytes) is reached"
        case .file(let error): error.description
        }
    }
}

// MARK: - Files

extension SinkSpill {
    /// The files: the first is read, the last is written.
    private struct Files: ~Copyable {
        var segments: [Segment] = []

        var bytes: Int { segments.reduce(0) { $0 + $1.written } }

        mutating func segmentToWrite(in folder: String) throws(FileError) -> Segment {
            if let last = segments.last, last.written < SinkSpill.segmentBytes { return last }
            let segment = Segment(try File(unnamedIn: folder))
            segments.append(segment)
            return segment
        }

        /// Closes files that have been read completely.
        ///
        /// - Returns: The bytes that the remaining files take.
        mutating func removeReadSegments() -> Int {
            while let first = segments.first, first.recordsLeft == 0 { segments.removeFirst() }
            return bytes
        }
    }

    /// One file.
    ///
    /// It is written under the lock of the files; what has been written is read without a lock.
    private final class Segment: Sendable {
        private struct State {
            var written = 0
            var read = 0
            var recordsLeft = 0
        }

        private let file: File
        private let state = Mutex(State())

        init(_ file: consuming File) { self.file = file }

        /// The number of bytes written.
        var written: Int { state.withLock { $0.written } }
        /// The number of records that have not been read.
        var recordsLeft: Int { state.withLock { $0.recordsLeft } }
        /// The range of bytes that have not been read.
        var unread: Range<Int> { state.withLock { $0.read..<$0.written } }

        func append(_ bytes: Span<UInt8>, records: Int) throws(FileError) {
            let start = written
            do {
                try file.seek(to: start)
                try file.write(bytes)
            } catch {
                // Frees the space of a partial write; if that fails, it is overwritten.
                try? file.truncate(to: start)
                throw error
            }
            state.withLock {
                $0.written += bytes.count
                $0.recordsLeft += records
            }
        }

        func read(into buffer: inout [UInt8], _ range: Range<Int>) throws(FileError) {
            if buffer.count < range.count {
                buffer += Array(repeating: 0, count: range.count - buffer.count)
            }
            var whole = buffer.mutableSpan
            var space = whole._mutatingExtracting(first: range.count)
            let count = try file.read(into: &space, at: range.lowerBound)
            guard count == range.count else { throw FileError("read", file.path, code: 5) }
        }

        /// Notes that records were read.
        func took(_ count: Int, bytes: Int) {
            state.withLock {
                $0.read += bytes
                $0.recordsLeft -= count
            }
        }

        /// Skips the rest of the file.
        func abandon() {
            state.withLock {
                $0.read = $0.written
                $0.recordsLeft = 0
            }
        }
    }
}

// MARK: - Records

extension SinkSpill {
    /// The size of the length in front of each record, in bytes.
    private static let lengthBytes = 8

    private struct Encoder: ~Copyable {
        private var writer = NDJSONWriter()
        private(set) var bytes: [UInt8] = []

        /// Encodes records and returns their number.
        mutating func encode(_ entries: [QueueEntry]) -> Int {
            if bytes.capacity > 4 * SinkSpill.segmentBytes { bytes = [] }
            bytes.removeAll(keepingCapacity: true)
            var count = 0
            for entry in entries {
                for position in entry.range {
                    Self.append(entry.batch.records[position], to: &bytes, &writer)
                    count += 1
                }
            }
            return count
        }

        /// Appends a record, preceded by its length.
        private static func append(
            _ record: Record,
            to bytes: inout [UInt8],
            _ writer: inout NDJSONWriter
        ) {
            writer.removeAll()
            writer.write(record)
            var length = UInt64(writer.count)
            for _ in 0..<SinkSpill.lengthBytes {
                bytes.append(UInt8(truncatingIfNeeded: length))
                length >>= 8
            }
            bytes.append(copying: writer.bytes)
        }
    }

    private struct Decoder: ~Copyable {
        private var reader = NDJSONReader(maxDepth: 1024)
        private var buffer: [UInt8] = []

        /// Reads records of a file, until `limit` is reached or the bytes read at a time are used
        /// up.
        mutating func read(
            _ segment: Segment,
            _ limit: Int,
            _ records: inout [Record],
            _ result: inout Result,
            _ digests: Bool
        ) throws(FileError) {
            let unread = segment.unread
            var size = min(unread.count, SinkSpill.readBytes)
            try segment.read(into: &buffer, unread.lowerBound..<unread.lowerBound + size)
            var start = 0
            var taken = 0
            while taken < limit, start + SinkSpill.lengthBytes <= size {
                let length = self.length(at: start)
                let end = start + SinkSpill.lengthBytes + length
                if end > size {
                    guard taken == 0, end <= unread.count else { break }
                    size = end
                    try segment.read(into: &buffer, unread.lowerBound..<unread.lowerBound + size)
                }
                do throws(RecordError) {
                    let line = start + SinkSpill.lengthBytes..<end
                    let exchange = try Self.exchange(in: buffer, line, &reader)
                    records.append(RecordChain.sealedAgain(exchange, digests: digests))
                } catch {
                    result.lost += 1
                    result.reason = "a record is unreadable"
                }
                taken += 1
                start = end
            }
            guard taken > 0 else { throw FileError("read", "the spill", code: 5) }
            segment.took(taken, bytes: start)
            if buffer.count > 4 * SinkSpill.readBytes { buffer = [] }
            reader.shrink(toLinesOf: SinkSpill.readBytes)
        }

        private static func exchange(
            in buffer: [UInt8],
            _ line: Range<Int>,
            _ reader: inout NDJSONReader
        ) throws(RecordError) -> Exchange {
            try reader.read(buffer.span.extracting(line))
        }

        private func length(at start: Int) -> Int {
            var length: UInt64 = 0
            for position in 0..<SinkSpill.lengthBytes {
                length |= UInt64(buffer[start + position]) << (8 * UInt64(position))
            }
            return Int(clamping: min(length, 1 << 40))
        }
    }
}
