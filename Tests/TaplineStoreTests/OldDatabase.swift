// SPDX-License-Identifier: MIT

import TaplineSQL
import TaplineStoreSchema

/// Databases of the versions that earlier sinks wrote.
enum OldDatabase {
    /// Writes three exchanges; the second one has two notes.
    static func write(_ version: Int, at path: String) throws {
        let connection = try SQLiteConnection(path: path)
        try connection.setPragma("journal_mode", "wal")
        for step in SchemaText.migrations[..<version] { try connection.execute(step) }
        try connection.setPragma("application_id", SchemaText.applicationID)
        try connection.setPragma("user_version", Int64(version))
        let notes = #"{"notes":[{"text":"why?","by":"Ann","mark":"red"},{"mark":"star"}]}"#
        try connection.execute(
            """
            INSERT INTO hosts VALUES (1, 'https', 'shop.test', 'shop.test', 443);
            INSERT INTO paths VALUES (1, '/items/\(version == 1 ? "*" : "{id}")');
            """
        )
        for number in 1...3 {
            try connection.execute(
                """
                INSERT INTO exchanges (seq, id, started, source, state, method, host, path, target,
                    version, status, tags, fields, extra)
                  VALUES (\(number), CAST(printf('%016d', \(number)) AS BLOB), \(number), 'replay',
                    'completed', 'GET', 1, 1, '/items/\(number)', 'HTTP/1.1', 200,
                    '{"team":"a"}', '{"request":[],"response":[]}',
                    \(number == 2 ? "'\(notes)'" : "NULL"))
                """
            )
        }
        try connection.close()
    }
}
