// SPDX-License-Identifier: MIT

internal import CSQLite

extension SQLiteConnection {
    /// Reads a setting.
    ///
    /// - Parameter name: The pragma's name.
    /// - Returns: The first column of its first row as text; `nil` if there is none.
    /// - Throws: `SQLiteError` if the name is invalid, or as SQLite reports.
    package func pragma(_ name: String) throws(SQLiteError) -> String? {
        try text("PRAGMA \(Self.word(name))")
    }

    /// Changes a setting to a keyword.
    ///
    /// - Parameters:
    ///   - name: The pragma's name.
    ///   - value: A word of letters, digits and underscores.
    /// - Returns: SQLite's result; `journal_mode`, for example, returns the mode in effect.
    /// - Throws: `SQLiteError` if the name or value is invalid, or as SQLite reports.
    @discardableResult
    package func setPragma(_ name: String, _ value: String) throws(SQLiteError) -> String? {
        try text("PRAGMA \(Self.word(name)) = \(Self.word(value))")
    }

    /// Changes a setting to a number.
    ///
    /// - Parameters:
    ///   - name: The pragma's name.
    ///   - value: The number.
    /// - Returns: SQLite's result.
    /// - Throws: `SQLiteError` if the name is invalid, or as SQLite reports.
    @discardableResult
    package func setPragma(_ name: String, _ value: Int64) throws(SQLiteError) -> String? {
        try text("PRAGMA \(Self.word(name)) = \(value)")
    }

    /// The version that the application has given its schema (`user_version`).
    ///
    /// - Returns: The version; zero in a new database.
    /// - Throws: `SQLiteError` if the file cannot be read.
    package func userVersion() throws(SQLiteError) -> Int64 {
        try integer("PRAGMA user_version") ?? 0
    }

    /// Whether the schema has a table or view with a name.
    ///
    /// - Parameter name: The name.
    /// - Returns: Whether it exists.
    /// - Throws: `SQLiteError` if the file cannot be read.
    package func hasTable(_ name: String) throws(SQLiteError) -> Bool {
        let statement = try cached(
            "SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type IN ('table', 'view')"
        )
        try statement.bind(1, text: name)
        defer { statement.reset() }
        return try statement.step()
    }

    /// Moves the WAL's content into the database, without waiting for readers.
    ///
    /// - Parameter truncating: Whether to wait for readers and then truncate the WAL file.
    /// - Returns: Whether all of it was moved.
    /// - Throws: `SQLiteError`, except if readers or writers merely prevent it.
    @discardableResult
    package func checkpoint(truncating: Bool = false) throws(SQLiteError) -> Bool {
        guard unsafe handle.database != nil else {
            throw handle.error(SQLITE_MISUSE)
        }
        var frames: Int32 = 0
        var moved: Int32 = 0
        let mode = truncating ? SQLITE_CHECKPOINT_TRUNCATE : SQLITE_CHECKPOINT_PASSIVE
        let status = unsafe sqlite3_wal_checkpoint_v2(handle.database, nil, mode, &frames, &moved)
        if status & 0xff == SQLITE_BUSY {
            return false
        }
        try handle.check(status)
        return frames == moved
    }

    /// The first column of the first row of a query.
    ///
    /// - Parameter sql: A query without parameters.
    /// - Returns: The number; `nil` if there is no row or it is NULL.
    /// - Throws: `SQLiteError`.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }

    /// The first column of the first row of a query.
    ///
    /// - Parameter sql: A query without parameters.
    /// - Returns: The text; `nil` if there is no row or it is NULL.
    /// - Throws: `SQLiteError`.
    package func text(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.text(0) : nil
    }

    private static func word(_ text: String) throws(SQLiteError) -> String {
        let isWord = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x5f, 0x61...0x7a: true
            default: false
            }
        }
        guard isWord, !text.isEmpty else {
            throw .misuse("pragmas may contain only letters, digits and underscores")
        }
        return text
    }
}
