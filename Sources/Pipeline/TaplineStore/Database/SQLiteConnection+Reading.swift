// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineSystem

extension SQLiteConnection {
    /// Opens a database for reading, also in a folder that cannot be written.
    ///
    /// A database in WAL mode needs a writable file `-shm`. Without a log, nobody writes, and the
    /// file is read as one that does not change.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - open: Opens the file in a mode, and reads from it.
    /// - Returns: The connection.
    /// - Throws: `SQLiteError`, or the error of the closure.
    static func forReading(
        _ path: String,
        _ open: (SQLiteOptions.Mode) throws -> SQLiteConnection
    ) throws -> SQLiteConnection {
        do {
            return try open(.readOnly)
        } catch let error as SQLiteError where error.isCannotOpen || error.isReadOnly {
            guard try FileSystem.status(of: path + "-wal").map({ $0.size == 0 }) ?? true else {
                throw error
            }
            return try open(.immutable)
        }
    }
}
