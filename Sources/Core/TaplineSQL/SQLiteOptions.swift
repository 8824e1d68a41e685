// SPDX-License-Identifier: MIT

internal import CSQLite

/// How a database is opened.
package struct SQLiteOptions: Sendable {
    /// How the file may be accessed.
    package struct Mode: Hashable, Sendable {
        let flags: Int32

        /// Reads and writes; creates a missing file.
        package static let create = Mode(
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        )
        /// Reads and writes an existing file.
        package static let readWrite = Mode(flags: SQLITE_OPEN_READWRITE)
        /// Only reads an existing file.
        package static let readOnly = Mode(flags: SQLITE_OPEN_READONLY)
        /// Only reads a file that does not change.
        ///
        /// Takes no lock, and neither looks for nor creates other files, including a write-ahead
        /// log.
        package static let immutable = Mode(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    /// How the file may be accessed.
    package var mode: Mode

    /// How long a statement waits for a lock that another connection holds.
    package var busyTimeout: Duration

    /// Creates options.
    ///
    /// - Parameters:
    ///   - mode: How the file may be accessed.
    ///   - busyTimeout: How long a statement waits for a lock that another connection holds.
    package init(mode: Mode = .create, busyTimeout: Duration = .seconds(5)) {
        self.mode = mode
        self.busyTimeout = busyTimeout
    }
}
