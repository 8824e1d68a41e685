// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineSQL
internal import TaplineSystem

/// The optional full-text index of a database, which makes searches for rare texts fast.
///
/// It is a file next to the database, so that the database has the size and the content that its
/// writers expect, nobody waits while the index is built, and removing the index removes all of its
/// content.
package enum TextIndex {
    /// What an index is.
    package struct Status: Sendable, Hashable {
        /// What an index is good for.
        package enum Condition: Sendable {
            /// Queries use it.
            case valid
            /// Rows that it has were changed; it must be built again.
            case outOfDate
            /// It cannot be read; it must be built again.
            case damaged
        }

        /// Whether it can be used.
        package let condition: Condition
        /// What it has lists of; `nil` if it is damaged.
        package let kind: TextIndexKind?
        /// How many exchanges it does not cover.
        package let missing: Int
        /// The size of its file.
        package let bytes: Int
        /// The path of its file.
        package let path: String
    }

    /// Builds the index of a database, or continues one with the exchanges written since.
    ///
    /// An index that is out of date, damaged or of another kind is built from the start. What was
    /// built when the task is cancelled stays, and can be used and continued.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - kind: What to index; `nil` for that of an index that exists, otherwise trigrams.
    ///   - progress: Observes the work, and may cancel it.
    /// - Throws: `StoreError` if the database cannot be read, or not written to; `QueryCancelled`.
    package static func build(
        _ path: String,
        _ kind: TextIndexKind?,
        progress: QueryProgress
    ) throws {
        progress.begin(0, of: 1)
        let reader = try databaseReader(path)
        try naming(path) {
            let store = try open(path)
            let token = SecureRandom().bytes(count: 16)
            let valid = try reader.naming { try TextIndexMarker.token(reader.connection) }
            let build = try TextIndexBuild(path, kind, token: token, continuing: valid)
            let last = try TextIndexMarker.mark(store, token: token, covered: build.covered)
            try store.close()
            if let last { try build.run(reader, upTo: last, progress) }
        }
    }

    /// Removes the index of a database.
    ///
    /// - Parameter path: The database.
    /// - Returns: Whether there was one.
    /// - Throws: `StoreError` if the database or the files of the index cannot be written to.
    package static func drop(_ path: String) throws -> Bool {
        _ = try databaseReader(path)
        return try naming(path) {
            // First the marker: no index is valid without it.
            let store = try open(path)
            let hadMarker = try TextIndexMarker.remove(store)
            try store.close()
            return try TextIndexFile.remove(of: path) || hadMarker
        }
    }

    /// Returns what the index of a database is.
    ///
    /// - Parameter path: The database.
    /// - Returns: The status; `nil` if there is no index.
    /// - Throws: `StoreError` if the database cannot be read.
    package static func status(_ path: String) throws -> Status? {
        try status(path) { _, _ in }
    }

    /// Returns what the index of a database is, after all of its content was checked.
    ///
    /// - Parameter path: The database.
    /// - Returns: The status; `nil` if there is no index.
    /// - Throws: `StoreError` if the database cannot be read.
    package static func verifiedStatus(_ path: String) throws -> Status? {
        try status(path) { index, places in try index.verify(places) }
    }

    /// Returns the status; `check` is called for an index that is not out of date.
    private static func status(
        _ path: String,
        check: (TextIndexFile, [TextIndexFile.Place]) throws -> Void
    ) throws -> Status? {
        let reader = try databaseReader(path)
        let file = TextIndexFile.path(of: path)
        return try naming(path) {
            guard let size = try FileSystem.status(of: file)?.size else { return nil }
            func status(
                _ condition: Status.Condition,
                _ kind: TextIndexKind? = nil,
                missing: Int = 0
            ) -> Status {
                Status(
                    condition: condition,
                    kind: kind,
                    missing: missing,
                    bytes: Int(size),
                    path: file
                )
            }
            do {
                guard let index = try TextIndexFile(readingOf: path) else { return nil }
                // Another process may continue the index meanwhile.
                return try index.connection.transaction(.deferred) { () throws -> Status in
                    guard let state = try index.state() else { return status(.outOfDate) }
                    let token = try reader.naming { try TextIndexMarker.token(reader.connection) }
                    guard state.token == token else { return status(.outOfDate, state.kind) }
                    try check(index, try index.places(state))
                    let missing = try reader.connection.integer(
                        "SELECT count(*) FROM exchanges WHERE seq > \(state.covered)"
                    )
                    return status(.valid, state.kind, missing: Int(missing ?? 0))
                }
            } catch is DamagedIndex {
                return status(.damaged)
            } catch let error as SQLiteError where !error.isBusy {
                return status(.damaged)
            }
        }
    }

    /// Opens a database for writing the marker.
    private static func open(_ path: String) throws -> SQLiteConnection {
        try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readWrite))
    }

    private static func databaseReader(_ path: String) throws(StoreError) -> DatabaseReader {
        let status: FileStatus?
        do throws(FileError) {
            status = try FileSystem.status(of: path)
        } catch {
            throw StoreError(.system, error.description)
        }
        guard path == "-" || status != nil else {
            throw StoreError(.missing, "there is no file '\(path)'")
        }
        // SQLite treats an empty file as an empty database.
        let isFile = status?.kind == .regular && status?.size != 0
        guard isFile, let reader = try DatabaseReader(path) else {
            throw StoreError(
                .notDatabase,
                "'\(path)' is not a database of the sink 'sqlite'; only these have an index"
            )
        }
        return reader
    }

    /// Converts errors of SQLite and of the file system.
    private static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result
    {
        do {
            return try body()
        } catch let error as SQLiteError {
            if error.isReadOnly || error.isCannotOpen {
                throw StoreError(writing: error, path)
            }
            throw StoreError(error, path)
        } catch let error as FileError {
            throw StoreError(.system, error.description)
        } catch is DamagedIndex {
            let index = TextIndexFile.path(of: path)
            throw StoreError(.damaged, "'\(index)' is damaged; build the index again")
        }
    }
}
