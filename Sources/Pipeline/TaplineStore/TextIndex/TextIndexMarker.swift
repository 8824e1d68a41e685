// SPDX-License-Identifier: MIT

internal import TaplineSQL

/// What a store knows of its full-text index: the token of the run that built it, in a table of one
/// row.
///
/// Triggers delete the row when indexed content changes, whichever program changes it. So an index
/// is valid as long as the store has its token; a copy, a backup or another store has another one.
enum TextIndexMarker {
    /// Numbers can be used again after the last rows were deleted, hence the trigger for new rows.
    private static let create = """
        CREATE TABLE IF NOT EXISTS text_index (token BLOB NOT NULL, last INTEGER NOT NULL) STRICT;
        CREATE TRIGGER IF NOT EXISTS text_index_insert AFTER INSERT ON exchanges
          WHEN new.seq <= (SELECT last FROM text_index) BEGIN DELETE FROM text_index; END;
        CREATE TRIGGER IF NOT EXISTS text_index_update
          AFTER UPDATE OF seq, method, host, target, status, request_body, response_body, fields,
            extra ON exchanges
          WHEN old.seq <= (SELECT last FROM text_index) OR new.seq <= (SELECT last FROM text_index)
          BEGIN DELETE FROM text_index; END;
        CREATE TRIGGER IF NOT EXISTS text_index_bodies AFTER UPDATE ON bodies
          BEGIN DELETE FROM text_index; END;
        CREATE TRIGGER IF NOT EXISTS text_index_hosts AFTER UPDATE ON hosts
          BEGIN DELETE FROM text_index; END;
        """

    private static let drop = """
        DROP TRIGGER IF EXISTS text_index_insert;
        DROP TRIGGER IF EXISTS text_index_update;
        DROP TRIGGER IF EXISTS text_index_bodies;
        DROP TRIGGER IF EXISTS text_index_hosts;
        DROP TABLE IF EXISTS text_index;
        """

    /// The token of the store; `nil` if no index is valid.
    static func token(_ connection: SQLiteConnection) throws(SQLiteError) -> [UInt8]? {
        guard try connection.hasTable("text_index") else { return nil }
        let query = try connection.cached("SELECT token FROM text_index")
        defer { query.reset() }
        return try query.step() ? query.blob(0) : nil
    }

    /// Marks the rows up to the last one as indexed by a run.
    ///
    /// - Parameters:
    ///   - connection: A connection that writes.
    ///   - token: The token of the run.
    ///   - covered: The number up to which rows are indexed already.
    /// - Returns: The number of the last row to index; `nil` if there are no rows.
    /// - Throws: `SQLiteError`, for example if the database is read-only.
    static func mark(
        _ connection: SQLiteConnection,
        token: [UInt8],
        covered: Int64
    ) throws -> Int64? {
        try connection.transaction {
            try connection.execute(create)
            let last = try connection.integer("SELECT max(seq) FROM exchanges")
            try connection.execute("DELETE FROM text_index")
            let insertion = try connection.prepare(
                "INSERT INTO text_index (token, last) VALUES (?1, ?2)"
            )
            try insertion.bind(1, blob: token.span)
            try insertion.bind(2, integer: max(covered, last ?? .min))
            try insertion.run()
            return last
        }
    }

    /// Removes everything from the store.
    ///
    /// - Returns: Whether there was something.
    static func remove(_ connection: SQLiteConnection) throws -> Bool {
        guard try connection.hasTable("text_index") else { return false }
        try connection.transaction { try connection.execute(drop) }
        return true
    }
}
