// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineSQL
internal import TaplineStoreSchema

/// The schema of the databases that the sink `sqlite` writes, as far as reading needs it.
///
/// The reference page of the sink describes tables and columns.
enum DatabaseSchema {
    /// The newest version that can be read.
    ///
    /// Version 1 differs from version 2 only in the spelling of path templates. Version 3 has tables
    /// for notes and tags by people, and for saved filters.
    static var version: Int64 { SchemaText.version }

    /// Returns whether bytes are the first ones of a SQLite database
    /// (https://sqlite.org/fileformat.html section 1.3).
    static func isDatabase(_ head: Span<UInt8>) -> Bool {
        let magic = "SQLite format 3\0"
        guard head.count >= magic.utf8.count else { return false }
        return head.extracting(0..<magic.utf8.count).equals(magic)
    }

    /// Rejects databases that cannot be read.
    static func check(_ connection: SQLiteConnection, _ path: String) throws {
        let application = try connection.integer("PRAGMA application_id")
        guard application == SchemaText.applicationID else {
            throw StoreError(
                .foreign,
                "'\(path)' is the database of another program; expected one that the sink "
                    + "'sqlite' wrote"
            )
        }
        // SQL compares bytes of texts, as memory does.
        let encoding = try connection.pragma("encoding") ?? ""
        guard encoding == "UTF-8" else {
            throw StoreError(
                .foreign,
                "'\(path)' has the encoding \(encoding); expected UTF-8"
            )
        }
        let found = try connection.userVersion()
        guard found <= version else {
            throw StoreError(
                .newer,
                "'\(path)' was written by a newer version of tapline; found schema \(found), "
                    + "expected at most \(version)"
            )
        }
    }
}
