// SPDX-License-Identifier: MIT

internal import CSQLite

/// An error that SQLite reported.
///
/// The message is SQLite's own; it contains names of tables, columns and constraints, never bound
/// values.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code.
    package let code: Int32

    /// The extended result code, which is more specific.
    package let extendedCode: Int32

    /// SQLite's message.
    package let message: String

    /// The system's error number (errno(3)) of a file that cannot be opened, read or written; 0 if
    /// it is unknown.
    package let systemCode: Int32

    /// Creates an error from an extended result code.
    init(extendedCode: Int32, message: String, systemCode: Int32 = 0) {
        code = extendedCode & 0xff
        self.extendedCode = extendedCode
        self.message = message
        self.systemCode = systemCode
    }

    /// The message with SQLite's code.
    package var description: String {
        "sqlite: \(message) (code \(extendedCode))"
    }

    /// Whether another connection holds a lock, so that a retry may succeed.
    package var isBusy: Bool {
        code == SQLITE_BUSY || code == SQLITE_LOCKED
    }

    /// Whether the disk, or the database at its page limit, is full.
    package var isFull: Bool {
        code == SQLITE_FULL
    }

    /// Whether the file is damaged or not a database.
    package var isCorrupt: Bool {
        code == SQLITE_CORRUPT || code == SQLITE_NOTADB
    }

    /// Whether the file is not a database.
    package var isNotDatabase: Bool {
        code == SQLITE_NOTADB
    }

    /// Whether a text, blob or row exceeds SQLite's limit.
    package var isTooBig: Bool {
        code == SQLITE_TOOBIG
    }

    /// Whether a constraint was violated.
    package var isConstraint: Bool {
        code == SQLITE_CONSTRAINT
    }

    /// Whether a key already exists.
    package var isDuplicate: Bool {
        // SQLITE_CONSTRAINT with 6, 8 and 10 in the second byte: PRIMARYKEY, UNIQUE, ROWID.
        extendedCode == SQLITE_CONSTRAINT | 6 << 8 || extendedCode == SQLITE_CONSTRAINT | 8 << 8
            || extendedCode == SQLITE_CONSTRAINT | 10 << 8
    }

    /// Whether the database may not be written to.
    package var isReadOnly: Bool {
        code == SQLITE_READONLY
    }

    /// Whether the file cannot be opened.
    package var isCannotOpen: Bool {
        code == SQLITE_CANTOPEN
    }

    /// Whether the system failed to read or write a file.
    package var isInputOutput: Bool {
        code == SQLITE_IOERR
    }

    /// Whether it was interrupted on request.
    package var isInterrupted: Bool {
        code == SQLITE_INTERRUPT
    }
}

extension SQLiteError {
    static func misuse(_ message: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_MISUSE, message: message)
    }

    static func cannotOpen(_ message: String, systemCode: Int32 = 0) -> SQLiteError {
        SQLiteError(
            extendedCode: SQLITE_CANTOPEN,
            message: message,
            systemCode: systemCode
        )
    }
}
