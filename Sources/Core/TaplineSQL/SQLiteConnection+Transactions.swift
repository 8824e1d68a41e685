// SPDX-License-Identifier: MIT

internal import CSQLite

extension SQLiteConnection {
    /// When a transaction takes its locks.
    package struct TransactionKind: Hashable, Sendable {
        let start: String

        /// At the first statement.
        package static let deferred = TransactionKind(start: "BEGIN DEFERRED")
        /// The write lock at once, so that the transaction cannot fail as busy half-way.
        package static let immediate = TransactionKind(start: "BEGIN IMMEDIATE")
        /// All locks at once.
        package static let exclusive = TransactionKind(start: "BEGIN EXCLUSIVE")
    }

    /// Whether a transaction is open.
    package var isInTransaction: Bool {
        unsafe handle.database != nil && sqlite3_get_autocommit(handle.database) == 0
    }

    /// Begins a transaction.
    ///
    /// - Parameter kind: When it takes its locks.
    /// - Throws: `SQLiteError`, for example busy.
    package func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
        try cached(kind.start).run()
    }

    /// Commits the transaction.
    ///
    /// - Throws: `SQLiteError`; the transaction may still be open, and committing can be retried.
    package func commit() throws(SQLiteError) {
        try cached("COMMIT").run()
    }

    /// Waits until committed transactions are on disk, as each commit does with
    /// `PRAGMA synchronous = full`.
    ///
    /// The write-ahead log has those that a checkpoint has not yet moved, and SQLite itself syncs
    /// what a checkpoint moves.
    /// - Throws: `SQLiteError`.
    package func syncLog() throws(SQLiteError) {
        guard unsafe handle.database != nil else { throw handle.error(SQLITE_MISUSE) }
        try handle.check(unsafe tapline_sync_log(handle.database))
    }

    /// Rolls the transaction back; does nothing if there is none.
    ///
    /// SQLite itself rolls back on some errors, such as a full disk; calling this afterwards is
    /// allowed.
    package func rollback() {
        guard isInTransaction else {
            return
        }
        // A rollback cannot fail in a way that leaves the transaction open: an error reported here
        // belongs to a pending read, which ends with the transaction.
        try? cached("ROLLBACK").run()
    }

    /// Runs a closure within a transaction: commits if it returns, rolls back if it throws.
    ///
    /// - Parameters:
    ///   - kind: When the transaction takes its locks.
    ///   - body: The closure.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error, or `SQLiteError` of begin or commit. In each case the
    ///   database is unchanged.
    package func transaction<Result>(
        _ kind: TransactionKind = .immediate,
        _ body: () throws -> Result
    ) throws -> Result {
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }
}
