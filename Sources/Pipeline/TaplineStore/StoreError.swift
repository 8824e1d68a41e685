// SPDX-License-Identifier: MIT

internal import TaplineSQL
internal import TaplineSystem

/// Why a store cannot be read or changed.
///
/// The message names the file, never content of the store.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Code: Sendable {
        /// There is no such file, or no file matches the pattern.
        case missing
        /// The file is neither a store nor a recording.
        case notStore
        /// The file is the database of another program.
        case foreign
        /// A newer version of Tapline wrote the file.
        case newer
        /// The file is damaged.
        case damaged
        /// Another process holds a lock.
        case locked
        /// The system rejected an operation.
        case system
        /// No exchange has the id.
        case unknownID
        /// Several ids begin with the prefix.
        case ambiguousID
        /// Standard input would have to be read twice.
        case notRepeatable
        /// Nothing can be added to the store while it is read.
        case notFollowed
        /// The file is not a database of the sink `sqlite`, which the operation needs.
        case notDatabase
        /// A value cannot be stored.
        case badValue
        /// The store cannot be changed: it is HAR or a stream, or it changed meanwhile.
        case notChangeable
        /// Several databases have more exchanges in common than can be told apart.
        case tooManyCopies
    }

    /// The kind of error.
    package let code: Code
    /// What was found, what was expected and, if known, the remedy.
    package let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// What a failure of SQLite means.
    init(_ error: SQLiteError, _ path: String) {
        if error.isBusy {
            self.init(.locked, "'\(path)' is locked by another process")
        } else if error.isCorrupt {
            self.init(
                .damaged,
                "'\(path)' is damaged (\(error.message)); recover its content with: "
                    + "sqlite3 '\(path)' .recover"
            )
        } else {
            self.init(system: error, path, .read)
        }
    }

    /// A failure of the system, with its cause and the file that has it.
    ///
    /// - Parameters:
    ///   - error: What SQLite reports, such as `unable to open database file`.
    ///   - path: The database.
    ///   - use: Whether it was read or written.
    ///   - check: Checks the permissions of a file.
    init(
        system error: SQLiteError,
        _ path: String,
        _ use: FileSystem.Use,
        check: (String, FileSystem.Use) throws(FileError) -> Void = FileSystem.check
    ) {
        let verb = use == .read ? "read" : "write"
        let system = FileError(verb, path, code: error.systemCode)
        let isOfFile = error.isReadOnly || error.isCannotOpen || error.isInputOutput
        let message: String
        if isOfFile, !system.isFull, let file = Self.forbidden(path, use, check) {
            message = file.path == path ? file.reason : "\(file.reason) for '\(file.path)'"
        } else if error.systemCode != 0 {
            message = "\(system.reason) (\(error.message))"
        } else {
            message = error.message
        }
        self.init(.system, "cannot \(verb) '\(path)'; \(message)")
    }

    /// The first file of a database that this process may not use; `nil` if it may use all.
    private static func forbidden(
        _ path: String,
        _ use: FileSystem.Use,
        _ check: (String, FileSystem.Use) throws(FileError) -> Void
    ) -> FileError? {
        var files = [path, path + "-wal", path + "-shm", path + "-journal"]
        // SQLite creates the others in it.
        if use == .write { files.append(FileSystem.folder(of: path)) }
        for file in files {
            do throws(FileError) {
                try check(file, use)
            } catch {
                if error.isForbidden { return error }
            }
        }
        return nil
    }
}
