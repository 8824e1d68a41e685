// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineQuery
internal import TaplineSQL

/// Reads the rows that a query selects, a range at a time.
///
/// Statements are prepared when they are first used: no question needs all of them, and for a few
/// rows that takes longer than reading.
///
/// **Isolation**: the thread of its reader; within a transaction.
final class RowReader {
    private let reader: DatabaseReader
    private let query: RowQuery
    private var selection: SQLiteStatement?
    private var counting: SQLiteStatement?
    private var numbering: SQLiteStatement?
    /// Reads one row for the residue.
    private var neededRow: RowStatement?
    /// Reads one row as a result.
    private var wantedRow: RowStatement?
    private let isWhole: Bool
    /// Whether memory needs only the request line of rows.
    private let needsLine: Bool
    /// Has the key and the request line of the current row: creating an exchange for each row would
    /// take most of the time.
    private var line = Exchange(id: ExchangeID(high: 0, low: 0))

    init(_ reader: DatabaseReader, _ query: RowQuery) {
        self.reader = reader
        self.query = query
        isWhole = query.isWhole
        needsLine =
            query.reading == .residue && RowColumns.line.isSuperset(of: query.needed.columns)
    }

    // MARK: Statements

    private func selectionStatement() throws(SQLiteError) -> SQLiteStatement {
        if let selection { return selection }
        let statement = try reader.connection.prepare(query.select)
        selection = statement
        return statement
    }

    private func countingStatement() throws(SQLiteError) -> SQLiteStatement {
        if let counting { return counting }
        let statement = try reader.connection.prepare(query.selectCount)
        counting = statement
        return statement
    }

    private func numbersStatement() throws(SQLiteError) -> SQLiteStatement {
        if let numbering { return numbering }
        let statement = try reader.connection.prepare(query.selectNumbers)
        numbering = statement
        return statement
    }

    private func neededStatement() throws(SQLiteError) -> RowStatement {
        if let neededRow { return neededRow }
        let statement = try reader.rowStatement(query.needed.columns)
        neededRow = statement
        return statement
    }

    private func wantedStatement() throws(SQLiteError) -> RowStatement {
        if let wantedRow { return wantedRow }
        let statement = try reader.rowStatement(query.wanted.columns)
        wantedRow = statement
        return statement
    }

    private func bind(_ range: RowRange, to statement: SQLiteStatement) throws(SQLiteError) {
        try query.condition.bind(to: statement)
        try range.bind(to: statement, after: query.condition.values.count)
    }

    // MARK: Reading

    /// Calls a closure with each exchange of a range that matches, in the order of the query, until
    /// it returns `false`.
    func read(_ range: RowRange, _ body: (StoreKey, Exchange) throws -> Bool) throws {
        let rows = try selectionStatement()
        defer { rows.reset() }
        try bind(range, to: rows)
        while try rows.step() {
            guard query.counts(rows.integer(0)), let (key, exchange) = try match(rows) else {
                continue
            }
            if try !body(key, exchange) { return }
        }
    }

    /// Returns the numbers of the exchanges of a range that match, in the order of the query.
    func numbers(_ range: RowRange) throws -> [Int64] {
        let rows = try selectionStatement()
        defer { rows.reset() }
        try bind(range, to: rows)
        var numbers: [Int64] = []
        while try rows.step() {
            guard query.counts(rows.integer(0)) else { continue }
            if try isCertain(rows) || isMatch(rows) { numbers.append(rows.integer(0)) }
        }
        return numbers
    }

    /// Returns how many exchanges of a range match.
    func count(_ range: RowRange) throws -> Int {
        let isDecided = query.reading == .wanted
        if isDecided, let range = query.countable(range) {
            let counting = try countingStatement()
            defer { counting.reset() }
            try bind(range, to: counting)
            return try counting.step() ? Int(clamping: counting.integer(0)) : 0
        }
        let rows = try isDecided ? numbersStatement() : selectionStatement()
        defer { rows.reset() }
        try bind(range, to: rows)
        var count = 0
        while try rows.step() {
            guard query.counts(rows.integer(0)) else { continue }
            if try isCertain(rows) || isMatch(rows) { count += 1 }
        }
        return count
    }

    /// Whether the current row, which SQLite has not decided, matches.
    private func isMatch(_ rows: SQLiteStatement) throws -> Bool {
        if needsLine { return try lineMatches(rows) }
        let row =
            query.reading == .residue
            ? try reader.decode(rows, query.needed)
            : try reader.exchange(rows.integer(0), neededStatement())
        return matchInMemory(row) != nil
    }

    /// Whether the request line of the current row matches.
    private func lineMatches(_ rows: SQLiteStatement) throws -> Bool {
        guard try reader.readLine(rows, query.needed, into: &line) else { return false }
        return query.condition.residue?.matches(line) ?? true
    }

    /// Returns a row that an index has found; `nil` if it does not match.
    func match(_ number: Int64, isCertain: Bool) throws -> (key: StoreKey, exchange: Exchange)? {
        if isCertain { return try reader.exchange(number, wantedStatement()) }
        return try wanted(matchInMemory(try reader.exchange(number, neededStatement())))
    }

    /// Whether SQLite has decided that the current row matches.
    private func isCertain(_ rows: SQLiteStatement) -> Bool {
        switch query.reading {
        case .wanted: true
        case .residue: false
        case .number: rows.integer(1) == 1
        }
    }

    /// Returns the exchange of the current row; `nil` if it does not match.
    private func match(
        _ rows: SQLiteStatement
    ) throws -> (key: StoreKey, exchange: Exchange)? {
        switch query.reading {
        case .wanted: try reader.decode(rows, query.wanted)
        case .residue where needsLine:
            try lineMatches(rows) ? wanted(reader.decode(rows, query.needed)) : nil
        case .residue: try wanted(matchInMemory(try reader.decode(rows, query.needed)))
        case .number: try match(rows.integer(0), isCertain: isCertain(rows))
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
        return try reader.exchange(row.key.number, wantedStatement())
    }
}
