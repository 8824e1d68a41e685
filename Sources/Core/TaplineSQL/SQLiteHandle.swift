// SPDX-License-Identifier: MIT

internal import CSQLite
internal import Synchronization

/// The open database that a connection and its statements share.
///
/// It exists as long as any of them, so that no statement outlives its database.
@safe final class SQLiteHandle {
    private(set) var database: OpaquePointer?
    let interrupter: SQLiteInterrupter

    init(adopting database: OpaquePointer) {
        unsafe self.database = database
        interrupter = unsafe SQLiteInterrupter(database)
    }

    deinit {
        interrupter.invalidate()
        unsafe sqlite3_close_v2(database)
    }

    /// Closes the database, unless a statement still exists.
    func close() throws(SQLiteError) {
        guard unsafe database != nil else {
            return
        }
        let status = interrupter.invalidate { unsafe sqlite3_close(database) }
        guard status == SQLITE_OK else {
            throw error(status)
        }
        unsafe database = nil
    }

    /// The error of the last call.
    func error(_ status: Int32) -> SQLiteError {
        guard unsafe database != nil else {
            return .misuse("connection is closed")
        }
        let extended = unsafe sqlite3_extended_errcode(database)
        let isOfThisCall = extended & 0xff == status & 0xff
        let message =
            isOfThisCall
            ? unsafe String(cString: sqlite3_errmsg(database))
            : unsafe String(cString: sqlite3_errstr(status))
        return SQLiteError(
            extendedCode: isOfThisCall ? extended : status,
            message: message,
            systemCode: isOfThisCall ? systemCode(of: extended) : 0
        )
    }

    /// The system's error number of the last call, which SQLite keeps only for these codes.
    private func systemCode(of extended: Int32) -> Int32 {
        let code = extended & 0xff
        // A file that ends too early is not a failure of the system (SQLITE_IOERR_SHORT_READ).
        guard code == SQLITE_CANTOPEN || code == SQLITE_IOERR, extended != SQLITE_IOERR | 2 << 8
        else { return 0 }
        return unsafe sqlite3_system_errno(database)
    }

    func check(_ status: Int32) throws(SQLiteError) {
        if status != SQLITE_OK {
            throw error(status)
        }
    }
}

/// Stops a connection's running statement from another thread.
///
/// **Isolation.** Any thread, at any time; does nothing after the connection has closed.
@safe package final class SQLiteInterrupter: Sendable {
    @safe private struct Target: @unchecked Sendable {
        var database: OpaquePointer?
    }

    private let target: Mutex<Target>

    @unsafe
    init(_ database: OpaquePointer) {
        target = unsafe Mutex(Target(database: database))
    }

    /// Makes the running statement, if there is one, fail as interrupted.
    package func interrupt() {
        target.withLock { target in
            if let database = unsafe target.database {
                unsafe sqlite3_interrupt(database)
            }
        }
    }

    func invalidate() {
        target.withLock { target in
            unsafe target.database = nil
        }
    }

    /// Closes with a closure; stays usable if that fails.
    func invalidate(_ close: () -> Int32) -> Int32 {
        target.withLock { target in
            let status = close()
            if status == SQLITE_OK {
                unsafe target.database = nil
            }
            return status
        }
    }
}
