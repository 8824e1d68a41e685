// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineSystem

/// Scans every text and blob of every table of an SQLite database, through SQLite.
///
/// This finds values that are spread over several pages. Data that SQLite does not show, such as
/// deleted rows, is in the bytes of the file, which are scanned separately.
struct DatabaseScan: ~Copyable {
    private let scanner: UnitScanner
    private var records: RecordScan
    private let report: (StreamHit) -> Void
    private var database: SQLiteConnection?

    init(_ scanner: UnitScanner, report: @escaping (StreamHit) -> Void) {
        self.scanner = scanner
        self.report = report
        records = RecordScan(scanner)
    }

    /// Scans a database.
    ///
    /// - Throws: `SQLiteError` if the file is not a database, is damaged or cannot be opened.
    mutating func run(_ path: String, _ mode: SQLiteOptions.Mode) throws {
        try open(path, mode)
        try runOpened()
    }

    /// Opens a database and reads its schema, to find out whether it can be read.
    mutating func open(_ path: String, _ mode: SQLiteOptions.Mode) throws {
        let options = SQLiteOptions(mode: mode, busyTimeout: .seconds(5))
        let database = try SQLiteConnection(path: path, options: options)
        // A transaction gives a consistent view of all tables, even if another process writes.
        try database.execute("BEGIN; SELECT count(*) FROM sqlite_schema")
        self.database = database
    }

    /// Scans the open database, and closes it.
    mutating func runOpened() throws {
        guard let database else { return }
        defer {
            try? database.close()
            self.database = nil
        }
        let tables = try database.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        )
        var names: [String] = []
        while try tables.step() {
            guard let name = tables.text(0) else { continue }
            // A virtual table keeps its rows in other tables, or needs a module to be read.
            let sql = tables.text(1)?.uppercased() ?? ""
            if !sql.hasPrefix("CREATE VIRTUAL") { names.append(name) }
        }
        tables.reset()
        for name in names { try scan(name, of: database) }
    }

    private mutating func scan(_ table: String, of database: SQLiteConnection) throws {
        let quoted = "\"" + table.replacing("\"", with: "\"\"") + "\""
        // A table without row ids lacks this column.
        let plain = "SELECT NULL, * FROM \(quoted)"
        let rows: SQLiteStatement
        do {
            rows = try database.prepare("SELECT rowid, * FROM \(quoted)")
        } catch {
            rows = try database.prepare(plain)
        }
        var number = 0
        let columns = (0..<Int32(clamping: rows.columnCount)).map { rows.columnName($0) ?? "" }
        let idColumn = Int32(clamping: columns.firstIndex(of: "id") ?? 0)
        while try rows.step() {
            number += 1
            for column in 1..<Int32(clamping: columns.count) {
                let hits = scan(rows, column)
                guard !hits.isEmpty else { continue }
                let row = rows.isNull(0) ? number : Int(clamping: rows.integer(0))
                for (hit, found) in hits {
                    var place = found
                    place.offset = nil
                    place.row = row
                    place.record = id(rows, idColumn)
                    let inner = found.path.map { $0.hasPrefix("[") ? $0 : ".\($0)" } ?? ""
                    place.path = "\(table).\(columns[Int(column)])\(inner)"
                    report((hit, place))
                }
            }
        }
    }

    /// Scans one value of a row.
    private mutating func scan(_ rows: SQLiteStatement, _ column: Int32) -> [StreamHit] {
        switch rows.type(column) {
        case .blob: rows.withBlob(column) { plain(scanner.scan($0)) }
        case .text:
            rows.withText(column) { bytes in
                if bytes.count >= 2, bytes[0] == UInt8(ascii: "{"), let hits = records.scan(bytes) {
                    return hits
                }
                return plain(scanner.scan(bytes))
            }
        case .integer, .real:
            rows.withText(column) { plain(scanner.scanPlain($0)) }
        case .null: []
        }
    }

    private func plain(_ hits: [Hit]) -> [StreamHit] {
        hits.inOrder.map { ($0, LeakPlace()) }
    }

    /// Returns the id of the row's record if it is in Tapline's format; otherwise `nil`.
    private func id(_ rows: SQLiteStatement, _ column: Int32) -> String? {
        guard column > 0, rows.type(column) == .blob else { return nil }
        return rows.withBlob(column) { bytes in
            guard bytes.count == 16 else { return nil }
            var high: UInt64 = 0
            var low: UInt64 = 0
            for index in 0..<8 {
                high = high << 8 | UInt64(bytes[index])
                low = low << 8 | UInt64(bytes[index + 8])
            }
            return ExchangeID(high: high, low: low).description
        }
    }
}
