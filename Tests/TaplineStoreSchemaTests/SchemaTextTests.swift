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

    @Test("keeps the notes of earlier versions", arguments: [1, 2])
    func notes(version: Int) throws {
        let connection = try OldDatabase.make(version)
        try OldDatabase.addRow(1, extra: "NULL", to: connection)
        try OldDatabase.addRow(
            2,
            extra: #"""
                '{"bytes":{"up":1},"notes":[{"text":"why\u0000\n\"?\"","by":"Ann","mark":"red",
                "at":"2025-11-20T14:03:00.123456Z"},{"mark":"star"}],"har":{"x":1.50}}'
                """#,
            to: connection
        )
        try OldDatabase.addRow(3, extra: #"'{"notes":[{"text":"b"}]}'"#, to: connection)
        // Nested too deeply for SQLite, so it is left as it is.
        let deep = String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000)
        try OldDatabase.addRow(
            4,
            extra: #"'{"har":\#(deep),"notes":[{"text":"c"}]}'"#,
            to: connection
        )
        try SchemaText.migrate(connection)
        #expect(
            try rows("SELECT exchange, text, author, mark, at FROM notes ORDER BY id", connection)
                == [
                    "2|why\u{FFFD}\n\"?\"|Ann|red|1763647380123456", "2|||star|", "3|b|||",
                ]
        )
        #expect(
            try rows("SELECT extra FROM exchanges WHERE seq < 4 ORDER BY seq", connection)
                == ["", #"{"bytes":{"up":1},"har":{"x":1.50}}"#, ""]
        )
        // The functions of JSON are not allowed in views otherwise.
        try connection.setPragma("trusted_schema", 1)
        #expect(
            try rows("SELECT seq, marks, tags FROM traffic WHERE marks IS NOT NULL", connection)
                == [#"2|red star|{"team":"a","zone":"b"}"#]
        )
        #expect(try rows("PRAGMA foreign_key_check", connection).isEmpty)
    }

    @Test("leaves notes unchanged that no version wrote")
    func malformedNotes() throws {
        let connection = try OldDatabase.make(2)
        let malformed = [
            #"{"notes":["abc",{"text":"d"}]}"#, #"{"notes":{"a":{"text":"b"}}}"#, #"{"notes":3}"#,
            #"{"har":{"notes":["abc"]}}"#, #"{"notes":["#,
        ]
        for (number, extra) in malformed.enumerated() {
            try OldDatabase.addRow(number, extra: "'\(extra)'", to: connection)
        }
        try OldDatabase.addRow(9, extra: #"'{"notes":[{"text":"a"}]}'"#, to: connection)
        #expect(try SchemaText.migrate(connection) == 2)
        #expect(try connection.userVersion() == SchemaText.version)
        #expect(try rows("SELECT exchange, text FROM notes", connection) == ["9|a"])
        #expect(
            try rows("SELECT extra FROM exchanges ORDER BY seq", connection) == malformed + [""]
        )
    }

    @Test("leaves a newer database unchanged")
    func newer() throws {
        let connection = try OldDatabase.make(1)
        try connection.setPragma("user_version", 99)
        #expect(try SchemaText.migrate(connection) == 99)
        #expect(try connection.userVersion() == 99)
    }

    /// The rows of a query, with `|` between columns.
    private func rows(_ sql: String, _ connection: SQLiteConnection) throws -> [String] {
        let query = try connection.prepare(sql)
        var rows: [String] = []
        while try query.step() {
            let columns = (0..<Int32(query.columnCount)).map { query.text($0) ?? "" }
            rows.append(columns.joined(separator: "|"))
        }
        return rows
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
