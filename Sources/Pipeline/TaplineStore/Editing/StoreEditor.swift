// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

/// Changes a database of the sink `sqlite`: what people write about exchanges, saved filters, and
/// the space it takes.
///
/// Each change is one transaction, which another process may wait for. A database of an older schema
/// is upgraded by the first change; earlier versions of Tapline refuse it from then on.
///
/// **Isolation**: one thread at a time.
package final class StoreEditor {
    /// The longest text that can be stored, in bytes.
    package static let maxText = 65_536
    /// How long a statement waits for a lock.
    private static let busyTimeout = Duration.seconds(5)

    /// The path of the database.
    package let path: String
    let connection: SQLiteConnection

    /// Opens a database for writing; changes nothing yet.
    ///
    /// - Parameter path: The file.
    /// - Throws: `StoreError` if there is no such file, if it is no database of the sink `sqlite`,
    ///   such as a recording, or if it cannot be opened.
    package init(_ path: String) throws(StoreError) {
        self.path = path
        try Self.checkFile(path)
        connection = try StoreError.opening(path) { () -> SQLiteConnection in
            let connection = try SQLiteConnection(
                path: path,
                options: SQLiteOptions(mode: .readWrite, busyTimeout: StoreEditor.busyTimeout)
            )
            try DatabaseSchema.check(connection, path)
            return connection
        }
    }

    /// Opens the same database for questions.
    ///
    /// - Parameter warn: Receives a message for each part that cannot be read.
    /// - Returns: The store, which is read-only.
    /// - Throws: `StoreError` if the database cannot be read.
    package func store(
        warn: @escaping (String) -> Void = { _ in }
    ) throws(StoreError) -> Store {
        guard let store = try Store.database(path, warn: warn) else {
            throw .notDatabase("'\(path)'")
        }
        return store
    }

    /// Rejects a path that cannot name a database.
    static func checkFile(_ path: String) throws(StoreError) {
        guard path != "-" else { throw .notDatabase("standard input") }
        let status: FileStatus?
        do throws(FileError) {
            status = try FileSystem.status(of: path)
        } catch {
            throw StoreError(.system, error.description)
        }
        guard let status else { throw StoreError(.missing, "there is no file '\(path)'") }
        guard status.kind == .regular, status.size > 0 else { throw .notDatabase("'\(path)'") }
    }

    /// Runs a closure in a transaction, with the newest schema.
    func write<Result>(_ body: () throws -> Result) throws -> Result {
        try StoreError.writing(path) {
            try connection.transaction {
                // Another process may have upgraded it since it was opened.
                try DatabaseSchema.check(connection, path)
                try SchemaText.migrate(connection)
                return try body()
            }
        }
    }

    // MARK: Rows

    /// Fills the temporary table `chosen` with the rows of keys that still exist; requires a
    /// transaction.
    ///
    /// - Returns: How many there are.
    func choose(_ keys: [StoreKey]) throws -> Int {
        try connection.execute(
            """
            CREATE TEMP TABLE IF NOT EXISTS chosen (seq INTEGER PRIMARY KEY);
            DELETE FROM temp.chosen;
            """
        )
        let insert = try connection.cached(
            "INSERT OR IGNORE INTO temp.chosen SELECT seq FROM exchanges WHERE seq = ?1 AND id = ?2"
        )
        defer { insert.reset() }
        for key in keys {
            let id = key.id.bytes
            try insert.bind(1, integer: key.number)
            try insert.bind(2, blob: id.span)
            try insert.run()
        }
        return Int(clamping: try connection.integer("SELECT count(*) FROM temp.chosen") ?? 0)
    }

    /// Rejects a text that is too long.
    func check(_ text: String, _ what: String) throws(StoreError) {
        guard text.utf8.count <= Self.maxText else {
            throw StoreError(
                .badValue,
                "the \(what) is too long; found \(text.utf8.count) bytes, expected at most "
                    + "\(Self.maxText)"
            )
        }
    }
}

extension StoreError {
    /// A file that is no database, such as a recording.
    static func notDatabase(_ name: String) -> StoreError {
        StoreError(
            .notDatabase,
            "\(name) is not a database of the sink 'sqlite', which this command needs"
        )
    }

    /// Opens a database for changes and converts all errors.
    static func opening<Result>(
        _ path: String,
        _ open: () throws -> Result
    ) throws(StoreError) -> Result {
        do {
            return try open()
        } catch let error as StoreError {
            throw error
        } catch let error as SQLiteError {
            if error.isNotDatabase { throw .notDatabase("'\(path)'") }
            throw StoreError(writing: error, path)
        } catch {
            throw StoreError(.system, "cannot open '\(path)'; \(error)")
        }
    }

    /// Changes a database and converts the errors of SQLite and of its files.
    static func writing<Result>(_ path: String, _ change: () throws -> Result) throws -> Result {
        do {
            return try change()
        } catch let error as SQLiteError {
            throw StoreError(writing: error, path)
        } catch let error as FileError where error.path.hasPrefix(path) {
            throw StoreError(.system, error.description)
        }
    }

    /// What a failure of SQLite means for a change.
    init(writing error: SQLiteError, _ path: String) {
        if error.isFull {
            self.init(.system, "cannot write '\(path)'; no space left")
        } else if error.isBusy || error.isCorrupt {
            self.init(error, path)
        } else {
            self.init(system: error, path, .write)
        }
    }
}
