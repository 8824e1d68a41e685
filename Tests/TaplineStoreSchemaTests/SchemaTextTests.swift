// SPDX-License-Identifier: MIT

import TaplineSQL
import TaplineStoreSchema
import Testing

@Suite("The schema of stores")
struct SchemaTextTests {
    @Test("is made in steps from any version, and only once")
    func steps() throws {
        var texts: [[String]] = []
        for version in SchemaText.migrations.indices {
            let connection = try OldDatabase.make(version)
            #expect(try SchemaText.migrate(connection) == Int64(version))
            #expect(try connection.userVersion() == SchemaText.version)
            #expect(
                try connection.integer("PRAGMA application_id") == SchemaText.applicationID
            )
            #expect(try SchemaText.migrate(connection) == SchemaText.version)
            texts.append(try definitions(connection))
        }
        #expect(Set(texts).count == 1)
    }

    @Test("leaves a newer database unchanged")
    func newer() throws {
        let connection = try OldDatabase.make(1)
        try connection.setPragma("user_version", 99)
        #expect(try SchemaText.migrate(connection) == 99)
        #expect(try connection.userVersion() == 99)
    }

    /// The statements that created the tables, views and indexes.
    private func definitions(_ connection: SQLiteConnection) throws -> [String] {
        let query = try connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name")
        var texts: [String] = []
        while try query.step() { texts.append(query.text(0) ?? "") }
        return texts
    }
}

/// Databases in memory of the versions that earlier sinks wrote.
enum OldDatabase {
    /// Makes an empty database of a version.
    static func make(_ version: Int) throws -> SQLiteConnection {
        let connection = try SQLiteConnection()
        for step in SchemaText.migrations[..<version] { try connection.execute(step) }
        if version > 0 { try connection.setPragma("application_id", SchemaText.applicationID) }
        try connection.setPragma("user_version", Int64(version))
        return connection
    }

    /// Adds a row to `exchanges`; `extra` is the column, as a literal of SQL.
    static func addRow(
        _ number: Int,
        extra: String,
        to connection: SQLiteConnection
    ) throws {
        try connection.execute(
            """
            INSERT OR IGNORE INTO hosts VALUES (1, 'https', 'shop.test', 'shop.test', 443);
            INSERT OR IGNORE INTO paths VALUES (1, '/');
            INSERT INTO exchanges (seq, id, started, source, state, method, host, path, target,
                version, tags, fields, extra)
              VALUES (\(number), CAST(printf('%016d', \(number)) AS BLOB), 0, 'replay',
                'completed', 'GET', 1, 1, '/', 'HTTP/1.1', '{"team":"a","zone":"b"}',
                '{"request":[]}', \(extra))
            """
        )
    }
}
