// SPDX-License-Identifier: MIT

package import TaplineSQL

extension SchemaText {
    /// Upgrades a database to the newest version, step by step.
    ///
    /// Requires a transaction, since another process may do the same, and a database that is new or
    /// of the sink `sqlite`, of at most the newest version.
    ///
    /// - Parameter connection: The database.
    /// - Returns: The version before.
    /// - Throws: `SQLiteError`.
    @discardableResult
    package static func migrate(_ connection: SQLiteConnection) throws(SQLiteError) -> Int64 {
        let found = try connection.userVersion()
        guard found >= 0, found < version else { return found }
        for step in migrations[Int(found)...] { try connection.execute(step) }
        try connection.setPragma("application_id", applicationID)
        try connection.setPragma("user_version", version)
        return found
    }
}
