// SPDX-License-Identifier: MIT

internal import CSQLite

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A connection to one database.
///
/// Files that it creates, including the WAL, can be read and written by their owner only (0600).
/// Text in double quotes is never treated as a string, and a malicious schema in the file cannot
/// call functions with side effects.
///
/// **Isolation.** One thread at a time, including its statements; only the interrupter may be used
/// by other threads. Each reader opens a connection of its own.
package final class SQLiteConnection {
    let handle: SQLiteHandle
    private var cache: [String: SQLiteStatement] = [:]

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file; never interpreted as a URI.
    ///   - options: How it is opened.
    /// - Throws: `SQLiteError`; nothing stays open.
    package init(path: String, options: SQLiteOptions = .init()) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .cannotOpen("path is empty or contains a zero byte")
        }
        // SQLite gives ':memory:' and, depending on its build, 'file:' a special meaning.
        let name = path.hasPrefix("/") ? path : "./" + path
        if options.mode == .create {
            try Self.makeFile(name)
        }
        let isImmutable = options.mode == .immutable
        handle = try Self.open(isImmutable ? Self.immutableURI(name) : name, options.mode)
        try configure(options)
    }

    /// Opens an in-memory database, which is discarded when the connection closes.
    ///
    /// - Throws: `SQLiteError` if there is not enough memory.
    package init() throws(SQLiteError) {
        handle = try Self.open(":memory:", .create)
        try configure(SQLiteOptions())
    }

    /// Creates a missing file before SQLite does, with permissions for its owner only.
    ///
    /// SQLite gives the files next to a database the permissions of the database
    /// (`findCreateFileMode` in its `os_unix.c`); a umask would apply to all threads of the
    /// process. An existing file is not opened: closing it would release the POSIX locks that other
    /// connections of this process hold on it.
    private static func makeFile(_ path: String) throws(SQLiteError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = unsafe Glibc.open(path, flags, 0o600)
        if descriptor >= 0 {
            _ = Glibc.close(descriptor)
        } else {
            let code = errno
            guard code != EEXIST else { return }
            let reason = unsafe String(cString: strerror(code))
            throw .cannotOpen("unable to create database file: \(reason)", systemCode: code)
        }
    }

    /// The URI of a file that SQLite may assume never changes (https://sqlite.org/uri.html).
    private static func immutableURI(_ path: String) -> String {
        var uri = "file:"
        for byte in path.utf8 {
            switch byte {
            case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A:
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                uri += byte < 16 ? "%0" : "%"
                uri += String(byte, radix: 16)
            }
        }
        return uri + "?immutable=1"
    }

    private static func open(
        _ name: String,
        _ mode: SQLiteOptions.Mode
    ) throws(SQLiteError) -> SQLiteHandle {
        var database: OpaquePointer?
        let flags = mode.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let status = unsafe sqlite3_open_v2(name, &database, flags, nil)
        guard let database = unsafe database else {
            throw SQLiteError(extendedCode: status, message: "out of memory")
        }
        let handle = unsafe SQLiteHandle(adopting: database)
        try handle.check(status)
        return handle
    }

    private func configure(_ options: SQLiteOptions) throws(SQLiteError) {
        let database = unsafe handle.database
        let (seconds, attoseconds) = options.busyTimeout.components
        let (whole, isLong) = seconds.multipliedReportingOverflow(by: 1_000)
        let milliseconds = isLong ? Int64.max : whole + attoseconds / 1_000_000_000_000_000
        try handle.check(unsafe sqlite3_busy_timeout(database, Int32(clamping: milliseconds)))
        let settings = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ]
        for (setting, value) in settings {
            try handle.check(unsafe tapline_configure(database, setting, Int32(value)))
        }
        try handle.check(unsafe tapline_add_functions(database))
    }

    /// Closes the connection; closing it twice is allowed.
    ///
    /// Statements from `cached(_:)` are closed with it. While a statement from `prepare(_:)`
    /// exists, the connection stays open and the call fails as busy.
    ///
    /// - Throws: `SQLiteError` if there are open statements.
    package func close() throws(SQLiteError) {
        for statement in cache.values {
            statement.invalidate()
        }
        cache.removeAll()
        try handle.close()
    }

    /// Stops a running statement from another thread.
    package var interrupter: SQLiteInterrupter {
        handle.interrupter
    }

    // MARK: Statements

    /// Runs any number of statements without parameters, and discards their rows.
    ///
    /// - Parameter sql: The statements.
    /// - Throws: `SQLiteError` of the first that fails; the effects of those before it remain.
    package func execute(_ sql: String) throws(SQLiteError) {
        guard unsafe handle.database != nil else {
            throw handle.error(SQLITE_MISUSE)
        }
        try handle.check(unsafe sqlite3_exec(handle.database, sql, nil, nil, nil))
    }

    /// Prepares one statement.
    ///
    /// - Parameter sql: The statement.
    /// - Returns: The statement, which keeps the database open as long as it exists.
    /// - Throws: `SQLiteError` if the text is not exactly one valid statement.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        try SQLiteStatement(sql, handle)
    }

    /// Returns a prepared statement that is cached by its text.
    ///
    /// It must have been reset, as `run()` does, before it is requested again.
    ///
    /// - Parameter sql: The statement; a constant text, since every statement is kept.
    /// - Returns: The statement.
    /// - Throws: `SQLiteError` if the text is not exactly one valid statement.
    package func cached(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        if let statement = cache[sql] {
            return statement
        }
        let statement = try prepare(sql)
        cache[sql] = statement
        return statement
    }

    /// The number of rows changed by the last INSERT, UPDATE or DELETE.
    package var changes: Int {
        unsafe handle.database == nil ? 0 : Int(unsafe sqlite3_changes64(handle.database))
    }

    /// The number of rows changed since the connection was opened.
    package var totalChanges: Int {
        unsafe handle.database == nil ? 0 : Int(unsafe sqlite3_total_changes64(handle.database))
    }

    /// The rowid of the last successful INSERT.
    package var lastInsertRowID: Int64 {
        unsafe handle.database == nil ? 0 : unsafe sqlite3_last_insert_rowid(handle.database)
    }
}
