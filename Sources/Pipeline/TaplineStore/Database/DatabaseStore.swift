// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL
internal import TaplineSystem

/// A database that the sink `sqlite` writes, opened read-only.
///
/// Another process may write to it at the same time. Each page of rows is read in a transaction of
/// its own, so a page is consistent and a long query does not prevent checkpoints for its whole
/// duration.
///
/// **Isolation**: one thread at a time. Closures that receive exchanges must not use the store.
final class DatabaseStore {
    /// How many rows one transaction reads.
    private static let pageRows: Int64 = 1024
    /// How long a statement waits for a lock.
    private static let busyTimeout = Duration.seconds(5)

    private let path: String
    private let warn: (String) -> Void
    private let connection: SQLiteConnection
    private let decoder: RowDecoder
    /// The version of the schema.
    private let schema: Int
    /// The last value of `PRAGMA data_version`; it changes when another connection has written.
    private var dataVersion: Int64?
    /// How many rows could not be understood.
    private var badRows = 0

    /// Opens a database; `nil` if the file is not one.
    init?(_ path: String, warn: @escaping (String) -> Void) throws(StoreError) {
        self.path = path
        self.warn = warn
        do {
            connection = try Self.open(path)
            decoder = try RowDecoder(connection, path)
            schema = Int(clamping: try connection.userVersion())
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            if error.isNotDatabase { return nil }
            throw StoreError(error, path)
        } catch {
            throw StoreError(.system, "cannot read '\(path)'; \(error)")
        }
    }

    /// How many rows or bodies could not be read so far.
    var problems: Int { badRows + decoder.missingBodies }

    private static func open(_ path: String) throws -> SQLiteConnection {
        do {
            return try open(path, .readOnly)
        } catch let error as SQLiteError where error.isCannotOpen || error.isReadOnly {
            // A database in WAL mode needs a writable file `-shm`. Without a log, nobody writes.
            guard try FileSystem.status(of: path + "-wal").map({ $0.size == 0 }) ?? true else {
                throw error
            }
            return try open(path, .immutable)
        }
    }

    private static func open(
        _ path: String,
        _ mode: SQLiteOptions.Mode
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path,
            options: SQLiteOptions(mode: mode, busyTimeout: busyTimeout)
        )
        try DatabaseSchema.check(connection, path)
        return connection
    }

    // MARK: Questions

    /// Returns how many exchanges match a filter.
    func count(_ filter: Filter?) throws -> Int {
        let condition = condition(of: filter)
        if condition.residue == nil {
            return try naming {
                let query = try connection.prepare(
                    "SELECT count(*) FROM exchanges e WHERE \(condition.sql)"
                )
                try condition.bind(to: query)
                return try query.step() ? Int(clamping: query.integer(0)) : 0
            }
        }
        var count = 0
        try scan(StoreQuery(filter, parts: [])) { _, _ in count += 1 }
        return count
    }

    /// Calls a closure with each exchange that a query selects.
    func scan(_ query: StoreQuery, _ body: (StoreKey, Exchange) throws -> Void) throws {
        var left = query.limit ?? .max
        guard left > 0 else { return }
        let condition = condition(of: query.filter)
        // Rows that do not match are decoded only as far as the condition needs.
        let parts =
            condition.residue == nil
            ? query.parts : query.filter.map(StoreParts.init(usedBy:)) ?? []
        let rows = try naming { try connection.prepare(Self.select(parts, condition, query.order)) }
        let isWhole = parts.isSuperset(of: query.parts)
        let row: SQLiteStatement? =
            try isWhole ? nil : naming { try connection.prepare(Self.selectOne(query.parts)) }
        var position = query.after?.number ?? query.order.start
        var isAtEnd = false
        while !isAtEnd, left > 0 {
            try snapshot {
                try condition.bind(to: rows)
                let last = Int32(condition.values.count)
                try rows.bind(last + 1, integer: position)
                try rows.bind(last + 2, integer: Self.pageRows)
                defer { rows.reset() }
                var count: Int64 = 0
                while left > 0, try rows.step() {
                    count += 1
                    position = rows.integer(0)
                    guard let (key, exchange) = try decode(rows) else { continue }
                    let isCertain = rows.integer(DatabaseSchema.columnCount) == 1
                    if !isCertain, let residue = condition.residue, !residue.matches(exchange) {
                        continue
                    }
                    if let row {
                        guard let whole = try self.row(position, row) else { continue }
                        try body(key, whole)
                    } else {
                        try body(key, exchange)
                    }
                    left -= 1
                }
                isAtEnd = count < Self.pageRows
            }
        }
    }

    /// Reads one exchange; `nil` if there is no such row any more.
    func exchange(at key: StoreKey, _ parts: StoreParts) throws -> Exchange? {
        try snapshot {
            try row(key.number, try connection.cached(Self.selectOne(parts)))
        }
    }

    /// Returns the key of an id; `nil` if no exchange has it.
    func key(of id: ExchangeID) throws -> StoreKey? {
        try naming {
            let query = try connection.cached("SELECT seq, started FROM exchanges WHERE id = ?1")
            defer { query.reset() }
            let blob = id.blob
            try query.bind(1, blob: blob.span)
            guard try query.step() else { return nil }
            return StoreKey(
                number: query.integer(0),
                started: Timestamp(microseconds: query.integer(1)),
                id: id
            )
        }
    }

    // MARK: Rows

    private func condition(of filter: Filter?) -> RowCondition {
        filter.map { RowCondition($0, schema: schema) } ?? .always
    }

    private static func select(
        _ parts: StoreParts,
        _ condition: RowCondition,
        _ order: StoreOrder
    ) -> String {
        let (comparison, direction) = order == .newestFirst ? ("<", "DESC") : (">", "ASC")
        let last = condition.values.count
        return """
            SELECT \(DatabaseSchema.columns(parts)), \(condition.certainty) FROM exchanges e
              WHERE (\(condition.sql)) AND e.seq \(comparison) ?\(last + 1)
              ORDER BY e.seq \(direction) LIMIT ?\(last + 2)
            """
    }

    private static func selectOne(_ parts: StoreParts) -> String {
        "SELECT \(DatabaseSchema.columns(parts)) FROM exchanges e WHERE e.seq = ?1"
    }

    private func row(_ number: Int64, _ query: SQLiteStatement) throws -> Exchange? {
        defer { query.reset() }
        try query.bind(1, integer: number)
        return try query.step() ? decode(query)?.exchange : nil
    }

    /// Decodes a row; returns `nil` if it cannot be understood, after a warning.
    private func decode(
        _ row: SQLiteStatement
    ) throws -> (key: StoreKey, exchange: Exchange)? {
        let missing = decoder.missingBodies
        do {
            let key = try decoder.key(row)
            let exchange = try decoder.exchange(row, key)
            if decoder.missingBodies > missing, missing == 0 {
                warn("'\(path)': a body of row \(row.integer(0)) is missing or damaged")
            }
            return (key, exchange)
        } catch let problem as RowDecoder.Problem {
            badRows += 1
            if badRows <= 5 { warn("'\(path)': row \(row.integer(0)): \(problem.message)") }
            return nil
        }
    }

    // MARK: Transactions and errors

    /// Runs a closure in a read transaction.
    private func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        try naming {
            try connection.transaction(.deferred) {
                try refresh()
                return try body()
            }
        }
    }

    /// Discards cached rows after another connection has written.
    private func refresh() throws(SQLiteError) {
        let query = try connection.cached("PRAGMA data_version")
        defer { query.reset() }
        let version = try query.step() ? query.integer(0) : 0
        if version != dataVersion { decoder.refresh() }
        dataVersion = version
    }

    /// Converts errors of SQLite and of body files; other errors are those of closures.
    private func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error, path)
        } catch let error as FileError where error.path.hasPrefix(path) {
            throw StoreError(.system, error.description)
        }
    }
}

extension StoreOrder {
    /// The number before the first one in this order.
    fileprivate var start: Int64 { self == .newestFirst ? .max : .min }
}
