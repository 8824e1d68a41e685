// SPDX-License-Identifier: MIT

internal import CSQLite

extension SQLiteConnection {
    /// When a transaction takes its locks.
    public struct TransactionKind: Hashable, Sendable {
        let start: String

        /// With its first statement.
        public static let deferred = TransactionKind(start: "BEGIN DEFERRED")
        /// The write lock at once, so that it cannot fail as busy half-way.
        public static let immediate = TransactionKind(start: "BEGIN IMMEDIATE")
        /// All locks at once.
        public static let exclusive = TransactionKind(start: "BEGIN EXCLUSIVE")
    }

    /// Whether a transaction is open.
    public var isInTransaction: Bool {
        unsafe handle.database != nil && sqlite3_get_autocommit(handle.database) == 0
    }

    /// Opens a transaction.
    ///
    /// - Parameter kind: When it takes its locks.
    /// - Throws: `SQLiteError`, busy for instance.
    public func begin(_ kind: TransactionKind = .immediate) throws(SQLiteError) {
        try cached(kind.start).run()
    }

    /// Makes what the transaction did lasting.
    ///
    /// - Throws: `SQLiteError`; the transaction may still be open and then can be tried again.
    public func commit() throws(SQLiteError) {
        try cached("COMMIT").run()
    }

    /// Undoes what the transaction did; without one nothing happens.
    ///
    /// SQLite itself rolls back on some errors, a full disk among them; this may follow anyway.
    public func rollback() {
        guard isInTransaction else {
            return
        }
        // A rollback cannot fail in a way that leaves the transaction open: what SQLite reports
        // here is the fate of a pending read, which ends with the transaction.
        try? cached("ROLLBACK").run()
    }

    /// Runs a closure within a transaction: committed when it returns, undone when it throws.
    ///
    /// - Parameters:
    ///   - kind: When the transaction takes its locks.
    ///   - body: What is done within it.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws, or `SQLiteError` of begin or commit. In each case
    ///   nothing has been changed.
    public func transaction<Result>(
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
