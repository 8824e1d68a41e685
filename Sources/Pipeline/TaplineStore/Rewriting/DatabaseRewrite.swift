// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplineQuery
internal import TaplineSQL
internal import TaplineSystem

/// A database of the sink `sqlite` that is opened to change what it stores.
///
/// Each change is one transaction: after an error or a power failure, the database is as before.
/// Replaced and removed content is overwritten with zeros (`secure_delete`), and `finish` empties
/// the log, which may still contain it.
///
/// **Shape.** The connection closes, and its lock is released, when the object is released.
/// **Isolation**: one thread at a time.
package final class DatabaseRewrite {
    /// Who else may use the database.
    package enum Access: Sendable {
        /// Anybody; nothing is changed.
        case readOnly
        /// Anybody, between transactions.
        case shared
        /// Nobody. A connection that stays open could prevent the log from being emptied.
        case exclusive
    }

    /// How long a statement waits for a lock, unless access is exclusive.
    private static let busyTimeout = Duration.seconds(5)

    let path: String
    let connection: SQLiteConnection
    let reader: DatabaseReader
    /// Whether nobody else may use the database.
    let isExclusive: Bool
    /// Whether a change was committed, so that an error came after it.
    package internal(set) var isChanged = false
    /// Called before a change is committed; until then, the exchanges are as before.
    package var beforeCommit: () -> Void = {}

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - access: Who else may use it.
    /// - Throws: `StoreError` if it is no database of Tapline, if it is a link or has other names,
    ///   or if others have it open although access is exclusive.
    package init(_ path: String, _ access: Access) throws(StoreError) {
        self.path = path
        isExclusive = access == .exclusive
        try StoreEditor.checkFile(path)
        try Self.checkLinks(path)
        let reader = try StoreError.opening(path) { () -> DatabaseReader in
            if access == .readOnly {
                guard let reader = try DatabaseReader(path) else {
                    throw StoreError.notDatabase("'\(path)'")
                }
                return reader
            }
            let isExclusive = access == .exclusive
            return try DatabaseReader(DatabaseRewrite.open(path, isExclusive: isExclusive), path)
        }
        self.reader = reader
        connection = reader.connection
    }

    /// Rejects a link, since body files and the log have the name of the database itself.
    private static func checkLinks(_ path: String) throws(StoreError) {
        let status: FileStatus?
        do throws(FileError) {
            status = try FileSystem.status(of: path, followingLinks: false)
        } catch {
            throw StoreError(.system, error.description)
        }
        guard let status, status.kind == .link || status.hasOtherNames else { return }
        throw StoreError(
            .notChangeable,
            "'\(path)' is a link; give the file itself, and remove other links to it"
        )
    }

    private static func open(_ path: String, isExclusive: Bool) throws -> SQLiteConnection {
        let timeout = isExclusive ? Duration.zero : busyTimeout
        let connection = try SQLiteConnection(
            path: path,
            options: SQLiteOptions(mode: .readWrite, busyTimeout: timeout)
        )
        do {
            // Before the first read, so that SQLite takes the exclusive lock already for that: it
            // fails if any other connection has the database open
            // (https://sqlite.org/pragma.html#pragma_locking_mode).
            if isExclusive { try connection.setPragma("locking_mode", "exclusive") }
            try DatabaseSchema.check(connection, path)
            try connection.setPragma("secure_delete", 1)
            try connection.setPragma("synchronous", "full")
            try connection.setPragma("temp_store", "memory")
            try connection.setPragma("cache_size", -65_536)
            if isExclusive {
                try connection.begin(.exclusive)
                try connection.commit()
            }
        } catch let error as SQLiteError where error.isBusy && isExclusive {
            throw StoreError(
                .locked,
                "'\(path)' is open in another process, which has to end first; its log could keep "
                    + "what is removed"
            )
        }
        return connection
    }

    // MARK: Reading

    /// Calls a closure with each whole exchange, in writing order.
    ///
    /// - Parameters:
    ///   - filter: The condition; `nil` for all exchanges.
    ///   - body: Receives the exchanges.
    /// - Returns: How many rows and bodies could not be read.
    /// - Throws: `StoreError`, or the error of the closure.
    package func forEach(
        _ filter: Filter? = nil,
        _ body: (Exchange) throws -> Void
    ) throws -> Int {
        try scan(StoreQuery(filter, order: .oldestFirst)) { _, exchange in try body(exchange) }
        return reader.problems.take().count
    }

    func scan(_ query: StoreQuery, _ body: (StoreKey, Exchange) throws -> Void) throws {
        try naming {
            let rows = RowReader(reader, RowQuery(query, schema: reader.schema))
            try rows.read(.all) { key, exchange in
                try body(key, exchange)
                return true
            }
        }
    }

    // MARK: Transactions

    /// Runs a closure in a transaction, which is rolled back if it throws.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try naming { try connection.transaction(.immediate, body) }
    }

    /// Copies the log into the database and truncates it; requires exclusive access.
    ///
    /// - Throws: `StoreError` if that is impossible.
    package func finish() throws {
        let isDone = try naming { try connection.checkpoint(truncating: true) }
        guard isDone else {
            throw StoreError(.locked, "cannot empty the log '\(path)-wal'; it is in use")
        }
    }

    /// Writes the database anew, without free pages; requires exclusive access.
    ///
    /// Pages that were freed before, without being overwritten, disappear.
    ///
    /// - Throws: `StoreError` if that is impossible; the database is unchanged then.
    package func vacuum() throws {
        try naming {
            // The copy may be large; SQLite removes its temporary file.
            try connection.setPragma("temp_store", "file")
            try connection.execute("VACUUM")
        }
        try finish()
    }

    /// Converts errors of SQLite and of files.
    func naming<Result>(_ body: () throws -> Result) throws -> Result {
        try StoreError.writing(path, body)
    }
}
