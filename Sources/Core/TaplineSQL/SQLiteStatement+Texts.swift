// SPDX-License-Identifier: MIT

internal import CSQLite

extension SQLiteStatement {
    /// Appends the texts and blobs among some columns of the current row, each with a separator
    /// after it.
    ///
    /// - Parameters:
    ///   - columns: The columns.
    ///   - separator: The separator.
    ///   - limit: The maximum number of bytes to append.
    ///   - buffer: The array that they are appended to, in the encoding of the database.
    /// - Returns: Whether all of them were appended.
    package func appendTexts(
        of columns: [Int32],
        separatedBy separator: UInt8,
        limit: Int,
        to buffer: inout [UInt8]
    ) -> Bool {
        let end = buffer.count + limit
        for column in columns {
            let type = unsafe sqlite3_column_type(statement, column)
            guard type == SQLITE_TEXT || type == SQLITE_BLOB else { continue }
            // The pointer comes first: it may convert the value.
            let start = unsafe sqlite3_column_blob(statement, column)
            let bytes = unsafe UnsafeRawBufferPointer(
                start: start,
                count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
            )
            guard bytes.count < end - buffer.count else { return false }
            unsafe buffer.append(contentsOf: bytes)
            buffer.append(separator)
        }
        return true
    }
}
