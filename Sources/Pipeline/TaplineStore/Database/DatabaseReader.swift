// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// A read-only connection to a database, with what decodes its rows.
///
/// Several readers of one database may be used at the same time, each on a thread of its own.
///
/// **Isolation**: one thread at a time.
final class DatabaseReader {
    /// How long a statement waits for a lock.
    private static let busyTimeout = Duration.seconds(5)
    /// The pages that a connection keeps, in KiB: with 2 MiB, which is SQLite's default, the upper
    /// levels of the tables of a million exchanges are read again and again.
    private static let cacheSize: Int64 = 8192

    let path: String
    let connection: SQLiteConnection
    private let maxBodyBytes: Int?
    /// The version of the schema when the last transaction began; a writer may upgrade it.
    private(set) var schema: Int
    private var decoder: RowDecoder
    /// The statement for the columns that were read last: composing its text, and even finding it by
    /// its text, takes long compared with reading a row.
    private var lastRow: RowStatement?
    /// The last value of `PRAGMA data_version`; it changes when another connection has written.
    private(set) var dataVersion: Int64?
    /// Whether `hold` has begun a transaction.
    private var isHolding = false
    /// The rows and bodies that could not be read, since they were last taken.
    var problems = RowProblems()

    /// Opens a database; `nil` if the file is not one.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - maxBodyBytes: Exchanges with larger bodies are problems; `nil` for the limit of SQLite,
    ///     above which only the body is missing.
    /// - Throws: `StoreError` if the database cannot be read.
    init?(_ path: String, maxBodyBytes: Int? = nil) throws(StoreError) {
        self.path = path
        self.maxBodyBytes = maxBodyBytes
        do {
            connection = try SQLiteConnection.forReading(path) { try Self.open(path, $0) }
            let schema = Int(clamping: try connection.userVersion())
            self.schema = schema
            decoder = try RowDecoder(
                connection,
                path,
                schema: schema,
                maxBodyBytes: maxBodyBytes
            )
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            if error.isNotDatabase { return nil }
            throw StoreError(error, path)
        } catch {
            throw StoreError(.system, "cannot read '\(path)'; \(error)")
        }
    }

    /// Reads through a connection that also changes the database; errors are those of SQLite.
    init(_ connection: SQLiteConnection, _ path: String) throws {
        self.path = path
        self.connection = connection
        maxBodyBytes = nil
        let schema = Int(clamping: try connection.userVersion())
        self.schema = schema
        decoder = try RowDecoder(connection, path, schema: schema)
    }

    /// Opens a connection in a mode, and checks the schema.
    static func open(
        _ path: String,
        _ mode: SQLiteOptions.Mode
    ) throws -> SQLiteConnection {
        let connection = try SQLiteConnection(
            path: path,
            options: SQLiteOptions(mode: mode, busyTimeout: busyTimeout)
        )
        try connection.setPragma("cache_size", -cacheSize)
        try DatabaseSchema.check(connection, path)
        return connection
    }

    // MARK: Rows

    /// Prepares a statement that reads one exchange by its number.
    func rowStatement(_ columns: RowColumns) throws(SQLiteError) -> RowStatement {
        if let lastRow, lastRow.layout.columns == columns { return lastRow }
        let layout = RowLayout(columns)
        let row = RowStatement(statement: try connection.cached(layout.selectOne), layout: layout)
        lastRow = row
        return row
    }

    /// Reads the exchange of a row by its number.
    ///
    /// - Returns: The exchange; `nil` if there is no such row any more, or it cannot be understood.
    func exchange(
        _ number: Int64,
        _ query: RowStatement
    ) throws -> (key: StoreKey, exchange: Exchange)? {
        defer { query.statement.reset() }
        try query.statement.bind(1, integer: number)
        return try query.statement.step() ? decode(query.statement, query.layout) : nil
    }

    /// Decodes the current row; `nil` if it cannot be understood, which is noted in `problems`.
    func decode(
        _ row: SQLiteStatement,
        _ layout: RowLayout
    ) throws -> (key: StoreKey, exchange: Exchange)? {
        let missing = decoder.missingBodies
        do {
            let key = try decoder.key(row)
            let exchange = try decoder.exchange(row, key, layout)
            if decoder.missingBodies > missing {
                problems.add(
                    "'\(path)': a body of row \(row.integer(0)) is missing or damaged",
                    count: decoder.missingBodies - missing
                )
            }
            return (key, exchange)
        } catch let problem as RowDecoder.Problem {
            note(problem, row)
            return nil
        }
    }

    /// Reads the key and the request line of the current row, for `RowColumns.line`.
    ///
    /// - Returns: `false` if the row cannot be understood, which is noted in `problems`.
    func readLine(
        _ row: SQLiteStatement,
        _ layout: RowLayout,
        into exchange: inout Exchange
    ) throws -> Bool {
        do {
            let key = try decoder.key(row)
            exchange.id = key.id
            exchange.started = key.started
            try decoder.readLine(row, layout, &exchange.request)
            return true
        } catch let problem as RowDecoder.Problem {
            note(problem, row)
            return false
        }
    }

    private func note(_ problem: RowDecoder.Problem, _ row: SQLiteStatement) {
        problems.add("'\(path)': row \(row.integer(0)): \(problem.message)")
    }

    /// Returns the steps by which SQLite runs a statement (https://sqlite.org/eqp.html).
    func plan(of sql: String, for condition: RowCondition? = nil) throws -> [String] {
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(sql)")
        try condition?.bind(to: plan)
        var steps: [String] = []
        while try plan.step() { steps.append(plan.text(3) ?? "") }
        return steps
    }

    // MARK: Transactions and errors

    /// Runs a closure in a read transaction: the one that `hold` began, else one of its own.
    func snapshot<Result>(_ body: () throws -> Result) throws -> Result {
        if isHolding {
            do {
                return try naming(body)
            } catch {
                release()
                throw error
            }
        }
        return try naming {
            try connection.transaction(.deferred) {
                try refresh()
                return try body()
            }
        }
    }

    /// Begins a read transaction that lasts until `release`.
    ///
    /// Beginning one for each of many small reads takes longer than the reads. While it lasts, what
    /// others write is not seen, and the log of the database cannot be reset.
    func hold() throws {
        guard !isHolding else { return }
        try naming {
            try connection.begin(.deferred)
            do {
                try refresh()
            } catch {
                connection.rollback()
                throw error
            }
        }
        isHolding = true
    }

    /// Ends the transaction that `hold` began; does nothing if there is none.
    func release() {
        guard isHolding else { return }
        isHolding = false
        connection.rollback()
    }

    /// Returns the version of the schema as it is now.
    func currentSchema() throws -> Int { try snapshot { schema } }

    /// Discards cached rows after another connection has written.
    private func refresh() throws {
        let query = try connection.cached("PRAGMA data_version")
        defer { query.reset() }
        let version = try query.step() ? query.integer(0) : 0
        guard version != dataVersion else { return }
        try DatabaseSchema.check(connection, path)
        let found = Int(clamping: try connection.userVersion())
        if found != schema {
            decoder = try RowDecoder(
                connection,
                path,
                schema: found,
                maxBodyBytes: maxBodyBytes
            )
            schema = found
        }
        decoder.refresh()
        dataVersion = version
    }

    /// The value of `PRAGMA data_version`, outside of a transaction.
    func currentDataVersion() throws -> Int64 {
        try naming {
            let query = try connection.cached("PRAGMA data_version")
            defer { query.reset() }
            return try query.step() ? query.integer(0) : 0
        }
    }

    /// The number of the last row; `nil` if there are none.
    func lastNumber() throws -> Int64? {
        try naming {
            let query = try connection.cached("SELECT max(seq) FROM exchanges")
            defer { query.reset() }
            return try query.step() && !query.isNull(0) ? query.integer(0) : nil
        }
    }

    /// Converts errors of SQLite and of body files; other errors are those of closures.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as SQLiteError {
            throw StoreError(error, path)
        } catch let error as FileError where error.path.hasPrefix(path) {
            throw StoreError(.system, error.description)
        }
    }
}

/// A statement with one parameter, the number of a row, whose columns have a layout.
struct RowStatement {
    let statement: SQLiteStatement
    let layout: RowLayout
}
