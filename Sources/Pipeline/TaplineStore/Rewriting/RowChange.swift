// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// The columns of a statement that reads a table: first the keys of the row, then all columns.
struct TableLayout: Sendable {
    let table: String
    let names: [String]
    let keyCount: Int32
    /// The columns to search.
    let searched: [Int32]
    /// The columns with bodies and their codings; only of `exchanges`.
    private(set) var requestBody: Int32?
    private(set) var responseBody: Int32?
    private(set) var extra: Int32?

    init(_ rows: SQLiteStatement, _ table: StoredTable) {
        let count = Int32(clamping: rows.columnCount)
        let keyCount = Int32(clamping: table.keys.count)
        let names = (0..<count).map { rows.columnName($0) ?? "" }
        self.table = table.name
        self.names = names
        self.keyCount = keyCount
        // The ids of exchanges consist of a time and random bits.
        let hasIDs = table.name == "exchanges" || table.name == "active"
        let columns = min(keyCount, count)..<count
        searched = columns.filter {
            let name = names[Int($0)]
            return !(hasIDs && name == "id") && !table.generated.contains(name)
        }
        guard table.name == "exchanges" else { return }
        requestBody = columns.first { names[Int($0)] == "request_body" }
        responseBody = columns.first { names[Int($0)] == "response_body" }
        extra = columns.first { names[Int($0)] == "extra" }
    }
}

/// New values of columns in one row.
struct RowChange: Sendable {
    let key: [StoredValue]
    private(set) var values: [(column: String, value: StoredValue)] = []

    init(key: [StoredValue]) { self.key = key }

    /// The size of the key, which may be the whole row, and of the new values.
    var byteCount: Int {
        key.reduce(0) { $0 + $1.byteCount } + values.reduce(0) { $0 + $1.value.byteCount }
    }

    mutating func set(_ column: String, _ value: StoredValue) { values.append((column, value)) }

    /// The tables of names: the column of `exchanges` that refers to their rows, and the columns in
    /// which rows must differ.
    private static let merges: [String: (reference: String, unique: [String])] = [
        "hosts": ("host", ["scheme", "authority"]), "paths": ("path", ["template"]),
    ]
    /// The tables of which a row is removed if another one has its key already.
    private static let removable: Set = ["tags", "filters"]
    /// How many numbers are tried.
    private static let attempts = 10_000

    /// Writes the values; if another row of a table of names has them already, exchanges refer to
    /// that row from now on.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - connection: The connection to the database.
    /// - Returns: Whether the row was removed, since another one has its name now, whose content
    ///   differs.
    /// - Throws: `SQLiteError`.
    func apply(
        to table: StoredTable,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Bool {
        guard !values.isEmpty else { return false }
        let columns = values.enumerated()
            .map { "\(SearchIndexes.quoted($0.element.column)) = ?\($0.offset + 1)" }
            .joined(separator: ", ")
        let update = try connection.cached(
            "UPDATE \(table.quoted) SET \(columns) "
                + "WHERE \(table.condition(from: values.count + 1))"
        )
        do throws(SQLiteError) {
            try Self.bind(values.map(\.value) + key, to: update)
            try update.run()
        } catch {
            update.reset()
            guard error.isDuplicate else { throw error }
            if let merge = Self.merges[table.name], let row = key.first {
                try self.merge(row, merge.reference, merge.unique, table, connection)
            } else if Self.removable.contains(table.name) {
                try remove(from: table, connection)
                return true
            } else {
                try applyNumbered(update, error)
            }
        }
        return false
    }

    /// Writes the values with a number after each, since rows of other programs may have to differ.
    ///
    /// It is that of the row, which another row rarely has after the same text.
    private func applyNumbered(
        _ update: SQLiteStatement,
        _ duplicate: SQLiteError
    ) throws(SQLiteError) {
        var number: Int64 = 2
        if case .integer(let row)? = key.first { number = row }
        for _ in 0..<Self.attempts {
            do throws(SQLiteError) {
                try Self.bind(values.map { $0.value.numbered(number) } + key, to: update)
                try update.run()
                return
            } catch {
                update.reset()
                guard error.isDuplicate else { throw error }
            }
            number &+= 1
        }
        throw duplicate
    }

    private func merge(
        _ row: StoredValue,
        _ reference: String,
        _ unique: [String],
        _ table: StoredTable,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        var parameters = [row]
        var conditions: [String] = []
        for column in unique {
            if let changed = values.first(where: { $0.column == column }) {
                parameters.append(changed.value)
                conditions.append("\(column) = ?\(parameters.count)")
            } else {
                conditions.append(
                    "\(column) = (SELECT \(column) FROM \(table.quoted) WHERE id = ?1)"
                )
            }
        }
        let query = try connection.cached(
            "SELECT id FROM \(table.quoted) WHERE id <> ?1 AND "
                + conditions.joined(separator: " AND ")
        )
        try Self.bind(parameters, to: query)
        let other = try query.step() ? StoredValue(query, 0) : .null
        query.reset()
        let update = try connection.cached(
            "UPDATE exchanges SET \(reference) = ?1 WHERE \(reference) = ?2"
        )
        try Self.bind([other, row], to: update)
        try update.run()
        try remove(from: table, connection)
    }

    private func remove(
        from table: StoredTable,
        _ connection: SQLiteConnection
    ) throws(SQLiteError) {
        let removal = try connection.cached(
            "DELETE FROM \(table.quoted) WHERE \(table.condition(from: 1))"
        )
        try Self.bind(key, to: removal)
        try removal.run()
    }

    private static func bind(
        _ values: [StoredValue],
        to statement: SQLiteStatement
    ) throws(SQLiteError) {
        for (offset, value) in values.enumerated() {
            try value.bind(to: statement, Int32(clamping: offset + 1))
        }
    }
}
