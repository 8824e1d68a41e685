// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// Reads the rows that a query selects, a range at a time.
///
/// **Isolation**: the thread of its reader; within a transaction.
final class RowReader {
    private let reader: DatabaseReader
    private let query: RowQuery
    private let rows: SQLiteStatement
    private let counting: SQLiteStatement
    /// Reads one row for the residue.
    private let neededRow: RowStatement
    /// Reads one row as a result.
    private let wantedRow: RowStatement
    private let isWhole: Bool
    /// Whether memory needs only the request line of rows.
    private let needsLine: Bool
    /// Has the key and the request line of the current row: creating an exchange for each row would
    /// take most of the time.
    private var line = Exchange(id: ExchangeID(high: 0, low: 0))

    init(_ reader: DatabaseReader, _ query: RowQuery) throws {
        self.reader = reader
        self.query = query
        isWhole = query.isWhole
        needsLine =
            query.reading == .residue && RowColumns.line.isSuperset(of: query.needed.columns)
        let connection = reader.connection
        rows = try connection.prepare(query.select)
        counting = try connection.prepare(query.selectCount)
        neededRow = try reader.rowStatement(query.needed.columns)
        wantedRow = try reader.rowStatement(query.wanted.columns)
    }

    /// Calls a closure with each exchange of a range that matches, in the order of the query, until
    /// it returns `false`.
    func read(_ range: RowRange, _ body: (StoreKey, Exchange) throws -> Bool) throws {
        defer { rows.reset() }
        try bind(range, to: rows)
        while try rows.step() {
            guard let (key, exchange) = try match() else { continue }
            if try !body(key, exchange) { return }
        }
    }

    /// Returns how many exchanges of a range match.
    func count(_ range: RowRange) throws -> Int {
        if query.reading == .wanted {
            defer { counting.reset() }
            try bind(range, to: counting)
            return try counting.step() ? Int(clamping: counting.integer(0)) : 0
        }
        defer { rows.reset() }
        try bind(range, to: rows)
        var count = 0
        while try rows.step() {
            if try isCertain || isMatch() { count += 1 }
        }
        return count
    }

    private func bind(_ range: RowRange, to statement: SQLiteStatement) throws(SQLiteError) {
        try query.condition.bind(to: statement)
        try range.bind(to: statement, after: query.condition.values.count)
    }

    /// Whether the current row, which SQLite has not decided, matches.
    private func isMatch() throws -> Bool {
        if needsLine { return try lineMatches() }
        let row =
            query.reading == .residue
            ? try reader.decode(rows, query.needed)
            : try reader.exchange(rows.integer(0), neededRow)
        return matchInMemory(row) != nil
    }

    /// Whether the request line of the current row matches.
    private func lineMatches() throws -> Bool {
        guard try reader.readLine(rows, query.needed, into: &line) else { return false }
        return query.condition.residue?.matches(line) ?? true
    }

    /// Returns a row that an index has found; `nil` if it does not match.
    func match(_ number: Int64, isCertain: Bool) throws -> (key: StoreKey, exchange: Exchange)? {
        if isCertain { return try reader.exchange(number, wantedRow) }
        return try wanted(matchInMemory(try reader.exchange(number, neededRow)))
    }

    /// Whether SQLite has decided that the current row matches.
    private var isCertain: Bool {
        switch query.reading {
        case .wanted: true
        case .residue: false
        case .number: rows.integer(1) == 1
        }
    }

    /// Returns the exchange of the current row; `nil` if it does not match.
    private func match() throws -> (key: StoreKey, exchange: Exchange)? {
        switch query.reading {
        case .wanted: try reader.decode(rows, query.wanted)
        case .residue where needsLine:
            try lineMatches() ? wanted(reader.decode(rows, query.needed)) : nil
        case .residue: try wanted(matchInMemory(try reader.decode(rows, query.needed)))
        case .number: try match(rows.integer(0), isCertain: isCertain)
        }
    }

    /// Applies the residue to a row with the parts that it needs.
    private func matchInMemory(
        _ row: (key: StoreKey, exchange: Exchange)?
    ) -> (key: StoreKey, exchange: Exchange)? {
        guard let row, query.condition.residue?.matches(row.exchange) ?? true else { return nil }
        return row
    }

    /// Reads a row again if parts of it are missing.
    private func wanted(
        _ row: (key: StoreKey, exchange: Exchange)?
    ) throws -> (key: StoreKey, exchange: Exchange)? {
        guard let row, !isWhole else { return row }
        return try reader.exchange(row.key.number, wantedRow)
    }
}
