// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// A database that the sink `sqlite` writes, opened read-only.
///
/// Another process may write to it at the same time. Each range of rows is read in a transaction of
/// its own, so a range is consistent and a long query does not prevent checkpoints for its whole
/// duration.
///
/// **Isolation**: one thread at a time. Closures that receive exchanges must not use the store.
final class DatabaseStore {
    /// How much memory the exchanges of one range may take, so that all waiting ranges take at most
    /// 64 MiB; others are read again.
    private static let matchBudget = (64 << 20) / RangeScan<[Selection.Item]>.maxWaiting
    /// The size of ranges whose exchanges wait for others to be passed on.
    private static let rangeOfResults: Int64 = 2048
    /// The limit of a query up to which an index is asked only after the first rows.
    static let smallLimit = 1000

    let path: String
    private let warn: (String) -> Void
    let reader: DatabaseReader
    private var found = RowProblems()
    /// Whether a warning about the full-text index was given.
    private var hasWarnedOfIndex = false
    /// What the last sorted query has left for its next pages.
    var sortedKeys: SortedKeys?
    /// The rows that count; `nil` for all of them.
    var counted: CountedRows? {
        didSet { sortedKeys = nil }
    }

    /// Opens a database; `nil` if the file is not one.
    init?(_ path: String, warn: @escaping (String) -> Void) throws(StoreError) {
        guard let reader = try DatabaseReader(path) else { return nil }
        self.path = path
        self.warn = warn
        self.reader = reader
    }

    /// Opens the database that is now at the path; `nil` if the file is not one.
    func reopened() throws(StoreError) -> DatabaseStore? { try DatabaseStore(path, warn: warn) }

    /// How many rows or bodies could not be read so far.
    var problems: Int { found.count + reader.problems.count }

    // MARK: Questions

    /// Compiles a query of the rows that count.
    func compiled(_ query: StoreQuery, wanted: RowColumns? = nil) throws -> RowQuery {
        var rows = RowQuery(query, schema: try reader.currentSchema(), wanted: wanted)
        rows.counted = counted
        return rows
    }

    /// Returns how many exchanges match a filter.
    func count(_ filter: Filter?, _ progress: QueryProgress? = nil) throws -> Int {
        let query = try compiled(StoreQuery(filter, parts: []))
        defer { report(reader.problems.take()) }
        let ranges = try textRanges(query, progress: progress)
        if try ranges == nil && (filter == nil || IndexScan.isUseful(reader, for: query)) {
            return try IndexScan(reader, query, in: .all, progress).count()
        }
        var sum = 0
        try scan(ranges ?? [.all], query, progress: progress) { reader in
            RangeScan.Work(read: RowReader(reader, query).count)
        } _: { (count: Int) in
            sum += count
            return true
        }
        return sum
    }

    /// Calls a closure with each exchange that a query selects.
    func scan(_ query: StoreQuery, _ body: (StoreKey, Exchange) throws -> Void) throws {
        var left = query.limit ?? .max
        guard left > 0 else { return }
        if let sort = query.sort { return try scan(query, by: sort, body) }
        let rowQuery = try compiled(query)
        var range = RowRange.all
        if let after = query.after {
            if rowQuery.isForward { range.lower = after.number } else { range.upper = after.number }
        }
        defer { report(reader.problems.take()) }
        func take(_ key: StoreKey, _ exchange: Exchange) throws -> Bool {
            try body(key, exchange)
            left -= 1
            return left > 0
        }
        if let ranges = try textRanges(rowQuery, in: range, progress: query.progress) {
            try scan(ranges, rowQuery, limit: left, query.progress, take)
        } else if query.filter != nil, try IndexScan.isUseful(reader, for: rowQuery) {
            if left <= Self.smallLimit {
                range = try readFirst(range, rowQuery, take)
            }
            if left > 0 {
                try IndexScan(reader, rowQuery, in: range, query.progress).read(take)
            }
        } else {
            try scan([range], rowQuery, limit: left, query.progress, take)
        }
    }

    /// Reads the first ranges, in which a common value is found at once, and returns the rest.
    private func readFirst(
        _ all: RowRange,
        _ query: RowQuery,
        _ body: (StoreKey, Exchange) throws -> Bool
    ) throws -> RowRange {
        let rows = RowReader(reader, query)
        var ranges = RowRanges([all], isForward: query.isForward, maxSize: Self.rangeOfResults)
        for _ in 0..<4 {
            guard let range = try reader.naming({ try ranges.next(reader.connection) }) else {
                break
            }
            var isOver = false
            try reader.snapshot {
                try rows.read(range) { key, exchange in
                    isOver = try !body(key, exchange)
                    return !isOver
                }
            }
            if isOver { break }
        }
        return ranges.rest
    }

    private func scan(
        _ ranges: [RowRange],
        _ query: RowQuery,
        limit: Int,
        _ progress: QueryProgress?,
        _ body: (StoreKey, Exchange) throws -> Bool
    ) throws {
        try scan(ranges, query, maxSize: Self.rangeOfResults, progress: progress) { reader in
            let rows = RowReader(reader, query)
            return RangeScan.Work { range in
                var items: [Selection.Item] = []
                var memory = 0
                try rows.read(range) { key, exchange in
                    let item = Selection.Item(key, exchange)
                    let fits = memory + item.memory <= Self.matchBudget
                    items.append(fits ? item : Selection.Item(key, store: 0))
                    memory += fits ? item.memory : 0
                    return items.count < limit
                }
                return items
            }
        } _: { (items: [Selection.Item]) in
            for item in items {
                let exchange = try item.exchange ?? exchange(at: item.key, query.wanted.columns)
                guard let exchange else { continue }
                if try !body(item.key, exchange) { return false }
            }
            return true
        }
    }

    /// Reads ranges, which ascend, on several threads, and reports what could not be read.
    func scan<Output: Sendable>(
        _ ranges: [RowRange],
        _ query: RowQuery,
        maxSize: Int64 = 16_384,
        progress: QueryProgress? = nil,
        _ makeWork: @escaping @Sendable (DatabaseReader) throws -> RangeScan<Output>.Work,
        _ body: (Output) throws -> Bool
    ) throws {
        let ranges = RowRanges(ranges, isForward: query.isForward, maxSize: maxSize)
        let scan = RangeScan<Output>(path, ranges, progress: progress, makeWork: makeWork)
        try scan.run(reader) { output, problems in
            report(problems)
            return try body(output)
        }
    }

    /// Reads one exchange; `nil` if there is no such row any more.
    func exchange(at key: StoreKey, _ columns: RowColumns) throws -> Exchange? {
        try reader.snapshot {
            let query = try reader.rowStatement(columns)
            return try reader.exchange(key.number, query)?.exchange
        }
    }

    /// Returns the key of an id; `nil` if no exchange has it.
    func key(of id: ExchangeID) throws -> StoreKey? {
        try reader.naming {
            let query = try reader.connection.cached(
                "SELECT seq, started FROM exchanges WHERE id = ?1"
            )
            defer { query.reset() }
            let blob = id.bytes
            try query.bind(1, blob: blob.span)
            guard try query.step() else { return nil }
            return StoreKey(
                number: query.integer(0),
                started: Timestamp(microseconds: query.integer(1)),
                id: id
            )
        }
    }

    /// Returns exchanges whose ids begin with a prefix, in the order of their ids.
    func exchanges(with prefix: IDPrefix, limit: Int) throws -> [StoredExchange] {
        defer { report(reader.problems.take()) }
        return try reader.snapshot {
            let layout = RowLayout(.all)
            let query = try reader.connection.cached(
                "SELECT \(layout.selection) FROM exchanges e WHERE e.id BETWEEN ?1 AND ?2 "
                    + "ORDER BY e.id LIMIT ?3"
            )
            defer { query.reset() }
            let (first, last) = (prefix.first.bytes, prefix.last.bytes)
            try query.bind(1, blob: first.span)
            try query.bind(2, blob: last.span)
            try query.bind(3, integer: Int64(clamping: limit))
            var found: [StoredExchange] = []
            while try query.step() {
                guard let (key, exchange) = try reader.decode(query, layout) else { continue }
                found.append(StoredExchange(key: key, exchange: exchange))
            }
            return found
        }
    }

    func report(_ problems: RowProblems) {
        for message in found.add(problems) { warn(message) }
    }

    /// Warns once that the full-text index is not used; results are the same without it.
    func warnOfIndex(_ reason: String) {
        if hasWarnedOfIndex { return }
        hasWarnedOfIndex = true
        warn("'\(path)': \(reason), so all exchanges are read; see 'tapline help index'")
    }
}
