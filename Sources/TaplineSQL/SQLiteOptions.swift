// SPDX-License-Identifier: MIT

internal import CSQLite

/// How a database is opened.
public struct SQLiteOptions: Sendable {
    /// What may be done with the file.
    public struct Mode: Hashable, Sendable {
        let flags: Int32

        /// Read and write; a missing file is made.
        public static let create = Mode(
            flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        )
        /// Read and write a file that is there.
        public static let readWrite = Mode(flags: SQLITE_OPEN_READWRITE)
        /// Only read a file that is there.
        public static let readOnly = Mode(flags: SQLITE_OPEN_READONLY)
        /// Only read a file that nobody changes: no lock is taken, and no other file is looked
        /// for or made, a write-ahead log included.
        public static let immutable = Mode(flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
    }

    /// What may be done with the file.
    public var mode: Mode

    /// How long a statement waits for a lock that another connection holds.
    public var busyTimeout: Duration

    /// Makes options.
    ///
    /// - Parameters:
    ///   - mode: What may be done with the file.
    ///   - busyTimeout: How long a statement waits for a lock that another connection holds.
    public init(mode: Mode = .create, busyTimeout: Duration = .seconds(5)) {
        self.mode = mode
        self.busyTimeout = busyTimeout
    }
}
