// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineSystem

/// One run that builds an index, or continues one.
final class TextIndexBuild {
    /// How many threads read rows: each needs memory of its own.
    private static let maxThreads = 4
    /// A last segment with fewer row numbers is built again together with the rows after it.
    private static let smallSegment = SegmentRows.limit / 2

    private let path: String
    private let token: [UInt8]
    private let file: TextIndexFile
    private var state: TextIndexFile.State

    /// The number of the last row that is indexed.
    var covered: Int64 { state.covered }

    /// Opens the index; one that cannot be continued is removed.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - kind: What to index; `nil` for that of an index that exists, otherwise trigrams.
    ///   - token: The token of this run.
    ///   - valid: The token of an index that is valid.
    /// - Throws: `SQLiteError` or `FileError` if the file cannot be written.
    init(
        _ path: String,
        _ kind: TextIndexKind?,
        token: [UInt8],
        continuing valid: [UInt8]?
    ) throws {
        self.path = path
        self.token = token
        let old = try Self.state(path)
        if let old, old.token == valid, kind == nil || kind == old.kind {
            file = try TextIndexFile(writingOf: path)
            state = old
        } else {
            _ = try TextIndexFile.remove(of: path)
            file = try TextIndexFile(writingOf: path)
            state = TextIndexFile.State(kind: kind ?? old?.kind ?? .trigrams, token: token)
        }
        try file.connection.transaction {
            let last = state.segments > 0 ? try file.places(state).last : nil
            if let last, last.count < Self.smallSegment {
                try file.removeSegment(last)
                state.segments -= 1
                state.covered = state.segments == 0 ? .min : last.first - 1
            }
            state.token = token
            try file.write(state)
        }
    }

    /// The state of an index that can be read as a whole.
    private static func state(_ path: String) throws -> TextIndexFile.State? {
        do {
            guard let file = try TextIndexFile(readingOf: path), let state = try file.state() else {
                return nil
            }
            try file.verify(try file.places(state))
            return state
        } catch is DamagedIndex {
            return nil
        } catch is SQLiteError {
            // It is built from the start; if the file cannot be removed, that is the error.
            return nil
        }
    }

    /// Indexes the rows up to a number; what is done when it ends with an error stays.
    func run(_ reader: DatabaseReader, upTo last: Int64, _ progress: QueryProgress) throws {
        let (upper, isOver) = last.addingReportingOverflow(1)
        let ranges = RowRanges(
            [RowRange(lower: covered, upper: isOver ? .max : upper)],
            isForward: true,
            firstSize: Int64(SegmentRows.limit),
            maxSize: Int64(SegmentRows.limit)
        )
        let scan = RangeScan<[IndexSegment]>(
            path,
            ranges,
            threads: min(Processors.available, Self.maxThreads),
            progress: progress
        ) { [kind = state.kind, token] reader in
            let rows = try IndexedRows(reader, kind, token)
            return RangeScan.Work(read: rows.read)
        }
        try scan.run(reader) { segments, _ in
            try write(segments)
            return true
        }
        try file.connection.checkpoint(truncating: true)
        try file.connection.close()
    }

    private func write(_ segments: [IndexSegment]) throws {
        try file.connection.transaction {
            guard try file.state()?.token == token else {
                throw StoreError(.locked, "another process builds the index of '\(path)'")
            }
            for segment in segments {
                state.segments += 1
                state.covered = segment.last
                try file.write(segment, id: state.segments)
            }
            try file.write(state)
        }
    }
}

/// Reads rows and builds segments of them.
///
/// **Isolation**: the thread of its reader; within a transaction.
final class IndexedRows {
    private let reader: DatabaseReader
    private let token: [UInt8]
    private let rows: SQLiteStatement
    private let layout = RowLayout(.all)
    private var builder: SegmentBuilder

    init(_ reader: DatabaseReader, _ kind: TextIndexKind, _ token: [UInt8]) throws {
        self.reader = reader
        self.token = token
        builder = SegmentBuilder(kind)
        rows = try reader.connection.prepare(
            """
            SELECT \(layout.selection) FROM exchanges e NOT INDEXED
              WHERE \(RowRange.condition(after: 0)) ORDER BY e.seq
            """
        )
    }

    /// Builds the segments of a range.
    func read(_ range: RowRange) throws -> [IndexSegment] {
        guard try TextIndexMarker.token(reader.connection) == token else {
            throw StoreError(
                .locked,
                "'\(reader.path)' was changed, or is indexed by another process, at the same time"
            )
        }
        defer { rows.reset() }
        try range.bind(to: rows, after: 0)
        var segments: [IndexSegment] = []
        builder.begin(range.lower + 1)
        while try rows.step() {
            let number = rows.integer(RowLayout.seq)
            if builder.isFull {
                segments.append(builder.finish(last: number - 1))
                builder.begin(number)
            }
            let problems = reader.problems.count
            let exchange = try reader.decode(rows, layout)?.exchange
            // A body that is missing may come back.
            builder.add(number, reader.problems.count == problems ? exchange : nil)
        }
        segments.append(builder.finish(last: range.upper - 1))
        return segments
    }
}
