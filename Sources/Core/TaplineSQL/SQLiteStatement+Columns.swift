// SPDX-License-Identifier: MIT

internal import CSQLite

// If there is no such column or no row, SQLite returns the same as for NULL.
extension SQLiteStatement {
    /// The storage classes of SQLite.
    package enum ColumnType: Hashable, Sendable {
        /// An integer.
        case integer
        /// A floating-point number.
        case real
        /// Text.
        case text
        /// Bytes.
        case blob
        /// NULL.
        case null
    }

    /// The number of columns that the statement's rows have.
    package var columnCount: Int {
        Int(unsafe sqlite3_column_count(statement))
    }

    /// The name of a column; `nil` if there is no such column.
    package func columnName(_ column: Int32) -> String? {
        guard column >= 0, column < columnCount else {
            return nil
        }
        return unsafe sqlite3_column_name(statement, column).map { unsafe String(cString: $0) }
    }

    /// The storage class of a column in the current row.
    package func type(_ column: Int32) -> ColumnType {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_INTEGER: .integer
        case SQLITE_FLOAT: .real
        case SQLITE_TEXT: .text
        case SQLITE_BLOB: .blob
        default: .null
        }
    }

    /// Whether a column of the current row is NULL.
    package func isNull(_ column: Int32) -> Bool {
        unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
    }

    /// A column as an integer, converted by SQLite's rules; zero for NULL.
    package func integer(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(statement, column)
    }

    /// A column as a floating-point number, converted by SQLite's rules; zero for NULL.
    package func real(_ column: Int32) -> Double {
        unsafe sqlite3_column_double(statement, column)
    }

    /// A column as text, with bytes that are not UTF-8 replaced; `nil` for NULL.
    package func text(_ column: Int32) -> String? {
        guard !isNull(column) else {
            return nil
        }
        return unsafe String(decoding: textBytes(column), as: UTF8.self)
    }

    /// A column as bytes; empty for NULL.
    package func blob(_ column: Int32) -> [UInt8] {
        unsafe Array(blobBytes(column))
    }

    /// Passes the bytes of a column as text to a closure; empty for NULL.
    ///
    /// - Parameters:
    ///   - column: The column; a number is converted to text.
    ///   - body: Receives the bytes, which are valid only during the call.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error.
    package func withText<Result, Failure: Error>(
        _ column: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(textBytes(column).span)
    }

    /// Passes the bytes of a column to a closure; empty for NULL.
    ///
    /// - Parameters:
    ///   - column: The column.
    ///   - body: Receives the bytes, which are valid only during the call.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error.
    package func withBlob<Result, Failure: Error>(
        _ column: Int32,
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe body(blobBytes(column).span)
    }

    // The pointer comes first in both: it may convert the value, and the count is valid only then.

    @unsafe
    private func textBytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe sqlite3_column_text(statement, column)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
    }

    @unsafe
    private func blobBytes(_ column: Int32) -> UnsafeBufferPointer<UInt8> {
        let start = unsafe sqlite3_column_blob(statement, column)?
            .assumingMemoryBound(to: UInt8.self)
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
    }
}
