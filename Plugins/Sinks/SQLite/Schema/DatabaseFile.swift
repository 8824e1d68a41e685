// SPDX-License-Identifier: MIT

internal import TaplinePlugin
internal import TaplineSQL
internal import TaplineStoreSchema
internal import TaplineSystem

/// Opens a database and brings its schema up to date.
enum DatabaseFile {
    private static let pageSize: Int64 = 8192

    /// Opens the file that the settings name; creates it if needed.
    ///
    /// **Throws**: `SinkError` if the file belongs to another program or a newer version; it is not
    /// changed then.
    static func open(_ settings: SQLiteSinkSettings, _ log: Log) throws -> SQLiteConnection {
        let folder = FileSystem.folder(of: settings.path)
        guard try FileSystem.status(of: folder)?.kind == .folder else {
            throw SinkError(
                .refused,
                "cannot open '\(settings.path)'; the folder '\(folder)' does not exist"
            )
        }
        let connection = try SQLiteConnection(
            path: settings.path,
            options: SQLiteOptions(busyTimeout: settings.busyTimeout)
        )
        do {
            try prepare(connection, settings, log)
        } catch {
            try? connection.close()
            throw error
        }
        return connection
    }

    private static func prepare(
        _ connection: SQLiteConnection,
        _ settings: SQLiteSinkSettings,
        _ log: Log
    ) throws {
        try checkOwner(connection, settings.path)
        try connection.setPragma("page_size", pageSize)
        let mode = try connection.setPragma("journal_mode", "wal")
        guard mode == "wal" else {
            throw SinkError(
                .refused,
                "cannot open '\(settings.path)'; found journal mode '\(mode ?? "")', expected wal: "
                    + "the file system may not support it"
            )
        }
        // In either mode, WAL keeps the database consistent. With NORMAL, the system decides when
        // the last batches reach the disk (https://sqlite.org/pragma.html#pragma_synchronous).
        try connection.setPragma("synchronous", settings.sync == .batch ? "full" : "normal")
        let pages = max(1, Int64(settings.checkpoint) / pageSize)
        try connection.setPragma("wal_autocheckpoint", pages)
        try connection.setPragma("journal_size_limit", Int64(settings.checkpoint))
        try connection.setPragma("cache_size", -16_384)
        try connection.setPragma("temp_store", "memory")
        try connection.transaction { try migrate(connection, settings.path) }
        let wanted =
            settings.indexes + (settings.retention.isEmpty ? [] : ExchangeIndex.bodies)
        let changes = try connection.transaction {
            try ExchangeIndex.synchronize(wanted, in: connection)
        }
        if !changes.isEmpty { log.debug("\(settings.path): \(changes.joined(separator: ", "))") }
    }

    /// Rejects another program's file before anything is written.
    private static func checkOwner(_ connection: SQLiteConnection, _ path: String) throws {
        let version = try connection.userVersion()
        let isOurs = try connection.integer("PRAGMA application_id") == SchemaText.applicationID
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        guard isOurs || version == 0 && isEmpty else {
            throw SinkError(
                .refused,
                "'\(path)' is the database of another program; choose another path"
            )
        }
        guard version <= SchemaText.version else {
            throw SinkError(
                .refused,
                "'\(path)' was written by a newer version of tapline; found schema \(version), "
                    + "expected at most \(SchemaText.version)"
            )
        }
    }

    /// Upgrades the schema to the current version; requires a transaction, since another process
    /// may do the same.
    private static func migrate(_ connection: SQLiteConnection, _ path: String) throws {
        try checkOwner(connection, path)
        try SchemaText.migrate(connection)
    }
}
