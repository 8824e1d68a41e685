// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL

/// A value of a row, as SQLite stores it.
enum StoredValue: Sendable {
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

    /// The number of bytes of text or a blob.
    var byteCount: Int {
        switch self {
        case .text(let bytes), .blob(let bytes): bytes.count
        case .null, .integer, .real: 0
        }
    }

    /// Returns text or bytes with a number after them; JSON and numbers as they are.
    func numbered(_ number: Int64) -> StoredValue {
        switch self {
        case .text(let bytes) where bytes.first != UInt8(ascii: "{"):
            .text(bytes + Array("-\(number)".utf8))
        case .blob(let bytes): .blob(bytes + Array("-\(number)".utf8))
        case .null, .integer, .real, .text: self
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
struct StoredTable: Sendable {
    /// What identifies a row.
    private enum KeyKind {
        /// The number of the row, under a name that no column has.
        case rowNumber
        /// The primary key, without columns that may be null.
        case primary
        /// All columns; equal rows are changed equally.
        case allColumns
    }

    let name: String
    /// The columns that identify a row.
    let keys: [String]
    private let keyKind: KeyKind
    /// The columns that SQLite computes from others, and that cannot be changed.
    let generated: Set<String>

    /// Whether the key is the number of the row.
    var hasRowNumbers: Bool { keyKind == .rowNumber }

    /// The name as SQL.
    var quoted: String { SearchIndexes.quoted(name) }

    /// The keys as a list in SQL.
    var quotedKeys: String {
        hasRowNumbers
            ? keys.joined(separator: ", ")
            : keys.map(SearchIndexes.quoted).joined(separator: ", ")
    }

    /// The condition that selects one row; its parameters begin with a number.
    func condition(from first: Int) -> String {
        keys.enumerated()
            .map { condition(on: $0.element, parameter: first + $0.offset) }
            .joined(separator: " AND ")
    }

    private func condition(on key: String, parameter: Int) -> String {
        switch keyKind {
        case .rowNumber: "\(key) = ?\(parameter)"
        case .primary: "\(SearchIndexes.quoted(key)) = ?\(parameter)"
        // Columns may be null, or compare without case.
        case .allColumns: "\(SearchIndexes.quoted(key)) COLLATE BINARY IS ?\(parameter)"
        }
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
            tables.append(try StoredTable(name, connection))
        }
        return tables
    }

    private init(_ name: String, _ connection: SQLiteConnection) throws(SQLiteError) {
        let quoted = SearchIndexes.quoted(name)
        let columns = try connection.prepare("PRAGMA table_xinfo(\(quoted))")
        var names: Set<String> = []
        var stored: [String] = []
        var primary: [String] = []
        var isNullable = false
        var generated: Set<String> = []
        while try columns.step() {
            guard let column = columns.text(1) else { continue }
            names.insert(column.lowercased())
            if columns.integer(5) > 0 {
                primary.append(column)
                if columns.integer(3) == 0 { isNullable = true }
            }
            // 2 and 3 are generated columns (https://sqlite.org/pragma.html#pragma_table_xinfo).
            if columns.integer(6) >= 2 { generated.insert(column) } else { stored.append(column) }
        }
        columns.reset()
        self.name = name
        self.generated = generated
        let alias = ["rowid", "_rowid_", "oid"].first { !names.contains($0) }
        if let alias, (try? connection.prepare("SELECT \(alias) FROM \(quoted) LIMIT 1")) != nil {
            keys = [alias]
            keyKind = .rowNumber
        } else if !primary.isEmpty, !isNullable {
            keys = primary
            keyKind = .primary
        } else {
            keys = stored
            keyKind = .allColumns
        }
    }
}
