// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// Scans every text and blob of every table of an SQLite database, through SQLite.
///
/// This finds values that are spread over several pages. Data that SQLite does not show, such as
/// deleted rows, is in the bytes of the file, which are scanned separately.
///
/// Large tables are scanned by several threads, each with a connection of its own.
struct DatabaseScan {
    private let path: String
    private let mode: SQLiteOptions.Mode
    private let database: SQLiteConnection

    /// Opens a database and reads its schema, to find out whether it can be read.
    ///
    /// - Throws: `SQLiteError` if the file is not a database, is damaged or cannot be opened.
    init(_ path: String, _ mode: SQLiteOptions.Mode) throws(SQLiteError) {
        self.path = path
        self.mode = mode
        database = try Self.open(path, mode)
    }

    private static func open(
        _ path: String,
        _ mode: SQLiteOptions.Mode
    ) throws(SQLiteError) -> SQLiteConnection {
        let options = SQLiteOptions(mode: mode, busyTimeout: .seconds(5))
        let database = try SQLiteConnection(path: path, options: options)
        // A transaction gives a consistent view of all tables, even if another process writes.
        try database.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
        return database
    }

    /// Scans the database, and closes it.
    ///
    /// - Parameters:
    ///   - scanners: Makes the scanners, one for each thread.
    ///   - threads: The maximum number of threads.
    ///   - report: Receives the hits, in the order of the tables and rows.
    /// - Returns: Whether a limit prevented a part from being scanned.
    /// - Throws: `SQLiteError` if it is damaged.
    func run(
        _ scanners: UnitScanners,
        threads: Int = Processors.available,
        report: (StreamHit) -> Void
    ) throws -> Bool {
        defer { try? database.close() }
        let scan = try TableScan(database, scanners.make())
        var metLimit = false
        func take(_ rows: ScannedRows) {
            for hit in rows.hits { report(hit) }
            metLimit = metLimit || rows.metLimit
        }
        for table in try tables() {
            guard let number = table.rowNumber else {
                take(try scan.scan(table, 0...0))
                continue
            }
            var ranges = RowNumberRanges(table: table.quoted, column: number)
            try ParallelMap.run(
                threads: threads,
                next: { try ranges.next(database) },
                transform: { try scan.scan(table, $0) },
                makeTransform: { [path, mode] in
                    let scan = try TableScan(try Self.open(path, mode), scanners.make())
                    return { try scan.scan(table, $0) }
                },
                body: { rows in
                    ranges.noteRead(rows.range, rows: rows.rows)
                    take(rows)
                }
            )
        }
        return metLimit
    }

    private func tables() throws(SQLiteError) -> [ScannedTable] {
        let query = try database.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        )
        var names: [String] = []
        while try query.step() {
            guard let name = query.text(0) else { continue }
            // A virtual table keeps its rows in other tables, or needs a module to be read.
            let sql = query.text(1)?.uppercased() ?? ""
            if !sql.hasPrefix("CREATE VIRTUAL") { names.append(name) }
        }
        query.reset()
        var tables: [ScannedTable] = []
        for name in names { tables.append(try ScannedTable(name, database)) }
        return tables
    }
}
