// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import TaplineSQL
import TaplineStoreSchema
import TestSupport
import Testing

@testable import SQLiteSink

/// Databases of schema 1 used `*` instead of `{id}`.
@Suite struct TemplateRenamingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder("traffic.db")
    }

    /// Creates a database of schema 1 with a row for each template, and opens it with the sink.
    private func bringUpToDate(_ templates: [String]) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.execute(SchemaText.migrations[0])
        try connection.setPragma("application_id", SchemaText.applicationID)
        try connection.setPragma("user_version", 1)
        try connection.execute(
            "INSERT INTO hosts VALUES (1, 'https', 'shop.test', 'shop.test', 443)"
        )
        for (index, template) in templates.enumerated() {
            let number = index + 1
            try connection.execute(
                """
                INSERT INTO paths VALUES (\(number), \(template));
                INSERT INTO exchanges
                    (seq, id, started, source, state, method, host, path, target, version, fields)
                  VALUES (\(number), CAST(printf('%016d', \(number)) AS BLOB), 0, 'replay',
                    'completed', 'GET', 1, \(number), '/', 'HTTP/1.1', '{"request":[]}')
                """
            )
        }
        try connection.close()
        try SQLiteSink(path).close()
        #expect(try Shell.query(path, "PRAGMA user_version") == "\(SchemaText.version)")
        #expect(try Shell.query(path, "PRAGMA foreign_key_check") == "")
        #expect(try Shell.query(path, "PRAGMA integrity_check") == "ok")
    }

    /// The template of each row as an SQL literal.
    private var templates: [String] {
        get throws {
            try Shell.query(
                path,
                "SELECT quote(template) FROM exchanges e JOIN paths p ON p.id = e.path ORDER BY seq"
            ).split(separator: "\n").map(String.init)
        }
    }

    @Test func placeholdersAreRenamed() throws {
        let rows = [
            ("'/users/*'", "'/users/{id}'"),
            ("'/users/*/orders/*'", "'/users/{id}/orders/{id}'"),
            ("'/*/*/*/*'", "'/{id}/{id}/{id}/{id}'"),
            ("'/*/'", "'/{id}/'"),
            ("'/caf\u{e9}/*'", "'/caf\u{e9}/{id}'"),
            ("X'2F612FFF2F2A'", "X'2F612FFF2F7B69647D'"),
        ]
        try bringUpToDate(rows.map(\.0))
        #expect(try templates == rows.map(\.1))
    }

    @Test func otherAsterisksAreKept() throws {
        let rows = [
            "'*'", "'/a/**'", "'**'", "'/a*/b'", "'/'", "''", "'shop.test:443'", "X'2FFF2A61'",
        ]
        try bringUpToDate(rows)
        #expect(try templates == rows)
    }

    @Test func anExistingTemplateTakesOverTheRows() throws {
        try bringUpToDate(["'/users/{id}'", "'/users/*'", "'/items/*'"])
        #expect(try templates == ["'/users/{id}'", "'/users/{id}'", "'/items/{id}'"])
        #expect(try Shell.query(path, "SELECT count(*) FROM paths") == "2")
    }

    @Test func laterRowsJoinRenamedTemplates() throws {
        try bringUpToDate(["'/items/*'"])
        let sink = try SQLiteSink(path)
        _ = try sink.write(Exchanges.records(7..<9) { _ in "hello" })
        try sink.close()
        #expect(
            try Shell.query(path, "SELECT template, count(*) FROM traffic GROUP BY 1")
                == "/items/{id}|3"
        )
    }
}
