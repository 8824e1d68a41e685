// SPDX-License-Identifier: MIT

internal import CSQLite

/// A prepared statement: bind its parameters, step through its rows, reset it, and repeat.
///
/// Parameters are numbered from 1, columns from 0, as in SQLite. `reset()` clears the bindings:
/// each execution binds all its values, and unbound parameters are NULL.
///
/// **Isolation.** The thread of its connection.
///
/// **Source.** SQLite's C interface, "Prepared Statement Object".
@safe package final class SQLiteStatement {
    private let handle: SQLiteHandle
    private(set) var statement: OpaquePointer?
    private var arena = BindingArena()

    init(_ sql: String, _ handle: SQLiteHandle) throws(SQLiteError) {
        self.handle = handle
        guard let database = unsafe handle.database else {
            throw handle.error(SQLITE_MISUSE)
        }
        var source = sql
        var statement: OpaquePointer?
        var isSingle = true
        let status = source.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                var tail: UnsafePointer<CChar>?
                let status = unsafe sqlite3_prepare_v3(
                    database,
                    characters.baseAddress,
                    Int32(clamping: characters.count),
                    UInt32(SQLITE_PREPARE_PERSISTENT),
                    &statement,
                    &tail
                )
                if let tail = unsafe tail, let start = characters.baseAddress {
                    let used = unsafe tail - start
                    isSingle = unsafe characters[used...].allSatisfy(Self.isEmpty)
                }
                return status
            }
        }
        try handle.check(status)
        guard let statement = unsafe statement, isSingle else {
            unsafe sqlite3_finalize(statement)
            throw .misuse("expected exactly one statement")
        }
        unsafe self.statement = statement
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    /// Finalizes the statement before its connection closes; every further call fails.
    func invalidate() {
        unsafe sqlite3_finalize(statement)
        unsafe statement = nil
    }

    private static func isEmpty(_ character: CChar) -> Bool {
        // Space, tab, line feed, carriage return, semicolon.
        [0x20, 0x09, 0x0a, 0x0d, 0x3b].contains(character)
    }

    // MARK: Running

    /// Advances to the next row.
    ///
    /// - Returns: Whether there is one; its columns are valid until the next step or reset.
    /// - Throws: `SQLiteError`; reset the statement before using it again.
    package func step() throws(SQLiteError) -> Bool {
        let status = unsafe sqlite3_step(statement)
        if status == SQLITE_DONE {
            return false
        }
        guard status == SQLITE_ROW else {
            throw handle.error(status)
        }
        return true
    }

    /// Runs to the end, ignoring rows, and resets.
    ///
    /// - Throws: `SQLiteError`; the statement is reset in any case.
    package func run() throws(SQLiteError) {
        while true {
            let status = unsafe sqlite3_step(statement)
            if status == SQLITE_ROW {
                continue
            }
            if status == SQLITE_DONE {
                reset()
                return
            }
            let failure = handle.error(status)
            reset()
            throw failure
        }
    }

    /// Prepares for another execution and clears the bindings.
    package func reset() {
        guard unsafe statement != nil else {
            return
        }
        // The result repeats the error of the last step, which has been thrown already.
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        arena.rewind()
    }

    /// The number of parameters.
    package var parameterCount: Int {
        Int(unsafe sqlite3_bind_parameter_count(statement))
    }

    /// The index of a named parameter.
    ///
    /// - Parameter name: The name with its sign, such as `:id`.
    /// - Returns: The index; `nil` if there is no parameter with this name.
    package func parameterIndex(_ name: String) -> Int32? {
        guard unsafe statement != nil else {
            return nil
        }
        let index = unsafe sqlite3_bind_parameter_index(statement, name)
        return index == 0 ? nil : index
    }

    // MARK: Binding

    /// Binds an integer.
    package func bind(_ index: Int32, integer value: Int64) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_bind_int64(statement, index, value))
    }

    /// Binds a floating-point number; NaN becomes NULL.
    package func bind(_ index: Int32, real value: Double) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_bind_double(statement, index, value))
    }

    /// Binds NULL.
    package func bindNull(_ index: Int32) throws(SQLiteError) {
        try handle.check(unsafe sqlite3_bind_null(statement, index))
    }

    /// Binds text that is UTF-8 already; other bytes are stored unchanged.
    package func bind(_ index: Int32, text value: Span<UInt8>) throws(SQLiteError) {
        let status = unsafe value.withUnsafeBytes { bytes in
            if let copy = unsafe arena.copy(bytes) {
                return unsafe sqlite3_bind_text64(
                    statement,
                    index,
                    copy.assumingMemoryBound(to: CChar.self),
                    sqlite3_uint64(bytes.count),
                    nil,
                    UInt8(SQLITE_UTF8)
                )
            }
            return unsafe tapline_bind_text_copy(
                statement,
                index,
                bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
                sqlite3_uint64(bytes.count)
            )
        }
        try handle.check(status)
    }

    /// Binds text.
    package func bind(_ index: Int32, text value: String) throws(SQLiteError) {
        try bind(index, text: value.utf8.span)
    }

    /// Binds bytes; empty bytes become an empty blob, not NULL.
    package func bind(_ index: Int32, blob value: Span<UInt8>) throws(SQLiteError) {
        let status = unsafe value.withUnsafeBytes { bytes in
            if let copy = unsafe arena.copy(bytes) {
                return unsafe sqlite3_bind_blob64(
                    statement,
                    index,
                    copy,
                    sqlite3_uint64(bytes.count),
                    nil
                )
            }
            return unsafe tapline_bind_blob_copy(
                statement,
                index,
                bytes.baseAddress,
                sqlite3_uint64(bytes.count)
            )
        }
        try handle.check(status)
    }
}
