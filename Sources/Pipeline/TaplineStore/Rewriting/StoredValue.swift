// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// A value of a row, as SQLite stores it.
enum StoredValue {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case blob([UInt8])

    /// Reads a column of the current row.
    init(_ row: SQLiteStatement, _ column: Int32) {
        switch row.type(column) {
        case .null: self = .null
        case .integer: self = .integer(row.integer(column))
        case .real: self = .real(row.real(column))
        case .text: self = .text(row.withText(column) { Array(copying: $0) })
        case .blob: self = .blob(row.blob(column))
        }
    }

    /// Binds the value to a parameter.
    func bind(to statement: SQLiteStatement, _ index: Int32) throws(SQLiteError) {
        switch self {
        case .null: try statement.bindNull(index)
        case .integer(let value): try statement.bind(index, integer: value)
        case .real(let value): try statement.bind(index, real: value)
        case .text(let bytes): try statement.bind(index, text: bytes.span)
        case .blob(let bytes): try statement.bind(index, blob: bytes.span)
        }
    }
}

/// A table whose texts and blobs are searched.
struct StoredTable {
    let name: String
    /// The columns that identify a row: `rowid`, or the primary key of a table without one.
    let keys: [String]

    /// Whether the key is the number of the row.
    var hasRowNumbers: Bool { keys == ["rowid"] }

    /// The name as SQL.
    var quoted: String { SearchIndexes.quoted(name) }

    /// The keys as a list in SQL.
    var quotedKeys: String { keys.map(Self.key).joined(separator: ", ") }

    /// The condition that selects one row; its parameters begin with a number.
    func condition(from first: Int) -> String {
        keys.enumerated()
            .map { "\(Self.key($0.element)) = ?\(first + $0.offset)" }
            .joined(separator: " AND ")
    }

    private static func key(_ name: String) -> String {
        name == "rowid" ? name : SearchIndexes.quoted(name)
    }

    /// The tables of a database, other than those of `BodyTable` and of full-text indexes.
    static func all(
        _ connection: SQLiteConnection,
        without indexes: SearchIndexes
    ) throws(SQLiteError) -> [StoredTable] {
        let query = try connection.prepare(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"
        )
        var names: [String] = []
        while try query.step() {
            guard let name = query.text(0), let sql = query.text(1) else { continue }
            let isKnown = name == "bodies" || name == "body_index"
            if !indexes.contain(name), !isKnown, !sql.uppercased().hasPrefix("CREATE VIRTUAL") {
                names.append(name)
            }
        }
        query.reset()
        var tables: [StoredTable] = []
        for name in names {
            tables.append(StoredTable(name: name, keys: try keys(of: name, connection)))
        }
        return tables
    }

    private static func keys(
        of name: String,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> [String] {
        let quoted = SearchIndexes.quoted(name)
        if (try? connection.prepare("SELECT rowid FROM \(quoted) LIMIT 1")) != nil {
            return ["rowid"]
        }
        let columns = try connection.prepare("PRAGMA table_info(\(quoted))")
        var keys: [String] = []
        while try columns.step() {
            if columns.integer(5) > 0, let key = columns.text(1) { keys.append(key) }
        }
        columns.reset()
        return keys
    }
}
